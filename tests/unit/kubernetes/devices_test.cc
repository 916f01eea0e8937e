// The device rule, the counting of pods and the weights of devices.
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::HasSubstr;

// A container with limits on GPUs only.
std::string Gpus(const std::string& count, const std::string& more = "") {
  return R"({"resources":{"limits":{"nvidia.com/gpu":")" + count + "\"}}" + more + "}";
}
std::string Sidecar(const std::string& count) {
  return Gpus(count, R"(,"restartPolicy":"Always")");
}

std::string Spec(const std::string& init, const std::string& main, const std::string& more = "") {
  return R"("initContainers":[)" + init + R"(],"containers":[)" + main + "]" + more;
}

double GpuCount(const std::string& json, const v1::AdapterOptions& options = {}) {
  const DescribedJob job = MustDescribe(json, options);
  EXPECT_TRUE(job.job.has_gpu_count());
  return job.job.gpu_count();
}

double PodGpus(const std::string& spec) { return GpuCount(Pod("", spec)); }

// A container with one device of each name.
std::string One(const std::string& name, const std::string& count = "1") {
  return R"({"resources":{"limits":{")" + name + "\":\"" + count + "\"}}}";
}

TEST(DeviceRule, InitContainersRunInOrder) {
  EXPECT_EQ(PodGpus(Spec("", Gpus("1") + "," + Gpus("2"))), 3);
  EXPECT_EQ(PodGpus(Spec(Gpus("4"), Gpus("1"))), 4);
  EXPECT_EQ(PodGpus(Spec(Gpus("4") + "," + Gpus("3"), Gpus("1"))), 4);
  EXPECT_EQ(PodGpus(Spec(Sidecar("1"), Gpus("1"))), 2);
  EXPECT_EQ(PodGpus(Spec(Sidecar("1") + "," + Gpus("2"), Gpus("1"))), 3);
  EXPECT_EQ(PodGpus(Spec(Gpus("2") + "," + Sidecar("1"), Gpus("1"))), 2);
  EXPECT_EQ(PodGpus(Spec(Sidecar("1") + "," + Gpus("3") + "," + Sidecar("2"), Gpus("1"))), 4);
  EXPECT_EQ(PodGpus(Spec(Sidecar("1") + "," + Sidecar("2"), Gpus("4"))), 7);
  EXPECT_EQ(PodGpus(Spec(Gpus("2", R"(,"restartPolicy":"Never")"), Gpus("1"))), 2);
}

TEST(DeviceRule, EachResourceIsOnItsOwn) {
  const DescribedJob job = MustDescribe(
      Pod("", Spec(One("amd.com/gpu", "3"), Gpus("1") + "," + One("amd.com/gpu", "2"))));
  EXPECT_EQ(job.job.devices().at("nvidia.com/gpu"), 1);
  EXPECT_EQ(job.job.devices().at("amd.com/gpu"), 3);
  EXPECT_EQ(job.job.gpu_count(), 4);
}

TEST(DeviceRule, RequestsOrLimits) {
  const auto container = [](const char* requests, const char* limits) {
    return std::string(R"("containers":[{"resources":{"requests":{)") + requests +
           R"(},"limits":{)" + limits + "}}}]";
  };
  EXPECT_EQ(PodGpus(container(R"("nvidia.com/gpu":2)", "")), 2);
  EXPECT_EQ(PodGpus(container("", R"("nvidia.com/gpu":2)")), 2);
  EXPECT_EQ(PodGpus(container(R"("nvidia.com/gpu":"2","cpu":"bad")", R"("nvidia.com/gpu":2)")), 2);
  EXPECT_EQ(
      ErrorOf(Pod("", container(R"("nvidia.com/gpu":1)", R"("nvidia.com/gpu":2)"))),
      "spec.containers[0].resources.limits[\"nvidia.com/gpu\"]: the limit `2` differs from the "
      "request `1`; for a device both must be equal");
  EXPECT_THAT(ErrorOf(Pod("", container(R"("nvidia.com/gpu":0)", R"("nvidia.com/gpu":2)"))),
              HasSubstr("differs"));
}

TEST(DeviceRule, OverheadAddsAndOthersDoNot) {
  EXPECT_EQ(PodGpus(Spec(Gpus("4"), Gpus("1"), R"(,"overhead":{"cpu":"1","nvidia.com/gpu":1})")),
            5);
  EXPECT_EQ(PodGpus(Spec("", Gpus("1"),
                         R"(,"resources":{"limits":{"nvidia.com/gpu":8}},"ephemeralContainers":[)" +
                             Gpus("8") + "]")),
            1);
  EXPECT_EQ(PodGpus(""), 0);
  EXPECT_EQ(MustDescribe(Pod("", Spec("", Gpus("0")))).job.devices().size(), 0u);
}

