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
        Facts{"b01-definition-container-gpu", "", 1, 1, "3", "vision"},
        Facts{"b02-definition-no-gpu-on-gpu-image", "", 0, 1, "", ""},
        Facts{"b03-definition-old-fields", "", 2, 1, "", ""},
        Facts{"b04-definition-multinode", "", 16, 2, "", ""},
        Facts{"b05-definition-multinode-ranges", "", 16, 5, "2", ""},
        Facts{"b06-definition-eks", "", 1, 1, "3", "vision"},
        Facts{"b07-definition-ecs-tasks", "", 1, 1, "", ""},
        Facts{"b12-event-runnable", "", 1, 1, "2", ""},
        Facts{"b13-event-failed-two-attempts", "", 1, 1, "2", ""},
        Facts{"b15-submit-service-job", "", 8, 2, "1", ""},
        Facts{"b16-submit-service-job-quota", "", 8, 1, "", ""},
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

// One fact of a file, as the adapter tells it.
struct Told {
  const char* file;
  const char* label;
  const char* value;  // empty: absent
};

class LabelFactsTest : public ::testing::TestWithParam<Told> {};

TEST_P(LabelFactsTest, AsTheFileSays) {
  const Told& told = GetParam();
  const std::string text = Read(told.file);
  if (text.empty()) GTEST_SKIP() << "no shared data beside the repository";
  const v1::JobDescriptor job = MustDescribe(text).job;
  const auto label = job.labels().find(std::string("aws:batch:") + told.label);
  EXPECT_EQ(label == job.labels().end() ? "" : label->second, told.value);
}

INSTANTIATE_TEST_SUITE_P(
    Batch, LabelFactsTest,
    ::testing::Values(Told{"b01-definition-container-gpu", "scheduling-priority", "100"},
                      Told{"b09-submit-override-gpu", "attempts", "1"},
                      Told{"b10-submit-array", "array-size", "100"},
                      Told{"b11-submit-plain-queue", "share-identifier", ""},
                      Told{"b11-submit-plain-queue", "scheduling-priority", ""},
                      Told{"b13-event-failed-two-attempts", "share-identifier", "vision"},
                      Told{"b13-event-failed-two-attempts", "scheduling-priority", "750"},
                      Told{"b15-submit-service-job", "scheduling-priority", "1"},
                      Told{"b15-submit-service-job", "share-identifier", "nlp"},
                      Told{"b16-submit-service-job-quota", "scheduling-priority", "500"},
                      Told{"b16-submit-service-job-quota", "quota-share-name", "nlp-share"},
                      Told{"b16-submit-service-job-quota", "preemption-retries", "10"}));

TEST(Facts, CapOfDefinition) {
  const std::string text = Read("b01-definition-container-gpu");
  if (text.empty()) GTEST_SKIP() << "no shared data beside the repository";
  EXPECT_EQ(MustDescribe(text).job.max_runtime_seconds(), 14400);
}

TEST(Facts, AttemptsOfEvents) {
  const std::string runnable = Read("b12-event-runnable");
  if (runnable.empty()) GTEST_SKIP() << "no shared data beside the repository";
  EXPECT_EQ(MustDescribe(runnable).job.lineage().attempt(), 0);
  EXPECT_EQ(MustDescribe(runnable).job.submitted().seconds(), 1641944200);
  const v1::Lineage lineage = MustDescribe(Read("b13-event-failed-two-attempts")).job.lineage();
  EXPECT_EQ(lineage.attempt(), 2);
  EXPECT_EQ(lineage.failure_count(), 1);
  EXPECT_EQ(lineage.infrastructure_failure_count(), 1);
  EXPECT_EQ(lineage.preemption_count(), 0);
  EXPECT_EQ(lineage.predecessor_runtime_seconds(), 100);
}

TEST(Facts, QueueEventWithTwoRecords) {
  const std::string text = Read("b14-sqs-to-lambda");
  if (text.empty()) GTEST_SKIP() << "no shared data beside the repository";
  const auto items = Adapter::Create()->DescribeAll(text);
  ASSERT_TRUE(items.ok()) << items.status();
  ASSERT_EQ(items->size(), 2u);
  ASSERT_TRUE((*items)[0].job.ok()) << (*items)[0].job.status();
  const v1::JobDescriptor& first = (*items)[0].job->job;
  EXPECT_EQ(first.team(), "nlp");
  EXPECT_TRUE(first.preemptible());
  EXPECT_EQ(first.lineage().failure_count(), 1);
  EXPECT_EQ(first.workload_type(), "training");
  EXPECT_FALSE((*items)[1].job.ok());
  EXPECT_EQ(BatchItemFailures(*items),
            R"({"batchItemFailures":[{"itemIdentifier":"2e1424d4-f796-459a-8184-9c92662be6da"}]})");
}

}  // namespace
}  // namespace precedent::aws
