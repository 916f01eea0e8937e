#include "src/preemption/facts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "src/preemption/check.h"

namespace precedent::internal {
namespace {

// A grid on which sums are exact: their order does not matter.
double Exact(double value) { return std::round(value * 1048576.0) / 1048576.0; }

}  // namespace

Facts::Facts(const Fleet& fleet, const v1::PreemptionPolicy& policy, std::int64_t now)
    : fleet_(fleet), now_(now), gap_(policy.gap() == 0 ? 1 : policy.gap()) {
  const double restart =
      static_cast<double>(policy.has_restart_seconds() ? policy.restart_seconds() : 60);
  jobs_.resize(fleet.numbers().size());
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const JobNumbers& job = fleet.numbers()[j];
    if (!job.used) continue;
    JobFacts& facts = jobs_[j];
    facts.preemption_priority = job.preemption_priority;
    facts.rank = job.rank;
    facts.started = std::min(now, job.started);
    facts.legal_from = facts.started + job.least_run;
    facts.rules = (job.may_leave ? kLeaves : 0u) | (job.consents ? kConsents : 0u) |
                  (now >= facts.legal_from ? kWorked : 0u);
    double lost = static_cast<double>(now - facts.started) / kSecond;
    if (job.checkpoint != INT64_MIN) {
      const std::int64_t last = std::min(now, std::max(facts.started, job.checkpoint));
      lost = static_cast<double>(now - last) / kSecond;
    } else if (job.interval > 0) {
      lost = std::fmod(lost, job.interval);
    }
    facts.lost = Exact(lost * job.gpus);
    facts.cost = Exact((lost * job.gpus + restart * job.gpus) * (1.0 + job.evictions));
  }
}

Kind Facts::KindOf(int job) const {
  const JobFacts& facts = (*this)[job];
  return {facts.preemption_priority - gap_, facts.rank,
          fleet_.jobs()[job].message.never_preempt_others()};
}

Choice Facts::Make(absl::InlinedVector<int, 6> victims) const {
  Choice choice;
  choice.found = true;
  std::sort(victims.begin(), victims.end());
  victims.erase(std::unique(victims.begin(), victims.end()), victims.end());
  for (const int victim : victims) choice.cost += (*this)[victim].cost;
  choice.victims = std::move(victims);
  return choice;
}

bool Facts::Better(const Choice& a, const Choice& b) const {
  if (a.found != b.found) return a.found;
  if (a.cost != b.cost) return a.cost < b.cost;
  if (a.victims.size() != b.victims.size()) return a.victims.size() < b.victims.size();
  const auto starts = [this](const Choice& choice) {
    absl::InlinedVector<std::int64_t, 6> all;
    for (const int victim : choice.victims) all.push_back((*this)[victim].started);
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto left = starts(a), right = starts(b);
  if (left != right) return left > right;
  const auto ids = [this](const Choice& choice) {
    absl::InlinedVector<const std::string*, 6> all;
    for (const int victim : choice.victims) all.push_back(&fleet_.jobs()[victim].message.id());
    std::sort(all.begin(), all.end(), [](auto* x, auto* y) { return *x < *y; });
    return all;
  };
  const auto first = ids(a), second = ids(b);
  return std::lexicographical_compare(first.begin(), first.end(), second.begin(), second.end(),
                                      [](auto* x, auto* y) { return *x < *y; });
}

}  // namespace precedent::internal
