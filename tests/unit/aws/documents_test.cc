// Documents other than a request: definitions, descriptions, events, messages, and
// service jobs.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"
#include "tests/unit/json/mutate.h"

namespace precedent::aws {
namespace {

using ::testing::HasSubstr;

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::vector<DescribedItem> All(const std::string& json, const std::string& definition = "") {
  auto items = Adapter::Create()->DescribeAll(json, definition);
  EXPECT_TRUE(items.ok()) << items.status();
  return items.ok() ? *std::move(items) : std::vector<DescribedItem>();
}

const char kDetail[] =
    R"({"jobId":"4c75:3","jobName":"j","jobQueue":"arn:aws:batch:r:1:job-queue/q",)"
    R"("jobDefinition":"arn:aws:batch:r:1:job-definition/d:4","status":"RUNNABLE","newMember":[{}],)"
    R"("createdAt":1641944200058,"shareIdentifier":"s","schedulingPriority":7,)"
    R"("arrayProperties":{"index":3},"timeout":{"attemptDurationSeconds":90},)"
    R"("container":{"image":"i","resourceRequirements":[{"value":"2","type":"GPU"}],)"
    R"("environment":[{"name":"TEAM","value":"t"}]},"tags":{"environment":"prod"}})";

void ExpectDetail(const v1::JobDescriptor& job) {
  EXPECT_EQ(job.kind(), "BatchJob");
  EXPECT_EQ(job.id(), "4c75:3");
  EXPECT_EQ(job.name(), "j");
  EXPECT_EQ(job.queue(), "q");
  EXPECT_EQ(job.lineage_key(), "BatchJob/d/j");
  EXPECT_EQ(job.gpu_count(), 2);
  EXPECT_EQ(job.pod_count(), 1);
  EXPECT_EQ(job.image(), "i");
  EXPECT_EQ(job.team(), "t");
  EXPECT_EQ(job.environment(), "prod");
  EXPECT_EQ(job.max_runtime_seconds(), 90);
  EXPECT_EQ(job.submitted().seconds(), 1641944200);
  EXPECT_EQ(job.submitted().nanos(), 58'000'000);
  EXPECT_EQ(job.labels().at("aws:batch:share-identifier"), "s");
  EXPECT_EQ(job.labels().at("aws:batch:scheduling-priority"), "7");
  EXPECT_EQ(job.labels().at("aws:batch:status"), "RUNNABLE");
}

TEST(Documents, DescribedJob) { ExpectDetail(MustDescribe(kDetail).job); }

TEST(Documents, DescribeJobs) {
  const std::string bad = R"({"jobId":"x","jobName":"b","jobDefinition":"d","container":{)"
                          R"("resourceRequirements":[{"type":"GPU","value":"many"}]}})";
  const auto items = All(std::string(R"({"jobs":[)") + kDetail + "," + bad + "," + kDetail + "]}");
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].place, "jobs[0]");
  ExpectDetail(items[0].job->job);
  ASSERT_FALSE(items[1].job.ok());
  EXPECT_THAT(std::string(items[1].job.status().message()),
              HasSubstr("jobs[1].container.resourceRequirements[0].value: `many`"));
  ASSERT_TRUE(items[2].job.ok()) << items[2].job.status();  // the one before does not touch it
  ExpectDetail(items[2].job->job);
  EXPECT_THAT(ErrorOf(R"({"jobs":[]})"), HasSubstr("holds 0 jobs"));
  EXPECT_TRUE(All(R"({"jobs":[]})").empty());
}

TEST(Documents, Event) {
  const auto event = [](const std::string& type, const std::string& source) {
    return R"({"version":"0","detail-type":")" + type + R"(","source":")" + source +
           R"(","unknown":1,"detail":)" + kDetail + "}";
  };
  ExpectDetail(MustDescribe(event("Batch Job State Change", "aws.batch")).job);
  for (const auto& other :
       {event("Batch Job Queue Blocked", "aws.batch"), event("Batch Job State Change", "my.app")}) {
    const auto items = Adapter::Create()->DescribeAll(other);
    EXPECT_EQ(items.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(items.status().message()), HasSubstr("detail-type: events `"));
  }
}