TEST(DeviceRule, BadQuantitiesNameTheirPlace) {
  for (const char* bad : {"1e30", "-1", "0.5", "9E9E", "", "x", "100m"}) {
    EXPECT_THAT(ErrorOf(Pod("", Spec(Gpus(bad), ""))),
                HasSubstr("spec.initContainers[0].resources.limits[\"nvidia.com/gpu\"]: `"))
        << bad;
  }
  // Shares are counts too.
  EXPECT_NE(ErrorOf(Pod("", Spec("", One("aliyun.com/gpu-mem", "0.5")))), "OK");
}

TEST(DeviceRule, OverflowIsAnError) {
  const std::string most = Gpus("9223372036854775807");
  EXPECT_EQ(ErrorOf(Pod("", Spec("", most))), "OK");
  for (const std::string& spec :
       {Spec("", most + "," + Gpus("1")), Spec(Sidecar("1") + "," + most, ""),
        Spec(Sidecar("1"), most), Spec("", most, R"(,"overhead":{"nvidia.com/gpu":1})")}) {
    EXPECT_THAT(ErrorOf(Pod("", spec)), HasSubstr("more than can be counted"));
  }
  EXPECT_THAT(ErrorOf(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2,)"
                      R"("template":{"spec":{)" +
                      Spec("", most) + "}}}}"),
              HasSubstr("more than can be counted"));
}

TEST(DeviceRule, SumsExactly) {
  // 2^53 + 1 is no double.
  const DescribedJob job =
      MustDescribe(Pod("", Spec("", Gpus("9007199254740992") + "," + Gpus("1"))));
  EXPECT_EQ(job.job.devices().at("nvidia.com/gpu"), 9007199254740993);
}

std::string JobOf(const std::string& members) {
  return R"({"apiVersion":"batch/v1","kind":"Job","spec":{)" + members +
         R"("template":{"spec":{"containers":[)" + Gpus("2") + "]}}}}";
}
std::string DeploymentOf(const std::string& members) {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{)" + members +
         R"("template":{"spec":{"containers":[)" + Gpus("2") + "]}}}}";
}

TEST(PodsAtOnce, JobsAndDeployments) {
  const std::pair<std::string, double> cases[] = {
      {JobOf(""), 1},
      {JobOf(R"("parallelism":3,)"), 3},
      {JobOf(R"("parallelism":3,"completions":2,)"), 2},
      {JobOf(R"("parallelism":3,"completions":9,)"), 3},
      {JobOf(R"("completions":5,)"), 1},
      {JobOf(R"("parallelism":3,"completions":null,)"), 3},
      {JobOf(R"("parallelism":0,)"), 0},
      {JobOf(R"("suspend":true,"parallelism":4,)"), 4},
      {DeploymentOf(""), 1},
      {DeploymentOf(R"("replicas":5,)"), 5},
      {DeploymentOf(R"("replicas":0,)"), 0},
  };
  for (const auto& [json, pods] : cases) {
    const DescribedJob job = MustDescribe(json);
    EXPECT_EQ(job.job.pod_count(), pods) << json;
    EXPECT_EQ(job.job.gpu_count(), 2 * pods) << json;
  }
  EXPECT_EQ(ErrorOf(DeploymentOf(R"("replicas":-1,)")),
            "spec.replicas: `-1` is not between 0 and 2147483647");
  EXPECT_THAT(ErrorOf(JobOf(R"("parallelism":"3",)")),
              HasSubstr("spec.parallelism: must be a whole"));
  EXPECT_THAT(ErrorOf(JobOf(R"("completions":2147483648,)")), HasSubstr("spec.completions: "));
}

// A gang that wants nobody now is no gang of none.
TEST(PodsAtOnce, AGangIsOfOneAtLeast) {
  for (const char* least : {"", R"("minAvailable":0,)"}) {
    const DescribedJob job = MustDescribe(
        R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{)" + std::string(least) +
        R"("tasks":[{"replicas":0,"template":{"spec":{"containers":[)" + Gpus("1") + "]}}}]}}");
    EXPECT_EQ(job.job.pod_count(), 0);
    EXPECT_EQ(job.gang_pods, 1) << least;
  }
}

