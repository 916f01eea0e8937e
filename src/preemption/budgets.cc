#include "src/preemption/budgets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "src/preemption/check.h"
#include "src/preemption/fleet.h"

namespace precedent::internal {
namespace {

bool Selects(const v1::DisruptionBudget& budget, const std::string& priority_class,
             const Labels& labels) {
  if (!budget.priority_class().empty() && budget.priority_class() != priority_class) return false;
  for (const auto& [key, value] : budget.match_labels()) {
    const auto found = labels.find(key);
    if (found == labels.end() || found->second != value) return false;
  }
  return true;
}

std::string LabelKey(const std::string& key, const std::string& value) {
  std::string text = key;
  text.push_back('\0');
  return text += value;
}

}  // namespace

std::int64_t WindowMicros(const v1::DisruptionBudget& budget) {
  return (budget.window_seconds() == 0 ? 3600 : budget.window_seconds()) * kSecond;
}

BudgetIndex::BudgetIndex(const v1::PreemptionPolicy& policy) : policy_(policy) {
  for (int b = 0; b < policy.budgets_size(); ++b) {
    const v1::DisruptionBudget& budget = policy.budgets(b);
    if (!budget.match_labels().empty()) {
      const auto& [key, value] = *budget.match_labels().begin();
      by_label_[LabelKey(key, value)].push_back(b);
    } else if (!budget.priority_class().empty()) {
      by_class_[budget.priority_class()].push_back(b);
    } else {
      any_.push_back(b);
    }
  }
}

std::vector<int> BudgetIndex::Select(const std::string& priority_class,
                                     const Labels& labels) const {
  std::vector<int> all = any_;
  const auto add = [&](const std::vector<int>& some) {
    for (const int b : some)
      if (Selects(policy_.budgets(b), priority_class, labels)) all.push_back(b);
  };
  if (const auto found = by_class_.find(priority_class); found != by_class_.end())
    add(found->second);
  if (!by_label_.empty())
    for (const auto& [key, value] : labels)
      if (const auto found = by_label_.find(LabelKey(key, value)); found != by_label_.end())
        add(found->second);
  std::sort(all.begin(), all.end());
  return all;
}

BudgetBook::BudgetBook(const v1::PreemptionPolicy& policy, const Fleet& fleet,
                       const std::vector<PastEviction>& evictions, std::int64_t now)
    : policy_(policy),
      fleet_(fleet),
      taken_(static_cast<std::size_t>(policy.budgets_size()), 0),
      selected_(taken_.size()),
      node_minute_(fleet.nodes().size(), 0),
      closed_(fleet.jobs().size(), 0),
      limits_exist_(policy.budgets_size() > 0 || policy.max_evictions_per_minute() > 0 ||
                    policy.max_evictions_per_node_per_minute() > 0) {
  for (int b = 0; b < policy.budgets_size(); ++b) {
    const v1::DisruptionBudget& budget = policy.budgets(b);
    limit_.push_back(budget.limit_case() == v1::DisruptionBudget::kMaxDisrupted
                         ? budget.max_disrupted()
                         : static_cast<int>(std::floor(budget.max_disrupted_percent() *
                                                           fleet.Running(b) / 100 +
                                                       1e-9)));
  }
  if (!limits_exist_) return;
  for (const PastEviction& eviction : evictions) {
    const std::int64_t time = Micros(eviction.message.time());
    for (const int b : eviction.budgets)
      taken_[b] += now < time + WindowMicros(policy.budgets(b));
    if (now >= time + 60 * kSecond) continue;
    ++minute_;
    const std::set<std::string> names(eviction.message.nodes().begin(),
                                      eviction.message.nodes().end());
    for (const std::string& name : names)
      if (const int node = fleet.FindNode(name); node >= 0) ++node_minute_[node];
  }
  const int each = policy.max_evictions_per_node_per_minute();
  const bool all =
      policy.max_evictions_per_minute() > 0 && minute_ >= policy.max_evictions_per_minute();
  for (int j = 0; j < static_cast<int>(fleet.jobs().size()); ++j) {
    const FleetJob& job = fleet.jobs()[j];
    if (!job.may_leave) continue;
    if (all) Close(j, 1);
    for (const int b : job.budgets) {
      selected_[b].push_back(j);
      Close(j, taken_[b] >= limit_[b]);
    }
    if (each > 0)
      for (const int node : job.nodes) Close(j, node_minute_[node] >= each);
  }
}

std::string BudgetBook::Obstacle(const int* victims, std::size_t count) const {
  if (count == 0 || !limits_exist_) return "";
  std::map<int, int> mine, leaving;
  const int each = policy_.max_evictions_per_node_per_minute();
  for (std::size_t v = 0; v < count; ++v) {
    const FleetJob& job = fleet_.jobs()[victims[v]];
    for (const int b : job.budgets) ++mine[b];
    if (each > 0)
      for (const int node : job.nodes) ++leaving[node];
  }
  // Of several the first by name: their order means nothing.
  int worst = -1;
  for (const auto& [b, number] : mine)
    if (taken_[b] + number > limit_[b] &&
        (worst < 0 || policy_.budgets(b).name() < policy_.budgets(worst).name()))
      worst = b;
  if (worst >= 0)
    return absl::StrCat("budget `", policy_.budgets(worst).name(), "` (", taken_[worst], " of ",
                        limit_[worst], " jobs are away)");
  const int most = policy_.max_evictions_per_minute();
  if (most > 0 && minute_ + static_cast<int>(count) > most)
    return absl::StrCat("the rate of ", most, " evictions a minute (", minute_, " so far)");
  for (const auto& [node, number] : leaving)
    if (node_minute_[node] + number > each &&
        (worst < 0 || fleet_.nodes()[node].message.name() < fleet_.nodes()[worst].message.name()))
      worst = node;
  if (worst >= 0)
    return absl::StrCat("the rate of ", each, " evictions a minute on node `",
                        fleet_.nodes()[worst].message.name(), "` (", node_minute_[worst],
                        " so far)");
  return "";
}

void BudgetBook::Charge(int victim, int sign) {
  if (!limits_exist_) return;
  ++generation_;
  const FleetJob& job = fleet_.jobs()[victim];
  // What reaches its limit closes those it concerns; what leaves it again opens them.
  const auto count = [sign](int* taken, int limit) {
    const bool before = *taken >= limit;
    *taken += sign;
    return (*taken >= limit ? 1 : 0) - (before ? 1 : 0);
  };
  const int jobs = static_cast<int>(fleet_.jobs().size());
  for (const int b : job.budgets) {
    const int by = count(&taken_[b], limit_[b]);
    if (by == 0) continue;
    for (const int other : selected_[b]) Close(other, by);
  }
  if (const int most = policy_.max_evictions_per_minute(); most > 0) {
    if (const int by = count(&minute_, most); by != 0)
      for (int j = 0; j < jobs; ++j)
        if (fleet_.jobs()[j].may_leave) Close(j, by);
  }
  if (const int each = policy_.max_evictions_per_node_per_minute(); each > 0)
    for (const int node : job.nodes)
      if (const int by = count(&node_minute_[node], each); by != 0)
        for (const int other : fleet_.JobsOn(node))
          if (fleet_.jobs()[other].may_leave) Close(other, by);
}

}  // namespace precedent::internal