TEST(Documents, ServiceEventWithoutPayload) {
  const DescribedJob job = MustDescribe(
      R"({"detail-type":"Batch Service Job State Change","source":"aws.batch","detail":{)"
      R"("jobId":"7","jobName":"sm","jobQueue":"arn:x:job-queue/q","serviceJobType":"SAGEMAKER_TRAINING",)"
      R"("status":"RUNNING","capacityUsage":[{"capacityUnit":"ml.p4d.24xlarge","quantity":2.0}]}})");
  EXPECT_EQ(job.job.kind(), "BatchServiceJob");
  EXPECT_EQ(job.job.gpu_count(), 16);
  EXPECT_EQ(job.job.pod_count(), 2);
  EXPECT_EQ(job.job.workload_type(), "training");
  EXPECT_EQ(job.job.id(), "7");
}

TEST(Documents, DefinitionAlone) {
  const DescribedJob job = MustDescribe(Container(Gpu("4")));
  EXPECT_EQ(job.job.name(), "d");
  EXPECT_EQ(job.job.kind(), "BatchJob");
  EXPECT_EQ(job.job.gpu_count(), 4);
  EXPECT_EQ(job.job.lineage_key(), "");
  EXPECT_EQ(job.job.queue(), "");
}

TEST(Documents, OneNodeOfSeveralIsOneNode) {
  const DescribedJob job = MustDescribe(
      R"({"jobId":"1#2","jobName":"m","jobDefinition":"d","nodeDetails":{"nodeIndex":2},)"
      R"("nodeProperties":{"numNodes":4,"mainNode":0,"nodeRangeProperties":[]},)"
      R"("container":{"resourceRequirements":[{"type":"GPU","value":"8"}]}})");
  EXPECT_EQ(job.job.gpu_count(), 8);
  EXPECT_EQ(job.job.pod_count(), 1);
}

std::string Record(const std::string& id, const std::string& body, const std::string& arn = "q") {
  return R"({"messageId":")" + id + R"(","body":)" + Quoted(body) + R"(,"eventSourceARN":")" + arn +
         R"(","eventSource":"aws:sqs"})";
}

std::string Records(const std::vector<std::string>& records) {
  std::string all;
  for (const std::string& record : records) all += (all.empty() ? "" : ",") + record;
  return R"({"Records":[)" + all + "]}";
}

TEST(Documents, MessagesOfAnyKind) {
  const std::string own = R"({"jobName":"x","jobDefinition":"d","team":"nlp","preemptible":true,)"
                          R"("failure_count":2,"nested":{"team":"no"},"ratio":0.5})";
  const std::string event = std::string(R"({"detail-type":"Batch Job State Change",)"
                                        R"("source":"aws.batch","detail":)") +
                            kDetail + "}";
  const auto items = All(Records(
      {Record("1", own), Record("2", event), Record("3", "no JSON"), Record("4", R"({"a":1})"),
       Record("5", "{\"Records\":[]}"), Record("6", Request(R"("tags":{"failure-count":"x"})")),
       R"({"messageId":"7"})", R"({"messageId":"8","body":8})", Record("9", Request())}));
  ASSERT_EQ(items.size(), 9u);
  EXPECT_EQ(items[0].job->job.team(), "nlp");
  EXPECT_TRUE(items[0].job->job.preemptible());
  EXPECT_EQ(items[0].job->job.lineage().failure_count(), 2);
  EXPECT_TRUE(Claims(*items[0].job, v1::TEAM));
  EXPECT_EQ(items[0].place, "Records[0].body");
  ExpectDetail(items[1].job->job);
  const char* const errors[] = {"Records[2].body: the text is no valid JSON",
                                "Records[3].body: is nothing of AWS Batch's",
                                "Records[4].body: a message within a message",
                                "Records[5].body: tags.failure-count: `x`",
                                "Records[6].body: is missing",
                                "Records[7].body: must be a string"};
  for (int i = 0; i < 6; ++i) {
    ASSERT_FALSE(items[2 + i].job.ok()) << i;
    EXPECT_THAT(std::string(items[2 + i].job.status().message()), HasSubstr(errors[i]));
    EXPECT_EQ(items[2 + i].message_id, std::to_string(3 + i));
  }
  EXPECT_TRUE(items[8].job.ok());
  EXPECT_EQ(BatchItemFailures(items),
            R"({"batchItemFailures":[{"itemIdentifier":"3"},{"itemIdentifier":"4"},)"
            R"({"itemIdentifier":"5"},{"itemIdentifier":"6"},{"itemIdentifier":"7"},)"
            R"({"itemIdentifier":"8"}]})");
  EXPECT_EQ(BatchItemFailures({}), R"({"batchItemFailures":[]})");
}

