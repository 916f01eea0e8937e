#include "src/kubernetes/kinds.h"

#include "absl/strings/str_cat.h"

namespace precedent::kubernetes {
namespace {

constexpr std::string_view kTraining = "training";
constexpr std::string_view kInference = "inference";
constexpr std::string_view kInteractive = "interactive";

constexpr Role kPod[] = {{"", "", "", ""}};
constexpr Role kJob[] = {{"", "", "spec", "spec.template"}};
constexpr Role kCronJob[] = {{"", "", "spec.jobTemplate.spec", "spec.jobTemplate.spec.template"}};
// Deployment, StatefulSet, ReplicaSet; a DaemonSet has no replicas, hence 1.
constexpr Role kReplicated[] = {{"", "spec.replicas", "", "spec.template"}};
constexpr Role kJobSet[] = {
    {"spec.replicatedJobs", "replicas", "template.spec", "template.spec.template"}};
// The first pod of each group may have a template of its own.
constexpr Role kLeaderWorkerSet[] = {
    {"", "spec.replicas", "", "spec.leaderWorkerTemplate.leaderTemplate", "", 1, "", 0,
     "spec.leaderWorkerTemplate.workerTemplate"},
    {"", "spec.replicas", "", "spec.leaderWorkerTemplate.workerTemplate", "", 1,
     "spec.leaderWorkerTemplate.size", 1}};
constexpr Role kPyTorchJob[] = {{"spec.pytorchReplicaSpecs", "replicas", "", "template"}};
constexpr Role kTfJob[] = {{"spec.tfReplicaSpecs", "replicas", "", "template"}};
constexpr Role kMpiJob[] = {{"spec.mpiReplicaSpecs", "replicas", "", "template"}};
constexpr Role kXgBoostJob[] = {{"spec.xgbReplicaSpecs", "replicas", "", "template"}};
constexpr Role kPaddleJob[] = {{"spec.paddleReplicaSpecs", "replicas", "", "template"}};
// Ray starts no worker that neither replicas nor minReplicas asks for; one replica
// is a group of numOfHosts pods.
constexpr Role kRayCluster[] = {
    {"", "", "", "spec.headGroupSpec.template"},
    {"spec.workerGroupSpecs", "replicas", "", "template", "minReplicas", 0, "numOfHosts"}};
constexpr Role kRayJob[] = {{"", "", "", "spec.rayClusterSpec.headGroupSpec.template"},
                            {"spec.rayClusterSpec.workerGroupSpecs", "replicas", "", "template",
                             "minReplicas", 0, "numOfHosts"}};
constexpr Role kRayService[] = {{"", "", "", "spec.rayClusterConfig.headGroupSpec.template"},
                                {"spec.rayClusterConfig.workerGroupSpecs", "replicas", "",
                                 "template", "minReplicas", 0, "numOfHosts"}};
constexpr Role kVolcanoJob[] = {{"spec.tasks", "replicas", "", "template"}};
constexpr Role kWorkload[] = {{"spec.podSets", "count", "", "template"}};

constexpr std::string_view kRunPolicyDeadline = "spec.runPolicy.activeDeadlineSeconds";
constexpr std::string_view kRunPolicyGang = "spec.runPolicy.schedulingPolicy.minAvailable";

constexpr Kind KubeflowJob(std::string_view kind, Span<const Role> roles) {
  return {"kubeflow.org",
          kind,
          kind,
          roles,
          kGang,
          kTraining,
          kRunPolicyDeadline,
          "",
          kRunPolicyGang,
          "spec.runPolicy.schedulingPolicy.queue"};
}

constexpr Kind kKinds[] = {
    {"", "Pod", "Pod", kPod},
    {"batch", "Job", "Job", kJob},
    {"batch", "CronJob", "CronJob", kCronJob, 0, "", "", "spec.jobTemplate.metadata"},
    {"apps", "Deployment", "Deployment", kReplicated, kServer},
    {"apps", "StatefulSet", "StatefulSet", kReplicated, kServer},
    {"apps", "ReplicaSet", "ReplicaSet", kReplicated, kServer},
    {"apps", "DaemonSet", "DaemonSet", kReplicated, kServer | kPerNode},
    {"jobset.x-k8s.io", "JobSet", "JobSet", kJobSet, kGang},
    // A group of pods at a time: one of them is no use, the others go on without it.
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "LeaderWorkerSet", kLeaderWorkerSet,
     kGang | kServer, "", "", "", "spec.leaderWorkerTemplate.size"},
    KubeflowJob("PyTorchJob", kPyTorchJob),
    KubeflowJob("TFJob", kTfJob),
    KubeflowJob("MPIJob", kMpiJob),
    KubeflowJob("XGBoostJob", kXgBoostJob),
    KubeflowJob("PaddleJob", kPaddleJob),
    {"ray.io", "RayJob", "RayJob", kRayJob, 0, "", "spec.activeDeadlineSeconds"},
    {"ray.io", "RayCluster", "RayCluster", kRayCluster},
    {"ray.io", "RayService", "RayService", kRayService, kServer, kInference},
    {"batch.volcano.sh", "Job", "Job.batch.volcano.sh", kVolcanoJob, kGang, "", "", "",
     "spec.minAvailable", "spec.queue", "spec"},
    {"kueue.x-k8s.io", "Workload", "Workload", kWorkload, kGang | kCopy, "",
     "spec.maximumExecutionTimeSeconds", "", "", "spec.queueName"},
};

struct OwnerType {
  std::string_view group;
  std::string_view kind;
  std::string_view workload_type;
};
constexpr OwnerType kOwners[] = {
    {"kubeflow.org", "Notebook", kInteractive},
    {"serving.kserve.io", "InferenceService", kInference},
    {"serving.kserve.io", "LLMInferenceService", kInference},
    {"machinelearning.seldon.io", "SeldonDeployment", kInference},
    {"serving.knative.dev", "Revision", kInference},
};

}  // namespace

const Kind* FindKind(std::string_view group, std::string_view kind) {
  for (const Kind& row : kKinds) {
    if (row.group == group && row.kind == kind) return &row;
  }
  return nullptr;
}

std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::string_view WorkloadTypeOfOwner(std::string_view group, std::string_view kind) {
  if (const Kind* row = FindKind(group, kind); row != nullptr) return row->workload_type;
  for (const OwnerType& owner : kOwners) {
    if (owner.group == group && owner.kind == kind) return owner.workload_type;
  }
  return {};
}

std::string KnownKinds() {
  std::string text;
  for (const Kind& row : kKinds) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", std::string(row.kind),
                    row.group.empty() ? "" : ".", std::string(row.group));
  }
  return text;
}

}  // namespace precedent::kubernetes
