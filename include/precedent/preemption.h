// PreemptionPlanner: who makes room for whom.
//
//   auto planner = precedent::PreemptionPlanner::Create(policy);
//   planner->PutNode(node);                     // what there is, once, then what changes
//   planner->PutJob(job);
//   v1::PreemptionPlan plan = planner->Plan(now);
//   for (const v1::Placement& placement : plan.placements()) {
//     planner->Commit(placement, now);          // what you carry out, before you do it
//     for (const v1::Victim& victim : placement.victims()) Evict(victim.job());
//   }
//
// or, without state, `PlanPreemption(cluster, policy, now)`.
//
// WHO GOES FIRST. Jobs that wait are placed in the order of Decision.priority, then
// submitted, then id. Each takes free room where there is enough for all its pods, else
// room that victims leave, else nothing: it does not change what later ones get.
//
// WHO MAY BE EVICTED for job P. A running job V whose every pod runs, and
// - V.preemption_priority <= P.preemption_priority - gap, and V's class is below P's in
//   Cluster.class_order (where both are in it);
// - V.preemptible, where the policy asks for consent or V makes no checkpoints;
// - V's class is neither `system-*` nor in never_evict_classes, and P may preempt others;
// - V's attempt has run for max(min_runtime, its checkpoint interval + restart);
// - budgets and rates, with what recent plans and this one took, allow it;
// - V holds no room that was freed for it, unless P is more important than V by the gap.
// Aging orders (priority), and never evicts (preemption_priority).
//
// COST of V = (GPU-seconds since its last checkpoint + restart x its GPUs) x (1 +
// evictions). Where it names no checkpoint it is taken to make one each interval, from the
// start of the attempt on; where it has no interval either, all of the attempt is lost.
// Victims are whole jobs: evicting one frees all its pods on all nodes. Of all legal plans for a job with one pod the planner takes the
// one of least cost, then of fewest victims, then whose victims started latest, then by
// ids. For a gang see Plan.
//
// ROOM. A pod below one GPU takes part of one device; a pod of whole GPUs takes devices
// that nobody else uses. Where running pods do not say which devices they have, the
// planner assumes an assignment, largest first, that fits (the same for the same
// cluster). Pods that stop hold their room until they are gone, but are no obstacle to a
// Commit for whom they were evicted.
//
// The answer is a function of the cluster, the policy, the state and `now`: the order in
// which things were put does not matter.
//
// Part of precedent::preemption. No function throws but std::bad_alloc.
#ifndef PRECEDENT_PREEMPTION_H_
#define PRECEDENT_PREEMPTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/time.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent {

// Not thread-safe: one thread at a time.
class PreemptionPlanner {
 public:
  // INVALID_ARGUMENT names the field of a policy that contradicts itself (a negative
  // number, two budgets of one name, a budget without limit).
  static absl::StatusOr<PreemptionPlanner> Create(const v1::PreemptionPolicy& policy);
  PreemptionPlanner(PreemptionPlanner&&) noexcept;
  PreemptionPlanner& operator=(PreemptionPlanner&&) noexcept;
  ~PreemptionPlanner();

  // Adds or replaces, by name or id. Copies what it needs. INVALID_ARGUMENT names what is
  // wrong, and nothing changes. A pod on a node that is not known (yet) is remembered
  // and takes room when the node comes. O(pods + budgets that may select it); a node, or
  // the first job with a selector of its own, O(selectors or nodes).
  absl::Status PutNode(const v1::Node& node);
  absl::Status PutJob(const v1::ClusterJob& job);
  // Of what is not known: nothing.
  void RemoveNode(std::string_view name);
  void RemoveJob(std::string_view id);
  // See Cluster.class_order.
  void SetClassOrder(const std::vector<std::string>& most_important_first);

  // Changes nothing that a later call sees: asking twice gives the same. What earlier calls
  // worked out of the cluster is kept; a call costs O(jobs + nodes), and for each job that
  // waits O(log nodes) and the search of the few nodes that may be cheapest. 5,000 nodes,
  // 20,000 running and 500 waiting jobs: some 10 ms at first, 3 ms after a change
  // (bench/preemption_bench).
  // next_wake is sound: until then no job with one pod that was not placed can be.
  // Gangs: the least cost where up to 14 jobs may be evicted for them. Where more, the best
  // of several ways to go node by node or pod by pod; of random gangs small enough to know
  // the optimum 99.9 % are planned at it or within 1 % (preemption_gangs_test), but there is
  // no bound, and where budgets are tight one may be missed.
  // The search of one node ends after 20,000 steps, that of places for pods of several
  // sizes after 50,000.
  v1::PreemptionPlan Plan(TimePoint now);

  // `placement`, of the newest plan, is being carried out: its room is held for its job
  // until that runs (PutJob says so), is removed, or hold_seconds have passed; its
  // victims count against budgets and rates from `now` on. NOT_FOUND where a job or node
  // is gone since.
  absl::Status Commit(const v1::Placement& placement, TimePoint now);
  // The hold of `job` ends; victims that `Commit` charged and that still run (their
  // eviction was refused) are charged no more. Nothing where there is none.
  void Abandon(std::string_view job);

  v1::PlannerState Snapshot() const;
  // INVALID_ARGUMENT, and nothing changes, where the message contradicts itself. Holds
  // and evictions of jobs that are not known (yet) are kept until they pass.
  absl::Status Restore(const v1::PlannerState& state);

 private:
  class Impl;
  explicit PreemptionPlanner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One plan from nothing. What Put would refuse is left out and named in the remarks (a
// job that waits, as INVALID among the unplaced). INVALID_ARGUMENT for the policy alone.
absl::StatusOr<v1::PreemptionPlan> PlanPreemption(const v1::Cluster& cluster,
                                                  const v1::PreemptionPolicy& policy,
                                                  TimePoint now);

}  // namespace precedent

#endif  // PRECEDENT_PREEMPTION_H_