// Which was delivered how often says nothing of the job.
TEST(Documents, DeliveriesAreNoFailures) {
  const auto items =
      All(Records({R"({"messageId":"1","attributes":{"ApproximateReceiveCount":"9"},)"
                   R"("body":)" +
                   Quoted(Request()) + "}"}));
  EXPECT_EQ(items.at(0).job->job.lineage().failure_count(), 0);
}

TEST(Documents, FifoQueuesKeepTheirOrder) {
  const std::string arn = "arn:aws:sqs:us-east-1:1:jobs.fifo";
  const auto items = All(Records(
      {Record("1", Request(), arn), Record("2", "broken", arn), Record("3", Request(), arn)}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_TRUE(items[0].job.ok());
  EXPECT_EQ(items[2].job.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(BatchItemFailures(items),
            R"({"batchItemFailures":[{"itemIdentifier":"2"},{"itemIdentifier":"3"}]})");
}

std::string Service(const std::string& payload, const std::string& more = "") {
  return R"({"jobName":"s","jobQueue":"q","serviceJobType":"SAGEMAKER_TRAINING",)"
         R"("serviceRequestPayload":)" +
         Quoted(payload) + more + "}";
}

TEST(ServiceJob, GpusByInstanceType) {
  const auto gpus = [](const std::string& type, const v1::AdapterOptions& options = {}) {
    return MustDescribe(Service(R"({"ResourceConfig":{"InstanceType":")" + type +
                                R"(","InstanceCount":3}})"),
                        "", options)
        .job;
  };
  EXPECT_EQ(gpus("ml.g5.12xlarge").gpu_count(), 12);
  EXPECT_EQ(gpus("ml.g5.12xlarge").devices().at("nvidia.com/gpu"), 12);
  EXPECT_EQ(gpus("ml.g5.16xlarge").gpu_count(), 3);
  EXPECT_EQ(gpus("ml.trn1.32xlarge").gpu_count(), 48);
  EXPECT_EQ(gpus("ml.trn1.32xlarge").devices().at("aws.amazon.com/neuron"), 48);
  EXPECT_EQ(gpus("ml.m5.large").gpu_count(), 0);
  EXPECT_TRUE(gpus("ml.m5.large").has_gpu_count());
  EXPECT_FALSE(gpus("ml.p9.large").has_gpu_count());
  EXPECT_EQ(gpus("ml.p9.large").pod_count(), 3);
  v1::AdapterOptions options;
  (*options.mutable_instance_gpus())["p9.large"] = 5;
  (*options.mutable_instance_gpus())["ml.g5.12xlarge"] = 1;
  EXPECT_EQ(gpus("ml.p9.large", options).gpu_count(), 15);
  EXPECT_EQ(gpus("ml.g5.12xlarge", options).gpu_count(), 3);
  (*options.mutable_instance_gpus())["ml.p9.large"] = 6;
  EXPECT_THAT(std::string(Adapter::Create(options).status().message()),
              HasSubstr("with and without `ml.`"));
}

TEST(ServiceJob, InstanceGroupsAddUp) {
  const DescribedJob job = MustDescribe(Service(
      R"({"ResourceConfig":{"InstanceGroups":[{"InstanceType":"ml.p4d.24xlarge","InstanceCount":2},)"
      R"({"InstanceType":"ml.c5.large","InstanceCount":4}]},"Environment":{"TEAM":"v"},)"
      R"("StoppingCondition":{"MaxRuntimeInSeconds":900},"AlgorithmSpecification":{"TrainingImage":"i"}})",
      R"(,"timeoutConfig":{"attemptDurationSeconds":1800},"tags":{"workload-type":"tuning"})"));
  EXPECT_EQ(job.job.gpu_count(), 16);
  EXPECT_EQ(job.job.pod_count(), 6);
  EXPECT_EQ(job.job.team(), "v");
  EXPECT_EQ(job.job.image(), "i");
  EXPECT_EQ(job.job.max_runtime_seconds(), 900);
  EXPECT_EQ(job.job.workload_type(), "tuning");
}

