// What the ClusterReader keeps of pods, nodes and budgets.
#ifndef PRECEDENT_SRC_KUBERNETES_CLUSTER_OBJECTS_H_
#define PRECEDENT_SRC_KUBERNETES_CLUSTER_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "precedent/kubernetes_cluster.h"
#include "precedent/v1/decision.pb.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/kubernetes/describe.h"
#include "src/kubernetes/selector.h"

namespace precedent::kubernetes {

struct PodRecord {
  PodIdentity identity;
  std::string node;   // empty: none yet
  std::string group;  // value of a gang key; empty: for itself
  Labels labels;
  std::optional<std::int64_t> gpu_milli;  // absent: cannot be counted
  bool rounded = false;                   // gpu_milli is more than it holds
  bool gated = false;
  bool stopping = false;
  bool guarded = false;           // never a victim
  bool scheduler_preempts = false;  // preemptionPolicy is not Never
  std::string own_class;          // spec.priorityClassName
  absl::Time submitted;
  absl::Time started;
  std::optional<absl::Time> last_checkpoint;
  double checkpoint_interval = 0;
  std::int32_t evictions = 0;
  Constraint constraint;  // of one without node
  // Of the decision.
  std::int32_t priority = 0;
  std::int32_t preemption_priority = 0;
  std::string priority_class;
  bool preemptible = false;
  bool never_preempt_others = false;
};

struct NodeRecord {
  std::string name;
  std::int64_t gpus = 0;
  bool unschedulable = false;
  Labels labels;  // with kNodeNameKey
  std::vector<Taint> taints;
  std::vector<std::string> devices;  // resource names
};

struct BudgetRecord {
  std::string namespace_name;
  std::string name;
  bool selects = false;  // it has a selector
  Selector selector;
  std::int64_t allowed = 0;  // pods
};

// What is wrong is an error of `document`. `now` is the latest time that anything has.

// Nothing where the pod has ended, holds no devices, or stops without a node.
std::optional<PodRecord> ReadPod(const adapter::Options& options,
                                 const std::vector<std::string>& gang_keys,
                                 const DeviceClaims& claims, const Evaluator& evaluator,
                                 TimePoint now, json::Value pod, const json::Document& document);
NodeRecord ReadNode(const adapter::Options& options, json::Value node);
BudgetRecord ReadBudget(json::Value budget);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_CLUSTER_OBJECTS_H_
