// The right facts about real requests, where the shared data are there.
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"

namespace precedent::aws {
namespace {

const std::string kFolder = std::string(PRECEDENT_SHARED_DIR) + "/data/batch/";

std::string Read(const std::string& name) {
  if (name.empty()) return "";
  std::ifstream file(kFolder + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Facts {
  const char* request;  // empty: one that only names the definition
  const char* definition;
  double gpus;  // below 0: absent
  double nodes;
  const char* attempts;
  const char* team;
};

class FactsTest : public ::testing::TestWithParam<Facts> {};

TEST_P(FactsTest, GpusNodesAttempts) {
  const Facts& facts = GetParam();
  const std::string definition = Read(facts.definition);
  const std::string request = *facts.request == '\0' ? Request() : Read(facts.request);
  if (request.empty() || (definition.empty() && *facts.definition != '\0')) {
    GTEST_SKIP() << "no shared data beside the repository";
  }
  const v1::JobDescriptor job = MustDescribe(request, definition).job;
  EXPECT_EQ(job.has_gpu_count(), facts.gpus >= 0);
  if (facts.gpus >= 0) {
    EXPECT_EQ(job.gpu_count(), facts.gpus);
  }
  EXPECT_EQ(job.pod_count(), facts.nodes);
  const auto attempts = job.labels().find("aws:batch:attempts");
  EXPECT_EQ(attempts == job.labels().end() ? "" : attempts->second, facts.attempts);
  EXPECT_EQ(job.team(), facts.team);
}

INSTANTIATE_TEST_SUITE_P(
    Batch, FactsTest,
    ::testing::Values(
        Facts{"", "b01-definition-container-gpu", 1, 1, "3", "vision"},
        Facts{"", "b02-definition-no-gpu-on-gpu-image", 0, 1, "", ""},
        Facts{"", "b03-definition-old-fields", 2, 1, "", ""},
        Facts{"", "b04-definition-multinode", 16, 2, "", ""},
        Facts{"", "b05-definition-multinode-ranges", 16, 5, "2", ""},
        Facts{"", "b06-definition-eks", 1, 1, "3", "vision"},
        Facts{"", "b07-definition-ecs-tasks", 1, 1, "", ""},
        Facts{"b08-submit-fair-share", "b01-definition-container-gpu", 1, 1, "3", "vision"},
        Facts{"b09-submit-override-gpu", "b01-definition-container-gpu", 4, 1, "1", "vision"},
        Facts{"b10-submit-array", "b01-definition-container-gpu", 1, 1, "3", "vision"},
        Facts{"b08-submit-fair-share", "", -1, 0, "", "vision"},
        Facts{"b11-submit-plain-queue", "", -1, 0, "", ""}));

TEST(Facts, FairShareSubmission) {
  const std::string request = Read("b08-submit-fair-share");
  if (request.empty()) GTEST_SKIP() << "no shared data beside the repository";
  const v1::JobDescriptor job = MustDescribe(request, Read("b01-definition-container-gpu")).job;
  EXPECT_EQ(job.labels().at("aws:batch:share-identifier"), "vision");
  EXPECT_EQ(job.labels().at("aws:batch:scheduling-priority"), "750");
  EXPECT_EQ(job.lineage().failure_count(), 2);
  EXPECT_TRUE(job.preemptible());
  EXPECT_EQ(job.max_runtime_seconds(), 14400);
  EXPECT_EQ(job.queue(), "gpu-fair");
  EXPECT_EQ(job.workload_type(), "training");
}

}  // namespace
}  // namespace precedent::aws
