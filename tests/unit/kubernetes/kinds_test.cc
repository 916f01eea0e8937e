// Every kind of the table: pods at once, devices, gang, workload type.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// `$` stands for a pod template with one GPU, `%` for one without.
std::string Expand(std::string text) {
  const std::string gpu =
      R"({"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}})";
  for (std::size_t i; (i = text.find('$')) != std::string::npos;) text.replace(i, 1, gpu);
  for (std::size_t i; (i = text.find('%')) != std::string::npos;) {
    text.replace(i, 1, R"({"spec":{"containers":[{}]}})");
  }
  return text;
}

DescribedJob Describe(const std::string& api_version, const std::string& kind,
                      const std::string& spec) {
  return MustDescribe(Expand(R"({"apiVersion":")" + api_version + R"(","kind":")" + kind +
                             R"(","metadata":{"name":"a"},"spec":{)" + spec + "}}"));
}

struct Row {
  const char* api_version;
  const char* kind;
  const char* name;  // as JobDescriptor.kind has it
  const char* spec;
  double pods;
  double gpus;
  int gang;
  const char* workload_type;
};

const Row kRows[] = {
    {"batch/v1", "Job", "Job", R"("template":$)", 1, 1, 1, ""},
    {"batch/v1", "Job", "Job", R"("parallelism":4,"completions":3,"template":$)", 3, 3, 1, ""},
    {"batch/v1", "Job", "Job", R"("parallelism":4,"template":$)", 4, 4, 1, ""},
    {"batch/v1", "Job", "Job", R"("parallelism":0,"template":$)", 0, 0, 1, ""},
    {"batch/v1", "CronJob", "CronJob",
     R"("jobTemplate":{"spec":{"parallelism":3,"completions":2,"template":$}})", 2, 2, 1, ""},
    {"apps/v1", "Deployment", "Deployment", R"("replicas":3,"template":$)", 3, 3, 1, ""},
    {"apps/v1", "StatefulSet", "StatefulSet", R"("template":$)", 1, 1, 1, ""},
    {"apps/v1", "ReplicaSet", "ReplicaSet", R"("replicas":0,"template":$)", 0, 0, 1, ""},
    {"jobset.x-k8s.io/v1alpha2", "JobSet", "JobSet",
     R"("replicatedJobs":[{"replicas":2,"template":{"spec":{"parallelism":3,"template":$}}},)"
     R"({"template":{"spec":{"template":%}}}])",
     7, 6, 7, ""},
    {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "LeaderWorkerSet",
     R"("replicas":2,"leaderWorkerTemplate":{"size":4,"workerTemplate":$})", 8, 8, 4, ""},
    {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "LeaderWorkerSet",
     R"("replicas":2,"leaderWorkerTemplate":{"size":4,"leaderTemplate":%,"workerTemplate":$})", 8,
     6, 4, ""},
    {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "LeaderWorkerSet",
     R"("leaderWorkerTemplate":{"workerTemplate":$})", 1, 1, 1, ""},
    {"kubeflow.org/v1", "PyTorchJob", "PyTorchJob",
     R"("pytorchReplicaSpecs":{"Master":{"template":$},"Worker":{"replicas":3,"template":$}})", 4,
     4, 4, "training"},
    {"kubeflow.org/v1", "PyTorchJob", "PyTorchJob",
     R"("runPolicy":{"schedulingPolicy":{"minAvailable":2}},)"
     R"("pytorchReplicaSpecs":{"Worker":{"replicas":3,"template":$}})",
     3, 3, 2, "training"},
    {"kubeflow.org/v1", "TFJob", "TFJob",
     R"("tfReplicaSpecs":{"PS":{"template":%},"Worker":{"replicas":2,"template":$}})", 3, 2, 3,
     "training"},
    {"kubeflow.org/v1", "MPIJob", "MPIJob", R"("mpiReplicaSpecs":{"Worker":{"template":$}})", 1, 1,
     1, "training"},
    {"kubeflow.org/v2beta1", "MPIJob", "MPIJob",
     R"("mpiReplicaSpecs":{"Launcher":{"template":%},"Worker":{"replicas":2,"template":$}})", 3, 2,
     3, "training"},
    {"kubeflow.org/v1", "XGBoostJob", "XGBoostJob",
     R"("xgbReplicaSpecs":{"Master":{"template":$}})", 1, 1, 1, "training"},
    {"kubeflow.org/v1", "PaddleJob", "PaddleJob",
     R"("paddleReplicaSpecs":{"Worker":{"replicas":2,"template":$}})", 2, 2, 2, "training"},
    {"ray.io/v1", "RayCluster", "RayCluster",
     R"("headGroupSpec":{"template":%},"workerGroupSpecs":[)"
     R"({"replicas":2,"numOfHosts":4,"template":$},{"minReplicas":1,"template":$},{"template":$}])",
     10, 9, 1, ""},
    {"ray.io/v1", "RayJob", "RayJob",
     R"("rayClusterSpec":{"headGroupSpec":{"template":$},"workerGroupSpecs":[]})", 1, 1, 1, ""},
    {"ray.io/v1", "RayService", "RayService",
     R"("rayClusterConfig":{"headGroupSpec":{"template":%},"workerGroupSpecs":[)"
     R"({"replicas":2,"template":$}]})",
     3, 2, 1, "inference"},
    {"batch.volcano.sh/v1alpha1", "Job", "Job.batch.volcano.sh",
     R"("tasks":[{"replicas":2,"template":$},{"template":%}])", 3, 2, 3, ""},
    {"batch.volcano.sh/v1alpha1", "Job", "Job.batch.volcano.sh",
     R"("minAvailable":2,"tasks":[{"replicas":5,"template":$}])", 5, 5, 2, ""},
    {"kueue.x-k8s.io/v1beta1", "Workload", "Workload",
     R"("podSets":[{"count":3,"template":$},{"template":%}])", 4, 3, 4, ""},
};

