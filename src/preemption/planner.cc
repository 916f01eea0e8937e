// The public calls, and what is remembered from plan to plan.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/preemption.h"
#include "src/preemption/check.h"
#include "src/preemption/fleet.h"
#include "src/preemption/round.h"

namespace precedent {

using internal::FleetJob;
using internal::Micros;
using internal::PastEviction;

class PreemptionPlanner::Impl {
 public:
  explicit Impl(const v1::PreemptionPolicy& its) : policy(its), fleet(policy) {
    longest = 60 * internal::kSecond;
    for (const v1::DisruptionBudget& budget : policy.budgets())
      longest = std::max(longest, internal::WindowMicros(budget));
  }

  // What no window reaches any more.
  void Forget(std::int64_t now) {
    evictions.erase(std::remove_if(evictions.begin(), evictions.end(),
                                   [&](const PastEviction& eviction) {
                                     return Micros(eviction.message.time()) + longest <= now;
                                   }),
                    evictions.end());
    for (auto it = holds.begin(); it != holds.end();)
      it = Micros(it->second.until()) <= now ? holds.erase(it) : std::next(it);
  }

  // Whether an eviction is of the attempt that runs.
  static bool IsOf(const PastEviction& eviction, const FleetJob& job) {
    return eviction.message.job() == job.message.id() &&
           Micros(eviction.message.time()) >= job.started;
  }

  void Add(v1::PlannerState::Eviction eviction) {
    std::vector<int> budgets =
        fleet.budget_index().Select(eviction.priority_class(), eviction.labels());
    evictions.push_back({std::move(eviction), std::move(budgets)});
  }

  const v1::PreemptionPolicy policy;
  internal::Fleet fleet;
  internal::Holds holds;
  std::vector<PastEviction> evictions;
  std::int64_t longest;  // window
};

PreemptionPlanner::PreemptionPlanner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreemptionPlanner::PreemptionPlanner(PreemptionPlanner&&) noexcept = default;
PreemptionPlanner& PreemptionPlanner::operator=(PreemptionPlanner&&) noexcept = default;
PreemptionPlanner::~PreemptionPlanner() = default;

absl::StatusOr<PreemptionPlanner> PreemptionPlanner::Create(const v1::PreemptionPolicy& policy) {
  if (absl::Status status = internal::CheckPolicy(policy); !status.ok()) return status;
  return PreemptionPlanner(std::make_unique<Impl>(policy));
}

absl::Status PreemptionPlanner::PutNode(const v1::Node& node) {
  if (absl::Status status = internal::CheckNode(node); !status.ok()) return status;
  impl_->fleet.PutNode(node);
  return absl::OkStatus();
}

absl::Status PreemptionPlanner::PutJob(const v1::ClusterJob& job) {
  if (absl::Status status = internal::CheckJob(job); !status.ok()) return status;
  impl_->fleet.PutJob(job);
  if (std::all_of(job.pods().begin(), job.pods().end(),
                  [](const v1::ClusterPod& pod) { return !pod.node().empty(); }))
    impl_->holds.erase(job.id());
  return absl::OkStatus();
}

void PreemptionPlanner::RemoveNode(std::string_view name) { impl_->fleet.RemoveNode(name); }

void PreemptionPlanner::RemoveJob(std::string_view id) {
  impl_->fleet.RemoveJob(id);
  impl_->holds.erase(std::string(id));
}

void PreemptionPlanner::SetClassOrder(const std::vector<std::string>& most_important_first) {
  impl_->fleet.SetClassOrder(most_important_first);
}

v1::PreemptionPlan PreemptionPlanner::Plan(TimePoint now) {
  const std::int64_t micros = now.time_since_epoch().count();
  impl_->fleet.Settle(impl_->holds, micros);
  return internal::Round(impl_->fleet, impl_->policy, impl_->holds, impl_->evictions, micros).Run();
}

absl::Status PreemptionPlanner::Commit(const v1::Placement& placement, TimePoint now) {
  const internal::Fleet& fleet = impl_->fleet;
  const auto gone = [](const char* what, const std::string& name) {
    return absl::NotFoundError(absl::StrCat(what, " `", name, "` is not known any more"));
  };
  if (fleet.FindJob(placement.job()) < 0) return gone("job", placement.job());
  for (const v1::PodPlacement& pod : placement.pods()) {
    const int node = fleet.FindNode(pod.node());
    if (node < 0 || !fleet.nodes()[node].known) return gone("node", pod.node());
  }
  for (const v1::Victim& victim : placement.victims())
    if (fleet.FindJob(victim.job()) < 0) return gone("victim", victim.job());
  const std::int64_t micros = now.time_since_epoch().count();
  impl_->Forget(micros);
  v1::PlannerState::Hold hold;
  hold.set_job(placement.job());
  *hold.mutable_pods() = placement.pods();
  const std::int64_t length =
      impl_->policy.has_hold_seconds() ? impl_->policy.hold_seconds() : 300;
  *hold.mutable_until() = internal::ToTimestamp(micros + length * internal::kSecond);
  for (const v1::Victim& victim : placement.victims()) {
    hold.add_victims(victim.job());
    const FleetJob& job = fleet.jobs()[fleet.FindJob(victim.job())];
    if (std::any_of(impl_->evictions.begin(), impl_->evictions.end(),
                    [&](const PastEviction& eviction) { return Impl::IsOf(eviction, job); }))
      continue;
    v1::PlannerState::Eviction eviction;
    eviction.set_job(victim.job());
    *eviction.mutable_time() = internal::ToTimestamp(micros);
    std::set<std::string> nodes;
    for (const v1::ClusterPod& pod : job.message.pods()) nodes.insert(pod.node());
    for (const std::string& node : nodes) eviction.add_nodes(node);
    eviction.set_priority_class(job.message.priority_class());
    *eviction.mutable_labels() = job.message.labels();
    impl_->Add(std::move(eviction));
  }
  // The same room again: victims that still stop are still its own.
  if (const auto before = impl_->holds.find(placement.job()); before != impl_->holds.end()) {
    for (const std::string& victim : before->second.victims())
      if (std::find(hold.victims().begin(), hold.victims().end(), victim) == hold.victims().end())
        hold.add_victims(victim);
  }
  impl_->holds[placement.job()] = std::move(hold);
  return absl::OkStatus();
}

void PreemptionPlanner::Abandon(std::string_view job) {
  const auto found = impl_->holds.find(std::string(job));
  if (found == impl_->holds.end()) return;
  for (const std::string& victim : found->second.victims()) {
    const int slot = impl_->fleet.FindJob(victim);
    if (slot < 0 || !impl_->fleet.jobs()[slot].runs) continue;
    auto& all = impl_->evictions;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const PastEviction& eviction) {
                               return Impl::IsOf(eviction, impl_->fleet.jobs()[slot]);
                             }),
              all.end());
  }
  impl_->holds.erase(found);
}

