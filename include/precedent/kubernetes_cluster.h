// ClusterReader: a cluster for the preemption planner out of Kubernetes objects.
//
//   auto reader = precedent::kubernetes::ClusterReader::Create({}, evaluator, now);
//   while (...) reader->Read(bytes);      // `kubectl get pods,nodes -A -o json`, in pieces
//   reader->EndOfText();
//   ClusterReading reading = std::move(*reader).Finish();
//   auto plan = precedent::PlanPreemption(reading.cluster, policy, now);
//
// What becomes what:
// - A pod that holds GPUs (by the adapter's own count) is a job; its decision is the
//   policy's, whatever class the pod has. Pods without GPUs and pods that have ended are
//   left out. Id: the uid.
// - Pods of one namespace with one value of a gang key (ClusterOptions) are one job,
//   `namespace/value`. A running gang counts by its most important pod, one that waits by
//   its least important. While pods of a gang stop and others have not started, only the
//   former are told: the gang is planned for when its old pods are gone.
// - A pod waits where it has no node, is Pending and has no scheduling gate; it stops
//   where it has a deletionTimestamp or the condition DisruptionTarget.
// - started: of the container that restarted most, else status.startTime, else when the
//   pod was bound. last_checkpoint: the annotation `precedent.dev/last-checkpoint` (RFC
//   3339) of the pod; a gang's is the latest. A time after `now` counts as now.
// - Never victims: pods of DaemonSets, mirror pods, pods that no controller owns (nobody
//   would make them again) unless they are preemptible by their own word, pods with
//   `karpenter.sh/do-not-disrupt: "true"` or
//   `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`, pods that several
//   PodDisruptionBudgets select (the API server evicts none of those), and classes
//   `system-*` of the pods themselves.
// - Where a pod may run: nodeSelector, required node affinity, taints NoSchedule and
//   NoExecute, and the devices' resource names; all in one label that the reader gives
//   nodes and jobs. Affinity between pods, spread and other resources are not looked at.
// - A node's GPUs are its allocatable devices, weighed as the adapter weighs them. A node
//   that is cordoned or not ready, or runs a pod whose GPUs cannot be counted (DRA
//   without its claim), takes no new pods.
// - A PodDisruptionBudget is a budget of as many jobs as its disruptionsAllowed are
//   sure to cover.
// ResourceClaims and their templates must come before the pods that name them.
//
// Target precedent::kubernetes. No function throws (but std::bad_alloc), prints or aborts.
#ifndef PRECEDENT_KUBERNETES_CLUSTER_H_
#define PRECEDENT_KUBERNETES_CLUSTER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/evaluator.h"
#include "precedent/time.h"
#include "precedent/v1/adapter.pb.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::kubernetes {

struct ClusterOptions {
  v1::AdapterOptions adapter;
  // Labels, else annotations, of pods that say which gang they belong to; the first that
  // a pod has counts. Empty: scheduling.x-k8s.io/pod-group,
  // pod-group.scheduling.sigs.k8s.io, scheduling.k8s.io/group-name (Volcano) and
  // kueue.x-k8s.io/pod-group-name.
  std::vector<std::string> gang_keys;
};

// A pod as the eviction API names it.
struct PodIdentity {
  std::string namespace_name;
  std::string name;
  std::string uid;
};

struct ClusterReading {
  v1::Cluster cluster;  // without class_order, which is the policy's
  // Of the PodDisruptionBudgets, to be added to those of the PreemptionPolicy.
  std::vector<v1::DisruptionBudget> budgets;
  // What was left out or assumed, with a count and one example each.
  std::vector<std::string> remarks;
  // Of every job of the cluster, by job id, in the order of its pods.
  std::map<std::string, std::vector<PodIdentity>> pods;
};

// What a list says of itself.
struct ListMetadata {
  std::string resource_version;
  std::string next;  // where its next page begins; empty: this was the last
};

// Keeps what it needs of pods with GPUs, of nodes and budgets: some 3 KiB a pod, its job and
// its plan together. Memory does not depend on the other objects, nor on the length of a
// text. Not thread-safe.
class ClusterReader {
 public:
  // INVALID_ARGUMENT names the option that contradicts another. `evaluator` outlives the
  // reader.
  static absl::StatusOr<ClusterReader> Create(const ClusterOptions& options,
                                              const Evaluator& evaluator, TimePoint now);
  ClusterReader(ClusterReader&&) noexcept;
  ClusterReader& operator=(ClusterReader&&) noexcept;
  ~ClusterReader();

  // One Pod, Node, PodDisruptionBudget, PriorityClass, ResourceClaim or
  // ResourceClaimTemplate as JSON of at most 7 MiB; objects of other kinds are counted and
  // left out. INVALID_ARGUMENT names the path of what is wrong; the object is then left
  // out and nothing else changes. Linear in the bytes.
  absl::Status Add(std::string_view json);

  // The next bytes of a text that holds objects, `List`s and typed lists (whose kind
  // comes before its items), one after the other; in pieces of any size. Linear.
  void Read(std::string_view bytes);
  // The text ends here; another may follow.
  void EndOfText();
  // Of the list that ended last.
  const ListMetadata& list() const;
  // What was wrong with texts since the last call, such as `items[3] (`team/pod`): ...`;
  // the first thousand, and how many more.
  std::vector<std::string> TakeProblems();

  ClusterReading Finish() &&;

 private:
  class Impl;
  explicit ClusterReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// `Eviction` (policy/v1) of a pod: one line of JSON. It is refused where the pod of that
// name has another uid meanwhile, and, where `resource_version` is not empty, where it has
// changed since that.
std::string EvictionJson(const PodIdentity& pod, std::string_view resource_version = {});

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_KUBERNETES_CLUSTER_H_