TEST(PodsAtOnce, AGroupOfNoneHasNoWorkers) {
  const DescribedJob job = MustDescribe(
      R"({"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":{"replicas":2,)"
      R"("leaderWorkerTemplate":{"size":0,"workerTemplate":{"spec":{"containers":[)" +
      Gpus("1") + "]}}}}}");
  EXPECT_EQ(job.job.pod_count(), 2);
  EXPECT_EQ(job.job.gpu_count(), 2);
}

TEST(Weights, Defaults) {
  const std::pair<const char*, double> cases[] = {
      {"nvidia.com/gpu", 7},
      {"nvidia.com/pgpu", 7},
      {"amd.com/gpu", 7},
      {"gpu.intel.com/i915", 7},
      {"gpu.intel.com/xe", 7},
      {"aws.amazon.com/neuron", 7},
      {"habana.ai/gaudi", 7},
      {"google.com/tpu", 7},
      {"volcano.sh/gpu-number", 7},
      {"new-vendor.example/gpu", 7},
      {"nvidia.com/mig-1g.5gb", 1},
      {"nvidia.com/mig-3g.20gb", 3},
      {"nvidia.com/mig-7g.80gb", 7},
      {"nvidia.com/mig-1g.10gb.me", 1},
      {"nvidia.com/mig-1c.3g.20gb", 1},
      {"nvidia.com/mig-1g.6gb", 1.75},
      {"nvidia.com/mig-4g.24gb", 7},
      {"nvidia.com/mig-1g.60gb", 1},
      {"nvidia.com/mig-x", 0},
      {"nvidia.com/gpumem", 0},
      {"nvidia.com/gpucores", 0},
      {"volcano.sh/gpu-memory", 0},
      {"aliyun.com/gpu-mem", 0},
      {"example.com/thing", 0},
      {"gpu.intel.com/i915_monitoring", 0},
  };
  for (const auto& [name, count] : cases) {
    const DescribedJob job = MustDescribe(Pod("", Spec("", One(name, "7"))));
    EXPECT_EQ(job.job.gpu_count(), count) << name;
    EXPECT_EQ(job.job.devices().at(name), 7) << name;
  }
  // Seven different seventh parts are one.
  EXPECT_EQ(
      PodGpus(Spec("", One("nvidia.com/mig-1g.5gb", "2") + "," + One("nvidia.com/mig-2g.10gb") +
                           "," + One("nvidia.com/mig-3g.20gb"))),
      1);
}

TEST(Weights, WhatIsNoDevice) {
  for (const char* name :
       {"cpu", "memory", "hugepages-2Mi", "ephemeral-storage", "vpc.amazonaws.com/efa",
        "rdma/hca_a", "nvidia.com/rdma_shared", "mellanox.com/hca0", "kubernetes.io/batch-cpu",
        "node.kubernetes.io/x"}) {
    const DescribedJob job = MustDescribe(Pod("", Spec("", One(name, "1"))));
    EXPECT_EQ(job.job.devices().size(), 0u) << name;
    EXPECT_EQ(job.job.gpu_count(), 0) << name;
  }
}

TEST(Weights, OptionsWin) {
  v1::AdapterOptions options;
  (*options.mutable_device_weights())["nvidia.com/gpu"] = 0.5;
  (*options.mutable_device_weights())["nvidia.com/mig-1g.5gb"] = 0;
  (*options.mutable_device_weights())["example.com/thing"] = 2;
  options.add_not_devices("amd.com/*");
  const std::string pod = Pod(
      "", Spec("", Gpus("4") + "," + One("nvidia.com/mig-1g.5gb") + "," + One("example.com/thing") +
                       "," + One("amd.com/gpu") + "," + One("rdma/hca")));
  const DescribedJob job = MustDescribe(pod, options);
  EXPECT_EQ(job.job.gpu_count(), 4);
  EXPECT_EQ(job.job.devices().count("amd.com/gpu"), 0u);
  EXPECT_EQ(job.job.devices().count("rdma/hca"), 1u);  // the defaults are replaced
}

TEST(ResourceClaims, AreNotCountable) {
  const DescribedJob job =
      MustDescribe(Pod("", Spec("", Gpus("1"), R"(,"resourceClaims":[{"name":"gpu"}])")));
  EXPECT_FALSE(job.job.has_gpu_count());
  EXPECT_EQ(job.job.devices().at("nvidia.com/gpu"), 1);
  ASSERT_EQ(job.remarks.size(), 1u);
  EXPECT_THAT(job.remarks[0], HasSubstr("spec.resourceClaims[0]: "));
  EXPECT_TRUE(MustDescribe(Pod("", R"("resourceClaims":[])")).job.has_gpu_count());
}

}  // namespace
}  // namespace precedent::kubernetes