TEST(ServiceJob, Errors) {
  EXPECT_THAT(ErrorOf(Service("{")), HasSubstr("serviceRequestPayload: the text is no valid JSON"));
  EXPECT_THAT(ErrorOf(Service("[]")), HasSubstr("serviceRequestPayload: must be a JSON object"));
  EXPECT_THAT(
      ErrorOf(Service(R"({"ResourceConfig":{"InstanceType":"ml.g5.xlarge","InstanceCount":"2"}})")),
      HasSubstr("serviceRequestPayload: ResourceConfig.InstanceCount: must be a whole number"));
  EXPECT_THAT(ErrorOf(R"({"jobName":"s","serviceJobType":"SAGEMAKER_TRAINING"})"),
              HasSubstr("jobQueue: is missing"));
  // More devices than can be counted, from the largest numbers that are read.
  v1::AdapterOptions options;
  (*options.mutable_instance_gpus())["x"] = 2147483647;
  std::string groups;
  for (int i = 0; i < 4; ++i) {
    groups += std::string(i == 0 ? "" : ",") + R"({"InstanceType":"x","InstanceCount":2147483647})";
  }
  const auto job = Adapter::Create(options)->Describe(
      Service(R"({"ResourceConfig":{"InstanceGroups":[)" + groups + "]}}"));
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("more devices than can be counted"));
}

// Whatever stands wherever, the answer is a job or an error of its own.
TEST(Documents, WrongTypesAtEveryPlace) {
  const std::string job = std::string(kDetail).substr(0, sizeof kDetail - 2) +
                          R"(,"attempts":[{"container":{"exitCode":1,"reason":"r"},"startedAt":1,)"
                          R"("stoppedAt":2,"statusReason":"s"}],"isTerminated":false})";
  const std::string service =
      R"({"jobId":"7","jobName":"s","jobQueue":"q","serviceJobType":"SAGEMAKER_TRAINING",)"
      R"("serviceRequestPayload":"{}","capacityUsage":[{"capacityUnit":"g5.xlarge","quantity":1}],)"
      R"("timeoutConfig":{"attemptDurationSeconds":60},"schedulingPriority":3,)"
      R"("preemptionSummary":{"preemptedAttemptCount":1},"tags":{"team":"t"}})";
  const std::string documents[] = {
      R"({"jobs":[)" + job + "]}", service,
      R"({"detail-type":"Batch Job State Change","source":"aws.batch","detail":)" + job + "}",
      Records({Record("1", job), Record("2", service, "a.fifo")})};
  const auto adapter = Adapter::Create();
  for (const std::string& document : documents) {
    testing::Mutator mutator(document);
    ASSERT_GT(mutator.nodes(), 8u);
    int refused = 0;
    for (std::size_t node = 0; node < mutator.nodes(); ++node) {
      for (const std::string& value : testing::WrongValues()) {
        const std::string text = mutator.Write(node, value);
        const auto items = adapter->DescribeAll(text);
        if (!items.ok()) {
          ++refused;
          ASSERT_FALSE(items.status().message().empty()) << text;
          continue;
        }
        for (const DescribedItem& item : *items) refused += item.job.ok() ? 0 : 1;
      }
    }
    EXPECT_GT(refused, static_cast<int>(mutator.nodes()));
  }
}

TEST(Documents, LimitsAreCheckedFirst) {
  EXPECT_THAT(ErrorOf("{" + std::string(8 << 20, ' ')), HasSubstr("bytes; at most"));
  std::string deep = R"({"jobName":"j","x":)";
  for (int i = 0; i < 64; ++i) deep += "[";
  EXPECT_THAT(ErrorOf(deep), HasSubstr("64"));
  EXPECT_THAT(ErrorOf(Request(R"("a":1e400)")), HasSubstr("number"));
  EXPECT_THAT(ErrorOf(Service(R"({"a":1,"a":2})")),
              HasSubstr("serviceRequestPayload: a: the key is given twice"));
}

TEST(Documents, WhatIsNothingOfBatch) {
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("is nothing of AWS Batch's"));
  EXPECT_THAT(ErrorOf(R"({"Records":{}})"), HasSubstr("Records: must be a list"));
  EXPECT_THAT(ErrorOf(R"({"jobs":[1]})"), HasSubstr("jobs[0]: must be an object"));
  EXPECT_THAT(ErrorOf(R"({"detail-type":"Batch Job State Change","source":"aws.batch"})"),
              HasSubstr("detail: must be an object"));
}

}  // namespace
}  // namespace precedent::aws
