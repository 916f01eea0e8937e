// From placements to orders, and what becomes of orders that were not carried out.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_ORDERS_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_ORDERS_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "history.h"
#include "precedent/kubernetes_cluster.h"
#include "precedent/time.h"
#include "precedent/v1/cluster.pb.h"
#include "state.h"

namespace precedent::descheduler {

// The cluster, by name. Borrows the reading.
class ClusterIndex {
 public:
  explicit ClusterIndex(const kubernetes::ClusterReading& reading);

  enum class Pod { kGone, kStopping, kRuns, kWaits };
  Pod Find(const std::string& uid) const;
  // Null where there is none.
  const v1::ClusterJob* Job(const std::string& id) const;
  bool Waits(const std::string& id) const;

 private:
  std::unordered_map<std::string, const v1::ClusterJob*> jobs_;
  std::unordered_map<std::string, Pod> pods_;
};

// Who may be evicted for whom, as far as that can have changed since it was planned.
struct Rules {
  const v1::PreemptionPolicy& policy;
  std::vector<std::string> class_order;  // most important first

  bool MayLeave(const v1::ClusterJob& victim, const v1::ClusterJob& preemptor) const;
};

// `placement` has victims. Victims that a PodDisruptionBudget selects come first: they are
// those that may be refused.
Order MakeOrder(const v1::Placement& placement, const kubernetes::ClusterReading& reading,
                const ClusterIndex& index, const History& history, TimePoint now);

struct Settled {
  std::vector<Order> complete;       // go on with these; only pods that still run are in them
  std::vector<OrderPod> left;        // pods of orders that stop or are gone
  std::vector<std::string> waiting;  // jobs for whom nobody else is evicted for now
};

// What is to be done with `state->orders`, once the cluster was listed anew: an order goes on
// as long as its room is held, its job waits and its victims may still leave. Of all others
// the hold ends, and victims that were not evicted are charged no more; half-done ones stay
// in `state->orders` (as do those that go on) until the pods that stop are gone.
Settled Settle(const ClusterIndex& index, const Rules& rules, TimePoint now, State* state);

// Of the labels in `planner` only those stay that a budget of `policy` looks at.
void TrimLabels(const v1::PreemptionPolicy& policy, v1::PlannerState* planner);

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_ORDERS_H_
