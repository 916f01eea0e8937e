// What one round knows.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_ROUND_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_ROUND_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster_source.h"
#include "descheduler.h"
#include "history.h"
#include "orders.h"
#include "precedent/live_evaluator.h"
#include "precedent/preemption.h"
#include "state.h"

namespace precedent::descheduler {

struct Descheduler::Round {
  explicit Round(LiveEvaluator::Guard policy) : guard(std::move(policy)) {}

  LiveEvaluator::Guard guard;
  State state;
  std::string before;  // content of the state as it was read
  std::optional<History> history;
  ClusterLists lists;
  std::optional<ClusterIndex> index;
  TimePoint now{};
  v1::PreemptionPolicy policy;  // with the budgets of the cluster
  std::vector<std::string> class_order;
  std::optional<PreemptionPlanner> planner;
  v1::PreemptionPlan plan;
  std::vector<Order> orders;  // to be carried out
  std::size_t deferred = 0;
  std::size_t evicted = 0;
  bool standby = false;
};

// All of a state but who has it.
std::string ContentOf(State state);

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_ROUND_H_
