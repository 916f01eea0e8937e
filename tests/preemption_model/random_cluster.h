// Random small clusters: tight, so that what may be evicted decides.
#ifndef PRECEDENT_TESTS_PREEMPTION_MODEL_RANDOM_CLUSTER_H_
#define PRECEDENT_TESTS_PREEMPTION_MODEL_RANDOM_CLUSTER_H_

#include <cstdint>
#include <random>
#include <string>

#include "precedent/v1/cluster.pb.h"

namespace precedent::preemption_model {

struct Scenario {
  v1::Cluster cluster;
  v1::PreemptionPolicy policy;
  v1::PlannerState state;

  std::string Text() const;  // as protobuf text
};

inline constexpr std::int64_t kNow = 1'000'000;

class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed) : random_(seed) {}

  // Up to 4 nodes, 12 jobs. What waits: one job of one pod, a gang, or several.
  Scenario Make();
  // Changes no result: another order of all that is a list without order.
  void Shuffle(Scenario* scenario);
  int Below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

 private:
  bool Often(int percent) { return Below(100) < percent; }
  void AddNodes(v1::Cluster* cluster);
  v1::ClusterJob Traits(int number);
  void AddRunning(v1::Cluster* cluster);
  void AddWaiting(v1::Cluster* cluster, int pods);
  v1::PreemptionPolicy Policy();
  void AddState(Scenario* scenario);

  std::mt19937_64 random_;
  std::vector<std::vector<int>> free_;  // by node and device, in thousandths
};

}  // namespace precedent::preemption_model

#endif  // PRECEDENT_TESTS_PREEMPTION_MODEL_RANDOM_CLUSTER_H_
