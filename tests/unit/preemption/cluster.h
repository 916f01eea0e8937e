// Small clusters in few words.
#ifndef PRECEDENT_TESTS_UNIT_PREEMPTION_CLUSTER_H_
#define PRECEDENT_TESTS_UNIT_PREEMPTION_CLUSTER_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/preemption.h"

namespace precedent::preemption_test {

inline constexpr std::int64_t kNow = 1'000'000;
inline TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

inline v1::Node Node(const std::string& name, int gpus) {
  v1::Node node;
  node.set_name(name);
  node.set_gpus(gpus);
  return node;
}

// A pod for each node; an empty name: it waits.
inline v1::ClusterJob Job(const std::string& id, int priority, std::int64_t milli,
                   const std::vector<std::string>& nodes, std::int64_t age = 7200) {
  v1::ClusterJob job;
  job.set_id(id);
  job.set_priority(priority);
  job.set_preemption_priority(priority);
  job.set_checkpoint_interval_seconds(300);
  if (!nodes[0].empty()) job.mutable_started()->set_seconds(kNow - age);
  for (const std::string& node : nodes) {
    v1::ClusterPod* const pod = job.add_pods();
    pod->set_name("p" + std::to_string(job.pods_size()));
    pod->set_gpu_milli(milli);
    pod->set_node(node);
  }
  return job;
}

inline PreemptionPlanner Planner(const std::vector<v1::Node>& nodes,
                          const std::vector<v1::ClusterJob>& jobs,
                          const v1::PreemptionPolicy& policy = {}) {
  auto planner = PreemptionPlanner::Create(policy);
  for (const v1::Node& node : nodes) EXPECT_TRUE(planner->PutNode(node).ok());
  for (const v1::ClusterJob& job : jobs) EXPECT_TRUE(planner->PutJob(job).ok());
  return *std::move(planner);
}

inline std::vector<std::string> Victims(const v1::PreemptionPlan& plan) {
  std::vector<std::string> ids;
  for (const auto& placement : plan.placements())
    for (const auto& victim : placement.victims()) ids.push_back(victim.job());
  return ids;
}

inline v1::Unplaced::Reason Reason(const v1::PreemptionPlan& plan) {
  return plan.unplaced_size() == 1 ? plan.unplaced(0).reason() : v1::Unplaced::REASON_UNSPECIFIED;
}

}  // namespace precedent::preemption_test

#endif  // PRECEDENT_TESTS_UNIT_PREEMPTION_CLUSTER_H_