v1::PlannerState PreemptionPlanner::Snapshot() const {
  v1::PlannerState state;
  for (const auto& [job, hold] : impl_->holds) *state.add_holds() = hold;
  for (const PastEviction& eviction : impl_->evictions) *state.add_evictions() = eviction.message;
  return state;
}

absl::Status PreemptionPlanner::Restore(const v1::PlannerState& state) {
  if (absl::Status status = internal::CheckState(state); !status.ok()) return status;
  impl_->holds.clear();
  for (const auto& hold : state.holds()) impl_->holds[hold.job()] = hold;
  impl_->evictions.clear();
  for (const auto& eviction : state.evictions()) impl_->Add(eviction);
  return absl::OkStatus();
}

absl::StatusOr<v1::PreemptionPlan> PlanPreemption(const v1::Cluster& cluster,
                                                  const v1::PreemptionPolicy& policy,
                                                  TimePoint now) {
  auto planner = PreemptionPlanner::Create(policy);
  if (!planner.ok()) return planner.status();
  std::vector<std::string> remarks;
  std::vector<v1::Unplaced> invalid;
  planner->SetClassOrder({cluster.class_order().begin(), cluster.class_order().end()});
  // Of several of one name the first in the order of their bytes counts.
  std::map<std::string, const v1::Node*> nodes;
  for (const v1::Node& node : cluster.nodes()) {
    const auto [at, added] = nodes.emplace(node.name(), &node);
    if (added) continue;
    remarks.push_back(absl::StrCat("node `", node.name(), "` is there twice: one counts"));
    if (node.DebugString() < at->second->DebugString()) at->second = &node;
  }
  for (const auto& [name, node] : nodes)
    if (absl::Status status = planner->PutNode(*node); !status.ok())
      remarks.push_back(absl::StrCat(std::string(status.message()), ": left out"));
  std::map<std::string, const v1::ClusterJob*> jobs;
  for (const v1::ClusterJob& job : cluster.jobs()) {
    const auto [at, added] = jobs.emplace(job.id(), &job);
    if (added) continue;
    remarks.push_back(absl::StrCat("job `", job.id(), "` is there twice: one counts"));
    if (job.DebugString() < at->second->DebugString()) at->second = &job;
  }
  for (const auto& [id, job] : jobs) {
    absl::Status status = planner->PutJob(*job);
    if (status.ok()) continue;
    const std::string text(status.message());
    remarks.push_back(text + ": left out");
    if (std::any_of(job->pods().begin(), job->pods().end(),
                    [](const v1::ClusterPod& pod) { return !pod.node().empty(); }))
      continue;
    v1::Unplaced unplaced;
    unplaced.set_job(id);
    unplaced.set_reason(v1::Unplaced::INVALID);
    unplaced.set_text(text);
    invalid.push_back(std::move(unplaced));
  }
  std::sort(remarks.begin(), remarks.end());
  v1::PreemptionPlan plan = planner->Plan(now);
  for (const std::string& remark : remarks) plan.add_remarks(remark);
  for (const v1::Unplaced& unplaced : invalid) *plan.add_unplaced() = unplaced;
  return plan;
}

}  // namespace precedent
