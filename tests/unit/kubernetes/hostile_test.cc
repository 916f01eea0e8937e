// Wrong types everywhere, cut texts, very many members.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/json/mutate.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

const char* const kJob = R"({
  "apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "finetune", "namespace": "nlp", "generateName": "finetune-", "uid": "0f",
    "creationTimestamp": "2026-10-01T08:00:00Z",
    "labels": {"team": "nlp", "failure-count": "1", "kueue.x-k8s.io/queue-name": "gpu"},
    "annotations": {"max-duration": "2h", "dataset-size": "300G", "preemptible": "true",
      "precedent.dev/requested-class": "batch"},
    "ownerReferences": [{"apiVersion": "v1", "kind": "Flow", "name": "f", "controller": true}]},
  "spec": {"parallelism": 4, "completions": 8, "activeDeadlineSeconds": 7200,
    "template": {"metadata": {"labels": {"env": "dev"}, "annotations": {"a": "b"}},
      "spec": {"priorityClassName": "batch", "activeDeadlineSeconds": 3600,
        "nodeSelector": {"nvidia.com/gpu.product": "A100"},
        "resourceClaims": [{"name": "c"}],
        "overhead": {"cpu": "250m", "example.com/card": "1"},
        "initContainers": [{"name": "i", "restartPolicy": "Always",
          "resources": {"limits": {"nvidia.com/gpu": 1}}}],
        "containers": [{"name": "m", "image": "r/i:1", "resources": {
          "requests": {"cpu": 4, "nvidia.com/gpu": "2"}, "limits": {"nvidia.com/gpu": "2"}}}]}}}})";

TEST(Hostile, WrongTypesAtEveryPlace) {
  ASSERT_EQ(ErrorOf(kJob), "OK");
  const auto adapter = Adapter::Create();
  testing::Mutator mutator(kJob);
  ASSERT_GT(mutator.nodes(), 50u);
  int refused = 0;
  for (std::size_t node = 0; node < mutator.nodes(); ++node) {
    for (const std::string& value : testing::WrongValues()) {
      const std::string text = mutator.Write(node, value);
      const auto job = adapter->Describe(text);
      if (job.ok()) continue;
      ++refused;
      ASSERT_TRUE(job.status().code() == absl::StatusCode::kInvalidArgument ||
                  job.status().code() == absl::StatusCode::kUnimplemented)
          << job.status() << text;
      ASSERT_FALSE(job.status().message().empty());
      ASSERT_EQ(job.status().message().find('\n'), absl::string_view::npos) << job.status();
    }
  }
  // Most wrong types are noticed, not read as absent.
  EXPECT_GT(refused, static_cast<int>(mutator.nodes()) * 10);
}

TEST(Hostile, CutAnywhere) {
  const auto adapter = Adapter::Create();
  const std::string text = kJob;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto job = adapter->Describe(text.substr(0, size));
    ASSERT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument) << size;
  }
}

// Each of these was quadratic in some program: as many names as fit.
TEST(Hostile, VeryManyMembers) {
  std::string limits;
  std::string labels;
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = std::to_string(i);
    limits += (i == 0 ? "\"a/" : ",\"a/") + name + "\":1";
    labels += (i == 0 ? "\"l" : ",\"l") + name + "\":\"\"";
  }
  const DescribedJob job = MustDescribe(
      Pod("\"labels\":{" + labels + "}", R"("containers":[{"resources":{"limits":{)" + limits +
                                             R"(},"requests":{)" + limits + "}}}]"));
  EXPECT_EQ(job.job.devices().size(), 100'000u);
  EXPECT_EQ(job.job.labels().size(), 100'000u);
}

}  // namespace
}  // namespace precedent::kubernetes
