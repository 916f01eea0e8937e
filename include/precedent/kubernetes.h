// Kubernetes objects to job descriptors, and admission reviews to their answers.
//
// Target precedent::kubernetes. No function here throws, prints or aborts.
#ifndef PRECEDENT_KUBERNETES_H_
#define PRECEDENT_KUBERNETES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/described_job.h"
#include "precedent/evaluator.h"
#include "precedent/time.h"
#include "precedent/v1/adapter.pb.h"
#include "precedent/v1/decision.pb.h"
#include "precedent/v1/lineage.pb.h"

namespace precedent::kubernetes {

// The ResourceClaims and ResourceClaimTemplates (resource.k8s.io) that the objects
// of one input may name. A value; copies share what was added before. Not safe for
// use while Add runs.
class DeviceClaims {
 public:
  // One claim or template as JSON bytes; of the same kind, namespace and name the
  // last counts. INVALID_ARGUMENT names the path of what is wrong; UNIMPLEMENTED for
  // any other object. Linear in the bytes.
  absl::Status Add(std::string_view json);

  // Whether an object of that apiVersion and kind is for Add.
  static bool IsClaim(std::string_view api_version, std::string_view kind);

  class Table;  // of the implementation
  const Table* table() const { return table_.get(); }

 private:
  std::shared_ptr<Table> table_;
};

// What a review asked and what was answered, for logs and metrics. Owns everything.
struct ReviewRecord {
  // OK, or what was wrong with the body (answered all the same, see Review).
  absl::Status status;
  std::string uid;        // of the request, as far as the body has it
  std::string operation;  // `CREATE`, ...; empty where the body has none
  std::string user;       // who asked
  bool allowed = true;
  bool patched = false;  // the answer has a patch
  // Set where a priority was derived, or the fallback taken; not where the object was
  // none of the adapter's business or is right as it is.
  std::optional<v1::Decision> decision;
};

// Maps fields and nothing else. Immutable after Create: one adapter serves any
// number of threads, without a lock. Copies share their tables, and memory to read
// texts with: a call takes what another left, at most 16 pieces of about 1 MiB stay.
class Adapter {
 public:
  // INVALID_ARGUMENT, naming the option, when the options contradict themselves.
  static absl::StatusOr<Adapter> Create(const v1::AdapterOptions& options = {});

  // One object as JSON bytes (UTF-8, at most 7 MiB, depth 64): a Pod, Job, CronJob,
  // Deployment, StatefulSet, ReplicaSet, DaemonSet, JobSet, LeaderWorkerSet, PyTorchJob,
  // TFJob, MPIJob, XGBoostJob, PaddleJob, RayJob, RayCluster, RayService, Volcano Job
  // or Kueue Workload, or an AdmissionReview request with one of these (its oldObject
  // where there is no object). Copies what it needs. INVALID_ARGUMENT names the path
  // in the object of what is wrong, a key given twice and a NUL included; UNIMPLEMENTED
  // names the group and kind of an object that this adapter does not know. Linear in
  // the bytes.
  //
  // - devices and gpu_count are those of all pods wanted at once (Job: the smaller
  //   of parallelism and completions; Ray: replicas times numOfHosts), by Kubernetes'
  //   own rule for init containers. Devices by claim count in gpu_count alone, by the
  //   weight of their device class, else 1, where `claims` has the claim; else
  //   gpu_count is absent, with a remark. So it is for a DaemonSet.
  // - labels: the object's labels, its annotations, then the labels and annotations
  //   of its pod template; the first of a key counts. kubectl's copy of the object
  //   (last-applied-configuration) and what Review writes are left out.
  // - claimed: what came from labels and annotations and no binding confirmed, and
  //   the requested class.
  // - workload_type: by key, else by kind (RayService: inference; PyTorchJob and its
  //   like: training), else by the owner or the labels of notebooks and model servers.
  // - max_runtime_seconds: the shortest of the metadata's and activeDeadlineSeconds.
  // - name: `namespace/name`, or `namespace/prefix-*` where only generateName is
  //   given. lineage_key: `namespace/kind/name` of the owning controller, else of
  //   the Job that a pod's label names, else of the object; empty where it has
  //   neither owner nor name. Pods of an indexed Job add `/index`.
  // - Of a review: its namespace wins over the object's, its user and groups are
  //   verified and may be bound.
  absl::StatusOr<DescribedJob> Describe(std::string_view json,
                                        const DeviceClaims& claims = {}) const;

