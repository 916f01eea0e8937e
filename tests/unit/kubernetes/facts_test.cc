// The right facts about real objects, where the shared data are there.
#include <simdjson.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

const std::string kFolder = std::string(PRECEDENT_SHARED_DIR) + "/data/kubernetes/";

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Several documents became a List: its claims, and its first object that is none.
std::string ObjectOf(const std::string& text, DeviceClaims* claims) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(text).value();
  simdjson::dom::array items;
  if (root["items"].get(items) != simdjson::SUCCESS) return text;
  std::string object;
  for (const simdjson::dom::element item : items) {
    if (DeviceClaims::IsClaim(item["apiVersion"].get_string().value(),
                              item["kind"].get_string().value())) {
      const absl::Status status = claims->Add(simdjson::minify(item));
      EXPECT_TRUE(status.ok()) << status;
    } else if (object.empty()) {
      object = simdjson::minify(item);
    }
  }
  return object;
}

class FactsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FactsTest, DevicesAndPods) {
  const std::string facts_text = Read(kFolder + "facts.json");
  if (facts_text.empty()) GTEST_SKIP() << "no shared data beside the repository";
  simdjson::dom::parser parser;
  const simdjson::dom::element facts = parser.parse(facts_text).value()[GetParam()].value();

  DeviceClaims known;
  const std::string object = ObjectOf(Read(kFolder + GetParam() + ".json"), &known);
  const auto described = Adapter::Create()->Describe(object, known);
  ASSERT_TRUE(described.ok()) << described.status();
  const DescribedJob& job = *described;
  EXPECT_EQ(job.job.kind(), facts["kind"].get_string().value());
  EXPECT_EQ(job.job.pod_count(), static_cast<double>(facts["pods"].get_int64().value()));
  std::map<std::string, std::int64_t> total;
  const simdjson::dom::object totals = facts["total"].get_object().value();
  for (const auto member : totals) {
    total[std::string(member.key)] = member.value.get_int64().value();
  }
  const std::map<std::string, std::int64_t> devices(job.job.devices().begin(),
                                                    job.job.devices().end());
  EXPECT_EQ(devices, total);
  // Where a claim has no number there is none, and a remark.
  simdjson::dom::element per_pod;
  if (facts.at_key("dra_devices").get(per_pod) == simdjson::SUCCESS) {
    EXPECT_EQ(job.job.has_gpu_count(), !per_pod.is_null());
    EXPECT_EQ(job.remarks.size(), per_pod.is_null() ? 1u : 0u);
    if (!per_pod.is_null()) {
      EXPECT_EQ(job.job.gpu_count(),
                job.job.pod_count() * static_cast<double>(per_pod.get_int64().value()));
    }
    // And none from the object alone.
    EXPECT_FALSE(MustDescribe(object).job.has_gpu_count());
  } else {
    EXPECT_TRUE(job.job.has_gpu_count());
    EXPECT_EQ(job.remarks.size(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Objects, FactsTest,
    ::testing::Values("k01-job-limits-only", "k02-pod-two-containers", "k03-pod-init-same-as-main",
                      "k04-pod-init-bigger", "k05-pod-native-sidecar", "k06-pod-mig-slice",
                      "k07-pod-mig-two-profiles", "k08-pod-amd", "k09-deployment-amd-serving",
                      "k10-pod-intel", "k11-pod-neuron", "k12-deployment-gpu-memory-share",
                      "k13-pod-vgpu-fraction", "k14-dra-shared-claim", "k15-dra-two-requests",
                      "k16-dra-all-admin", "k17-job-parallel-generate-name",
                      "k18-pytorchjob-elastic", "k19-mpijob", "k20-rayservice", "k21-volcano-job",
                      "k22-cronjob", "k23-pod-level-resources", "k24-pod-overhead",
                      "k25-pod-quantities", "k26-pod-zero-gpu", "k27-jobset-dra-gang"),
    [](const auto& test) { return std::string(test.param).substr(0, 3); });

}  // namespace
}  // namespace precedent::kubernetes
