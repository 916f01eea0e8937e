// The public calls, and what is remembered from plan to plan.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/preemption.h"
#include "src/preemption/round.h"

namespace precedent {

class PreemptionPlanner::Impl {
 public:
  // What no window reaches any more.
  void Forget(std::int64_t now) {
    std::int64_t longest = 60;
    for (const v1::DisruptionBudget& budget : data.policy.budgets())
      longest = std::max<std::int64_t>(
          longest, budget.window_seconds() == 0 ? 3600 : budget.window_seconds());
    auto& all = data.evictions;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const auto& eviction) {
                               return internal::Micros(eviction.time()) + longest * 1'000'000 <=
                                      now;
                             }),
              all.end());
    for (auto it = data.holds.begin(); it != data.holds.end();)
      it = internal::Micros(it->second.until()) <= now ? data.holds.erase(it) : std::next(it);
  }

  internal::PlannerData data;
};

PreemptionPlanner::PreemptionPlanner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreemptionPlanner::PreemptionPlanner(PreemptionPlanner&&) noexcept = default;
PreemptionPlanner& PreemptionPlanner::operator=(PreemptionPlanner&&) noexcept = default;
PreemptionPlanner::~PreemptionPlanner() = default;

absl::StatusOr<PreemptionPlanner> PreemptionPlanner::Create(const v1::PreemptionPolicy& policy) {
  if (absl::Status status = internal::CheckPolicy(policy); !status.ok()) return status;
  auto impl = std::make_unique<Impl>();
  impl->data.policy = policy;
  return PreemptionPlanner(std::move(impl));
}

absl::Status PreemptionPlanner::PutNode(const v1::Node& node) {
  if (absl::Status status = internal::CheckNode(node); !status.ok()) return status;
  impl_->data.nodes[node.name()] = node;
  return absl::OkStatus();
}

absl::Status PreemptionPlanner::PutJob(const v1::ClusterJob& job) {
  if (absl::Status status = internal::CheckJob(job); !status.ok()) return status;
  impl_->data.jobs[job.id()] = job;
  if (std::all_of(job.pods().begin(), job.pods().end(),
                  [](const v1::ClusterPod& pod) { return !pod.node().empty(); }))
    impl_->data.holds.erase(job.id());
  return absl::OkStatus();
}

void PreemptionPlanner::RemoveNode(std::string_view name) {
  impl_->data.nodes.erase(std::string(name));
}

void PreemptionPlanner::RemoveJob(std::string_view id) {
  impl_->data.jobs.erase(std::string(id));
  impl_->data.holds.erase(std::string(id));
}

void PreemptionPlanner::SetClassOrder(const std::vector<std::string>& most_important_first) {
  impl_->data.class_rank.clear();
  for (std::size_t i = 0; i < most_important_first.size(); ++i)
    impl_->data.class_rank.emplace(most_important_first[i], static_cast<int>(i));
}

v1::PreemptionPlan PreemptionPlanner::Plan(TimePoint now) {
  return internal::Round(impl_->data, now.time_since_epoch().count()).Run();
}

absl::Status PreemptionPlanner::Commit(const v1::Placement& placement, TimePoint now) {
  internal::PlannerData& data = impl_->data;
  if (data.jobs.count(placement.job()) == 0)
    return absl::NotFoundError(absl::StrCat("job `", placement.job(), "` is not known any more"));
  for (const v1::PodPlacement& pod : placement.pods())
    if (data.nodes.count(pod.node()) == 0)
      return absl::NotFoundError(absl::StrCat("node `", pod.node(), "` is not known any more"));
  for (const v1::Victim& victim : placement.victims())
    if (data.jobs.count(victim.job()) == 0)
      return absl::NotFoundError(absl::StrCat("victim `", victim.job(), "` is not known any more"));
  const std::int64_t micros = now.time_since_epoch().count();
  impl_->Forget(micros);
  v1::PlannerState::Hold hold;
  hold.set_job(placement.job());
  *hold.mutable_pods() = placement.pods();
  const std::int64_t length = data.policy.has_hold_seconds() ? data.policy.hold_seconds() : 300;
  *hold.mutable_until() = internal::ToTimestamp(micros + length * 1'000'000);
  for (const v1::Victim& victim : placement.victims()) {
    hold.add_victims(victim.job());
    const v1::ClusterJob& job = data.jobs.at(victim.job());
    const bool charged =
        std::any_of(data.evictions.begin(), data.evictions.end(), [&](const auto& eviction) {
          return eviction.job() == job.id() &&
                 internal::Micros(eviction.time()) >= internal::Micros(job.started());
        });
    if (charged) continue;
    v1::PlannerState::Eviction eviction;
    eviction.set_job(job.id());
    *eviction.mutable_time() = internal::ToTimestamp(micros);
    std::set<std::string> nodes;
    for (const v1::ClusterPod& pod : job.pods()) nodes.insert(pod.node());
    for (const std::string& node : nodes) eviction.add_nodes(node);
    eviction.set_priority_class(job.priority_class());
    *eviction.mutable_labels() = job.labels();
    data.evictions.push_back(std::move(eviction));
  }
  // The same room again: victims that still stop are still its own.
  if (const auto before = data.holds.find(placement.job()); before != data.holds.end()) {
    for (const std::string& victim : before->second.victims())
      if (std::find(hold.victims().begin(), hold.victims().end(), victim) == hold.victims().end())
        hold.add_victims(victim);
  }
  data.holds[placement.job()] = std::move(hold);
  return absl::OkStatus();
}

void PreemptionPlanner::Abandon(std::string_view job) {
  internal::PlannerData& data = impl_->data;
  const auto found = data.holds.find(std::string(job));
  if (found == data.holds.end()) return;
  for (const std::string& victim : found->second.victims()) {
    const auto its = data.jobs.find(victim);
    if (its == data.jobs.end()) continue;
    const auto& pods = its->second.pods();
    if (!std::all_of(pods.begin(), pods.end(), [](const v1::ClusterPod& pod) {
          return !pod.node().empty() && !pod.stopping();
        }))
      continue;
    auto& all = data.evictions;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const auto& eviction) {
                               return eviction.job() == victim &&
                                      internal::Micros(eviction.time()) >=
                                          internal::Micros(its->second.started());
                             }),
              all.end());
  }
  data.holds.erase(found);
}

v1::PlannerState PreemptionPlanner::Snapshot() const {
  v1::PlannerState state;
  for (const auto& [job, hold] : impl_->data.holds) *state.add_holds() = hold;
  for (const auto& eviction : impl_->data.evictions) *state.add_evictions() = eviction;
  return state;
}

absl::Status PreemptionPlanner::Restore(const v1::PlannerState& state) {
  if (absl::Status status = internal::CheckState(state); !status.ok()) return status;
  impl_->data.holds.clear();
  for (const auto& hold : state.holds()) impl_->data.holds[hold.job()] = hold;
  impl_->data.evictions.assign(state.evictions().begin(), state.evictions().end());
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