TEST(EveryKind, PodsDevicesGangAndType) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(std::string(row.kind) + " " + row.spec);
    const DescribedJob job = Describe(row.api_version, row.kind, row.spec);
    EXPECT_EQ(job.job.kind(), row.name);
    EXPECT_EQ(job.job.pod_count(), row.pods);
    EXPECT_EQ(job.job.gpu_count(), row.gpus);
    EXPECT_EQ(job.gang_pods, row.gang);
    EXPECT_EQ(job.job.workload_type(), row.workload_type);
    EXPECT_THAT(job.remarks, ElementsAre());
  }
}

TEST(EveryKind, DaemonSetsDoNotSayHowMany) {
  DescribedJob job = Describe("apps/v1", "DaemonSet", R"("template":$)");
  EXPECT_FALSE(job.job.has_pod_count());
  EXPECT_FALSE(job.job.has_gpu_count());
  EXPECT_THAT(job.remarks, ElementsAre(HasSubstr("one pod for each node")));
  job = Describe("apps/v1", "DaemonSet", R"("template":%)");
  EXPECT_EQ(job.job.gpu_count(), 0);
  EXPECT_THAT(job.remarks, ElementsAre());
}

TEST(EveryKind, DeadlinesAndQueues) {
  EXPECT_EQ(Describe("batch/v1", "CronJob",
                     R"("jobTemplate":{"spec":{"activeDeadlineSeconds":60,"template":$}})")
                .job.max_runtime_seconds(),
            60);
  EXPECT_EQ(Describe("kubeflow.org/v1", "PyTorchJob",
                     R"("runPolicy":{"activeDeadlineSeconds":70},"pytorchReplicaSpecs":{})")
                .job.max_runtime_seconds(),
            70);
  EXPECT_EQ(Describe("jobset.x-k8s.io/v1alpha2", "JobSet",
                     R"("replicatedJobs":[{"template":{"spec":{"template":$}}},)"
                     R"({"template":{"spec":{"activeDeadlineSeconds":80,"template":$}}}])")
                .job.max_runtime_seconds(),
            80);
  EXPECT_EQ(Describe("kueue.x-k8s.io/v1beta1", "Workload",
                     R"("maximumExecutionTimeSeconds":90,"queueName":"q","podSets":[])")
                .job.max_runtime_seconds(),
            90);
  EXPECT_EQ(Describe("kueue.x-k8s.io/v1beta1", "Workload", R"("queueName":"q")").job.queue(), "q");
  EXPECT_EQ(Describe("batch.volcano.sh/v1alpha1", "Job", R"("queue":"v")").job.queue(), "v");
}

TEST(EveryKind, MetadataBetween) {
  const DescribedJob job = MustDescribe(
      R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{"labels":{"a":"1"}},"spec":)"
      R"({"jobTemplate":{"metadata":{"labels":{"a":"2","team":"nlp"}},"spec":{"template":)"
      R"({"metadata":{"labels":{"team":"x","b":"3"}}}}}}})");
  EXPECT_EQ(job.job.team(), "nlp");
  EXPECT_EQ(job.job.labels().at("a"), "1");
  EXPECT_EQ(job.job.labels().at("b"), "3");
}

TEST(WorkloadType, LabelThenKindThenOwner) {
  const auto type = [](const std::string& metadata) {
    return MustDescribe(Pod(metadata)).job.workload_type();
  };
  const auto owner = [](const std::string& api_version, const std::string& kind) {
    return R"("ownerReferences":[{"apiVersion":")" + api_version + R"(","kind":")" + kind +
           R"(","name":"o","controller":true}])";
  };
  EXPECT_EQ(type(""), "");
  EXPECT_EQ(type(owner("kubeflow.org/v1", "PyTorchJob")), "training");
  EXPECT_EQ(type(owner("kubeflow.org/v1", "Notebook")), "interactive");
  EXPECT_EQ(type(owner("serving.kserve.io/v1beta1", "InferenceService")), "inference");
  EXPECT_EQ(type(owner("example.com/v1", "PyTorchJob")), "");
  EXPECT_EQ(type(R"("labels":{"serving.kserve.io/inferenceservice":"m"})"), "inference");
  EXPECT_EQ(type(R"("labels":{"ray.io/originated-from-crd":"RayService"})"), "inference");
  EXPECT_EQ(type(R"("labels":{"ray.io/originated-from-crd":"RayJob"})"), "");
  EXPECT_EQ(type(R"("labels":{"notebook-name":"n"})"), "interactive");
  EXPECT_EQ(type(R"("labels":{"notebook-name":"n","workload":"batch"})"), "batch");
  // What a user can write is a claim; the kind of the object is none.
  EXPECT_TRUE(Claims(MustDescribe(Pod(owner("kubeflow.org/v1", "Notebook"))), v1::WORKLOAD_TYPE));
  EXPECT_FALSE(Claims(Describe("ray.io/v1", "RayService", ""), v1::WORKLOAD_TYPE));
}

}  // namespace
}  // namespace precedent::kubernetes
