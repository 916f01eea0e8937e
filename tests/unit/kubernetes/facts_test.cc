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

// Several documents became a List; the first item of a known kind is the object.
std::string ObjectOf(const std::string& text) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(text).value();
  simdjson::dom::array items;
  if (root["items"].get(items) != simdjson::SUCCESS) return text;
  for (const simdjson::dom::element item : items) {
    const std::string_view kind = item["kind"].get_string().value();
    if (kind == "Pod" || kind == "Job" || kind == "Deployment") return simdjson::minify(item);
  }
  return text;
}

class FactsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FactsTest, DevicesAndPods) {
  const std::string facts_text = Read(kFolder + "facts.json");
  if (facts_text.empty()) GTEST_SKIP() << "no shared data beside the repository";
  simdjson::dom::parser parser;
  const simdjson::dom::element facts = parser.parse(facts_text).value()[GetParam()].value();

  const DescribedJob job = MustDescribe(ObjectOf(Read(kFolder + GetParam() + ".json")));
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
  const bool claims = facts.at_key("dra_devices").error() == simdjson::SUCCESS;
  EXPECT_EQ(job.job.has_gpu_count(), !claims);
  EXPECT_EQ(job.remarks.size(), claims ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(
    PodJobDeployment, FactsTest,
    ::testing::Values("k01-job-limits-only", "k02-pod-two-containers", "k03-pod-init-same-as-main",
                      "k04-pod-init-bigger", "k05-pod-native-sidecar", "k06-pod-mig-slice",
                      "k07-pod-mig-two-profiles", "k08-pod-amd", "k09-deployment-amd-serving",
                      "k10-pod-intel", "k11-pod-neuron", "k12-deployment-gpu-memory-share",
                      "k13-pod-vgpu-fraction", "k14-dra-shared-claim", "k15-dra-two-requests",
                      "k16-dra-all-admin", "k17-job-parallel-generate-name",
                      "k23-pod-level-resources", "k24-pod-overhead", "k25-pod-quantities",
                      "k26-pod-zero-gpu"),
    [](const auto& info) { return std::string(info.param).substr(0, 3); });

class OtherKindsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OtherKindsTest, AreNamed) {
  const std::string text = Read(kFolder + GetParam() + ".json");
  if (text.empty()) GTEST_SKIP() << "no shared data beside the repository";
  const auto job = Adapter::Create()->Describe(text);
  EXPECT_EQ(job.status().code(), absl::StatusCode::kUnimplemented) << job.status();
}

INSTANTIATE_TEST_SUITE_P(NotYet, OtherKindsTest,
                         ::testing::Values("k18-pytorchjob-elastic", "k19-mpijob", "k20-rayservice",
                                           "k21-volcano-job", "k22-cronjob", "k27-jobset-dra-gang"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

}  // namespace
}  // namespace precedent::kubernetes
