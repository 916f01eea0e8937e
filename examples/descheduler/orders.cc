#include "orders.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "precedent/lineage_view.h"

namespace precedent::descheduler {
namespace {

bool IsBudgeted(const v1::ClusterJob* job) {
  return job != nullptr && std::any_of(job->labels().begin(), job->labels().end(), [](auto& label) {
           return absl::StartsWith(label.first, "poddisruptionbudget/");
         });
}

const v1::PlannerState::Hold* HoldOf(const State& state, const std::string& job) {
  for (const v1::PlannerState::Hold& hold : state.planner.holds()) {
    if (hold.job() == job) return &hold;
  }
  return nullptr;
}

template <typename Items, typename Remove>
void RemoveIf(Items* items, Remove remove) {
  items->erase(std::remove_if(items->begin(), items->end(), remove), items->end());
}

// Ends the hold of an order. Who was not evicted is charged no more.
void GiveUp(const Order& order, const ClusterIndex& index, v1::PlannerState* planner) {
  RemoveIf(planner->mutable_holds(), [&](const auto& hold) { return hold.job() == order.job; });
  for (const OrderVictim& victim : order.victims) {
    const bool untouched = std::all_of(victim.pods.begin(), victim.pods.end(), [&](auto& pod) {
      return index.Find(pod.uid) == ClusterIndex::Pod::kRuns;
    });
    if (!untouched) continue;
    RemoveIf(planner->mutable_evictions(), [&](const auto& eviction) {
      return eviction.job() == victim.job && ToTimePoint(eviction.time()) >= order.given;
    });
  }
}

}  // namespace

ClusterIndex::ClusterIndex(const kubernetes::ClusterReading& reading) {
  for (const v1::ClusterJob& job : reading.cluster.jobs()) {
    jobs_[job.id()] = &job;
    const auto pods = reading.pods.find(job.id());
    if (pods == reading.pods.end()) continue;
    const int count = std::min(job.pods_size(), static_cast<int>(pods->second.size()));
    for (int i = 0; i < count; ++i) {
      const v1::ClusterPod& pod = job.pods(i);
      pods_[pods->second[static_cast<std::size_t>(i)].uid] = pod.stopping()       ? Pod::kStopping
                                                             : pod.node().empty() ? Pod::kWaits
                                                                                  : Pod::kRuns;
    }
  }
}

ClusterIndex::Pod ClusterIndex::Find(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? Pod::kGone : found->second;
}

const v1::ClusterJob* ClusterIndex::Job(const std::string& id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

bool ClusterIndex::Waits(const std::string& id) const {
  const v1::ClusterJob* const job = Job(id);
  return job != nullptr && std::all_of(job->pods().begin(), job->pods().end(),
                                       [](auto& pod) { return pod.node().empty(); });
}

bool Rules::MayLeave(const v1::ClusterJob& victim, const v1::ClusterJob& preemptor) const {
  const std::int64_t gap = policy.gap() == 0 ? 1 : policy.gap();
  if (victim.preemption_priority() > preemptor.preemption_priority() - gap) return false;
  if (preemptor.never_preempt_others()) return false;
  if (policy.only_preemptible() && !victim.preemptible()) return false;
  if (victim.checkpoint_interval_seconds() <= 0 && !victim.preemptible()) return false;
  if (absl::StartsWith(victim.priority_class(), "system-")) return false;
  const auto& never = policy.never_evict_classes();
  if (std::find(never.begin(), never.end(), victim.priority_class()) != never.end()) return false;
  const auto lower = std::find(class_order.begin(), class_order.end(), victim.priority_class());
  const auto upper = std::find(class_order.begin(), class_order.end(), preemptor.priority_class());
  return lower == class_order.end() || upper == class_order.end() || lower > upper;
}

Order MakeOrder(const v1::Placement& placement, const kubernetes::ClusterReading& reading,
                const ClusterIndex& index, const History& history, TimePoint now) {
  Order order;
  order.job = placement.job();
  order.given = now;
  std::set<std::string> nodes;
  for (const v1::PodPlacement& pod : placement.pods()) nodes.insert(pod.node());
  for (const v1::Victim& victim : placement.victims()) {
    OrderVictim& out = order.victims.emplace_back();
    out.job = victim.job();
    out.reason = victim.reason();
    if (const v1::ClusterJob* const job = index.Job(victim.job())) {
      for (const v1::ClusterPod& pod : job->pods()) nodes.insert(pod.node());
    }
    const auto pods = reading.pods.find(victim.job());
    if (pods == reading.pods.end()) continue;
    for (const kubernetes::PodIdentity& pod : pods->second) {
      out.pods.push_back({pod.namespace_name, pod.name, pod.uid, "", {}});
      history.Describe(&out.pods.back());
    }
  }
  order.nodes.assign(nodes.begin(), nodes.end());
  std::stable_partition(order.victims.begin(), order.victims.end(),
                        [&](const OrderVictim& one) { return IsBudgeted(index.Job(one.job)); });
  return order;
}

Settled Settle(const ClusterIndex& index, const Rules& rules, TimePoint now, State* state) {
  Settled settled;
  std::vector<Order> kept;
  for (Order& order : state->orders) {
    Order rest = order;
    rest.victims.clear();
    bool stops = false;
    bool legal = true;
    const v1::ClusterJob* const preemptor = index.Job(order.job);
    for (const OrderVictim& victim : order.victims) {
      OrderVictim running = victim;
      running.pods.clear();
      for (const OrderPod& pod : victim.pods) {
        const ClusterIndex::Pod where = index.Find(pod.uid);
        stops = stops || where == ClusterIndex::Pod::kStopping;
        (where == ClusterIndex::Pod::kRuns ? running.pods : settled.left).push_back(pod);
      }
      if (running.pods.empty()) continue;
      const v1::ClusterJob* const job = index.Job(victim.job);
      legal = legal && job != nullptr && preemptor != nullptr && rules.MayLeave(*job, *preemptor) &&
              ToTimePoint(job->started()) <= order.given;
      rest.victims.push_back(std::move(running));
    }
    const v1::PlannerState::Hold* const hold = HoldOf(*state, order.job);
    const bool held = hold != nullptr && ToTimePoint(hold->until()) > now;
    const bool waits = index.Waits(order.job);
    if (!order.stopped && held && waits && legal) {
      if (rest.victims.empty()) continue;  // done; its hold stays
      settled.complete.push_back(std::move(rest));
      kept.push_back(std::move(order));
      continue;
    }
    GiveUp(order, index, &state->planner);
    if (!stops || !waits) continue;
    settled.waiting.push_back(order.job);
    order.stopped = true;
    kept.push_back(std::move(order));
  }
  state->orders = std::move(kept);
  return settled;
}

void TrimLabels(const v1::PreemptionPolicy& policy, v1::PlannerState* planner) {
  std::set<std::string> used;
  for (const v1::DisruptionBudget& budget : policy.budgets()) {
    for (const auto& [key, value] : budget.match_labels()) used.insert(key);
  }
  for (v1::PlannerState::Eviction& eviction : *planner->mutable_evictions()) {
    v1::PlannerState::Eviction trimmed = eviction;
    trimmed.clear_labels();
    for (const auto& [key, value] : eviction.labels()) {
      if (used.count(key) > 0) (*trimmed.mutable_labels())[key] = value;
    }
    eviction = std::move(trimmed);
  }
}

}  // namespace precedent::descheduler