  // What a job went through, as far as one state of its object tells: its submission
  // first, then what became of it. An object as Describe takes it, with uid and
  // creationTimestamp, or an event of a watch about one (`kubectl get -w
  // --output-watch-events -o json`). Telling the same thing twice is harmless to a
  // LineageGraph, so every state of an object may be read.
  //
  // A pod is a job, and so is a Job: their ids are their uids, their owner is their
  // namespace, and the lineage_key lets a pod that replaces another, and a Job of the
  // same name, count as retries. Rules, the first that holds:
  // - A pod's attempts are the starts of the container that restarted most; what ended
  //   an attempt before the newest is what lastState says.
  // - Condition DisruptionTarget (pod API, "Pod disruption conditions"):
  //   PreemptionByScheduler and EvictionByEvictionAPI are PREEMPTED; any other reason
  //   (DeletionByTaintManager, DeletionByPodGC, TerminationByKubelet) is FAILED by
  //   INFRASTRUCTURE. It tells of a pod that is still stopping.
  // - deletionTimestamp of a pod that had not ended when somebody asked for that, and
  //   a watch's DELETED: CANCELLED.
  // - Phase Succeeded: SUCCEEDED. Phase Failed: status.reason Preempting is PREEMPTED;
  //   DeadlineExceeded and Evicted for passing its own limits are FAILED by OWN fault;
  //   NodeLost, Terminated, Shutdown, NodeShutdown, NodeAffinity, UnexpectedAdmissionError
  //   and OutOf* are FAILED by INFRASTRUCTURE; then a container's exit code that is not 0
  //   (OOMKilled is one) is OWN, but for ContainerStatusUnknown, which is
  //   INFRASTRUCTURE; then nobody can tell.
  // - Job: startTime is STARTED; condition Complete (or SuccessCriteriaMet) is SUCCEEDED;
  //   Failed (or FailureTarget) is FAILED by OWN fault (its pods failed too often, ran
  //   into its deadline, or ended as its podFailurePolicy forbids): let that policy
  //   ignore DisruptionTarget, or preempted pods count here.
  // - Of any other kind the submission alone.
  // INVALID_ARGUMENT, UNIMPLEMENTED as Describe. Linear in the bytes.
  absl::StatusOr<std::vector<v1::LineageEvent>> Events(std::string_view json,
                                                       const DeviceClaims& claims = {}) const;

  // The answer (AdmissionReview, one line of JSON) to the body of an AdmissionReview
  // request, v1 or v1beta1. There always is one: it repeats apiVersion and uid, on
  // errors too, as far as the body has them. Linear in the bytes; a body over 7 MiB
  // is refused before it is parsed.
  //
  // `evaluator` may be null: the decision is then the fallback of the options. A body
  // that cannot be read is answered with the policy's fallback and a warning, or denied,
  // as deny_undecodable says. `*record`, where given, says what happened.
  //
  // Patched is only the CREATE of a known object that can hold a device (unless
  // devices_only is off), outside kube-system and without a `system-` class; whatever
  // else is allowed as it is. What the targets do, as a real API server 1.36 accepts it:
  // - PRIORITY_CLASS: of the pod, or of each template. The integer and the preemption
  //   policy that the built-in plugin filled in for another class go, so that it fills
  //   in those of the new one. An object whose class is right is left alone; a template
  //   gets a stamp with the number and the policy, which its pods keep where the user
  //   is a trusted controller. never_preempt_others, and a preemptionPolicy Never in the
  //   object, ask for the class `<class>-nonpreempting`.
  // - KUEUE_PRIORITY_CLASS, HYPERPOD: the label kueue.x-k8s.io/priority-class of the
  //   object, HYPERPOD with `-priority` after the class; not of a pod that a controller
  //   owns. KUEUE_BOOST: the annotation of a Workload that brings its priority to the
  //   derived one. ANNOTATION: the number alone.
  // - A runtime limit of the policy becomes activeDeadlineSeconds of a pod or Job where
  //   that is shorter; never of servers, and not where ANNOTATION is the only target.
  // The texts that a policy's `annotate` asks for are no part of an object: whoever wants
  // them finds them in the Decision.
  // The answer is a function of the body, the options, the policy and `now` alone, and
  // answering the patched object again patches nothing.
  std::string Review(std::string_view body, const Evaluator* evaluator, TimePoint now,
                     ReviewRecord* record = nullptr) const;

 private:
  class Impl;
  explicit Adapter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_KUBERNETES_H_
