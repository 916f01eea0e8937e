// Everything of a request but its GPUs, and hostile texts.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"
#include "tests/unit/json/mutate.h"

namespace precedent::aws {
namespace {

using ::testing::HasSubstr;

TEST(Request, Identity) {
  const DescribedJob job = MustDescribe(
      R"({"jobName":"exp","jobQueue":"arn:aws:batch:eu-west-1:1:job-queue/gpu","jobDefinition":)"
      R"("arn:aws:batch:eu-west-1:1:job-definition/train:7"})");
  EXPECT_EQ(job.job.name(), "exp");
  EXPECT_EQ(job.job.kind(), "BatchJob");
  EXPECT_EQ(job.job.queue(), "gpu");
  EXPECT_EQ(job.job.id(), "");
  EXPECT_EQ(job.job.lineage_key(), "BatchJob/train/exp");
  EXPECT_FALSE(Claims(job, v1::QUEUE));
  EXPECT_EQ(MustDescribe(Request()).job.lineage_key(), "BatchJob/d/j");
  EXPECT_EQ(ErrorOf(R"({"jobQueue":"q","jobDefinition":"d"})"), "jobName: is missing");
  EXPECT_EQ(ErrorOf(R"({"jobName":"j","jobDefinition":"d"})"), "jobQueue: is missing");
  EXPECT_EQ(ErrorOf(R"({"jobName":"j","jobQueue":"q","jobDefinition":""})"),
            "jobDefinition: is missing");
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("must be a JSON object"));
}

TEST(Request, AnotherDefinitionIsRemarked) {
  const DescribedJob job = MustDescribe(
      Request(), R"({"jobDefinitionName":"other","containerProperties":{"image":"x"}})");
  ASSERT_EQ(job.remarks.size(), 1u);
  EXPECT_EQ(job.remarks[0], "the job names definition `d` and was described with `other`");
  EXPECT_EQ(job.job.image(), "x");
}

// Each place in turn, from the weakest to the one that wins over all.
TEST(Request, OrderOfPlaces) {
  enum Where { kTags, kEnvironment, kParameters };
  struct Place {
    bool request;
    Where where;
    const char* key;
  };
  const Place weakest_first[] = {
      {false, kParameters, "workload"},
      {false, kParameters, "precedent.dev/workload-type"},
      {false, kEnvironment, "WORKLOAD_TYPE"},
      {false, kEnvironment, "PRECEDENT_DEV_WORKLOAD"},
      {false, kTags, "workload-type"},
      {false, kTags, "precedent.dev/workload"},
      {true, kParameters, "workload-type"},
      {true, kEnvironment, "WORKLOAD"},
      {true, kEnvironment, "WORKLOAD_TYPE"},
      {true, kTags, "workload"},
      {true, kTags, "precedent.dev/workload-type"},
  };
  std::string members[2][3];
  int number = 0;
  for (const Place& place : weakest_first) {
    const std::string value = "v" + std::to_string(number++);
    std::string& list = members[place.request][place.where];
    if (!list.empty()) list += ",";
    list += place.where == kEnvironment
                ? std::string(R"({"name":")") + place.key + R"(","value":")" + value + "\"}"
                : std::string("\"") + place.key + "\":\"" + value + "\"";
    const auto body = [&](bool request) {
      return R"("tags":{)" + members[request][kTags] + R"(},"parameters":{)" +
             members[request][kParameters] + R"(},")" +
             (request ? "containerOverrides" : "containerProperties") + R"(":{"environment":[)" +
             members[request][kEnvironment] + "]}";
    };
    EXPECT_EQ(MustDescribe(Request(body(true)), "{" + body(false) + "}").job.workload_type(),
              value);
  }
}

TEST(Request, TagsBecomeLabels) {
  const DescribedJob job = MustDescribe(
      Request(R"("tags":{"a":"1"},"parameters":{"p":"1"},"shareIdentifier":"ml",)"
              R"("schedulingPriorityOverride":750,"arrayProperties":{"size":100})"),
      R"({"tags":{"a":"2","b":"3"},"schedulingPriority":5,"retryStrategy":{"attempts":3},)"
      R"("containerProperties":{}})");
  const auto& labels = job.job.labels();
  EXPECT_EQ(labels.at("a"), "1");
  EXPECT_EQ(labels.at("b"), "3");
  EXPECT_EQ(labels.at("aws:batch:share-identifier"), "ml");
  EXPECT_EQ(labels.at("aws:batch:scheduling-priority"), "750");
  EXPECT_EQ(labels.at("aws:batch:attempts"), "3");
  EXPECT_EQ(labels.at("aws:batch:array-size"), "100");
  EXPECT_EQ(labels.size(), 6u);
  EXPECT_TRUE(Claims(job, v1::LABELS));
  // An array is described as one child.
  EXPECT_EQ(job.job.pod_count(), 1);
  EXPECT_EQ(
      MustDescribe(
          Request(R"("retryStrategy":{"attempts":1})"),
          R"({"retryStrategy":{"attempts":3},"schedulingPriority":5,"containerProperties":{}})")
          .job.labels()
          .at("aws:batch:attempts"),
      "1");
  EXPECT_THAT(ErrorOf(Request(R"("retryStrategy":{"attempts":11})")),
              HasSubstr("retryStrategy.attempts"));
  EXPECT_THAT(ErrorOf(Request(R"("schedulingPriorityOverride":"7")")),
              HasSubstr("schedulingPriorityOverride"));
}

TEST(Request, Timeout) {
  const std::string definition =
      R"({"timeout":{"attemptDurationSeconds":600},"containerProperties":{}})";
  EXPECT_EQ(MustDescribe(Request(), definition).job.max_runtime_seconds(), 600);
  EXPECT_EQ(MustDescribe(Request(R"("timeout":{"attemptDurationSeconds":900})"), definition)
                .job.max_runtime_seconds(),
            900);
  DescribedJob job = MustDescribe(Request(R"("tags":{"max-duration":"5m"})"), definition);
  EXPECT_EQ(job.job.max_runtime_seconds(), 300);
  EXPECT_TRUE(Claims(job, v1::MAX_RUNTIME_SECONDS));
  job = MustDescribe(Request(R"("tags":{"max-duration":"1h"})"), definition);
  EXPECT_EQ(job.job.max_runtime_seconds(), 600);
  EXPECT_FALSE(Claims(job, v1::MAX_RUNTIME_SECONDS));
}

TEST(Request, Parents) {
  const DescribedJob job = MustDescribe(
      Request(R"("tags":{"parent-job-id":"b"},"dependsOn":[{"jobId":"a"},{"jobId":"b"},)"
              R"({"type":"SEQUENTIAL"},{"jobId":"c","type":"N_TO_N"}])"));
  ASSERT_EQ(job.job.parents_size(), 3);
  EXPECT_EQ(job.job.parents(0).id(), "b");
  EXPECT_EQ(job.job.parents(1).id(), "a");
  EXPECT_EQ(job.job.parents(2).id(), "c");
  for (const auto& parent : job.job.parents()) EXPECT_EQ(parent.relation(), v1::Parent::DEPENDS_ON);
}

TEST(Request, PodMetadataAndNamespace) {
  v1::AdapterOptions options;
  v1::Binding* binding = options.add_bindings();
  binding->set_namespace_("ml-*");
  binding->set_attribute(v1::TEAM);
  binding->set_value("ml");
  const DescribedJob job = MustDescribe(
      Request(
          R"("eksPropertiesOverride":{"podProperties":{"metadata":{"labels":{"env":"prod","team":"x"},)"
          R"("annotations":{"failure-count":"4"}}}})"),
      R"({"eksProperties":{"podProperties":{"containers":[{"env":[{"name":"PREEMPTIBLE","value":"true"}]}],)"
      R"("metadata":{"namespace":"ml-1","labels":{"env":"dev","l":"1"}}}}})",
      options);
  EXPECT_EQ(job.job.environment(), "prod");
  EXPECT_EQ(job.job.lineage().failure_count(), 4);
  EXPECT_TRUE(job.job.preemptible());
  EXPECT_EQ(job.job.namespace_(), "ml-1");
  EXPECT_EQ(job.job.team(), "ml");
  EXPECT_FALSE(Claims(job, v1::TEAM));
  EXPECT_EQ(job.remarks.size(), 1u);
  EXPECT_EQ(job.job.labels().at("l"), "1");
}

TEST(Request, UnreadableValuesNameTheirPlace) {
  EXPECT_THAT(ErrorOf(Request(R"("tags":{"failure-count":"two"})")),
              HasSubstr("tags.failure-count: `two`"));
  EXPECT_THAT(ErrorOf(Request(R"("containerOverrides":{"environment":[{"name":"X","value":"1"},)"
                              R"({"name":"MAX_DURATION","value":"soon"}]})")),
              HasSubstr("containerOverrides.environment[1].value: `soon`"));
  EXPECT_THAT(ErrorOf(Request(), R"({"containerProperties":{},"tags":{"preemptible":"1"}})"),
              HasSubstr("definition: tags.preemptible: `1`"));
  EXPECT_EQ(
      MustDescribe(Request(R"("containerOverrides":{"environment":[{"name":"TEAM","value":"a"},)"
                           R"({"name":"TEAM","value":"b"}]})"))
          .job.team(),
      "b");
}

const char* const kRequest = R"({"jobName":"j","jobQueue":"q","jobDefinition":"d:1",
  "shareIdentifier":"s","schedulingPriorityOverride":5,"arrayProperties":{"size":3},
  "dependsOn":[{"jobId":"a","type":"N_TO_N"}],"retryStrategy":{"attempts":2},
  "timeout":{"attemptDurationSeconds":60},"tags":{"team":"t","max-duration":"1h"},
  "parameters":{"env":"dev"},
  "containerOverrides":{"environment":[{"name":"TEAM","value":"x"}],
    "resourceRequirements":[{"type":"GPU","value":"2"}]},
  "ecsPropertiesOverride":{"taskProperties":[{"containers":[{"name":"a",
    "resourceRequirements":[{"type":"GPU","value":"2"}]}]}]},
  "eksPropertiesOverride":{"podProperties":{"metadata":{"labels":{"a":"b"}},
    "containers":[{"name":"a","image":"i","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}},
  "nodeOverrides":{"numNodes":4,"nodePropertyOverrides":[{"targetNodes":"1:2",
    "containerOverrides":{"resourceRequirements":[{"type":"GPU","value":"2"}]}}]}})";
const char* const kDefinition = R"({"jobDefinitionName":"d","type":"multinode",
  "schedulingPriority":1,"parameters":{"team":"p"},"tags":{"team":"d"},
  "retryStrategy":{"attempts":2},"timeout":{"attemptDurationSeconds":60},
  "containerProperties":{"image":"i","environment":[{"name":"A","value":"b"}],
    "resourceRequirements":[{"type":"GPU","value":"1"}]},
  "nodeProperties":{"mainNode":1,"numNodes":3,"nodeRangeProperties":[
    {"targetNodes":"0:","container":{"image":"i","environment":[{"name":"ENV","value":"x"}],
      "resourceRequirements":[{"type":"GPU","value":"8"}]}},
    {"targetNodes":"1","eksProperties":{"podProperties":{"metadata":{"namespace":"n"},
      "initContainers":[{"name":"i","resources":{"limits":{"nvidia.com/gpu":1}}}],
      "containers":[{"name":"a","resources":{"requests":{"nvidia.com/gpu":1}}}]}}},
    {"targetNodes":"2:2","ecsProperties":{"taskProperties":[{"containers":[{"name":"a","image":"x",
      "resourceRequirements":[{"type":"GPU","value":"1"}]}]}]}}]}})";

TEST(Hostile, WrongTypesAtEveryPlace) {
  ASSERT_EQ(ErrorOf(kRequest, kDefinition), "OK");
  const auto adapter = Adapter::Create();
  const std::string single = Container(Gpu("1"));
  for (const bool in_request : {true, false}) {
    testing::Mutator mutator(in_request ? kRequest : kDefinition);
    ASSERT_GT(mutator.nodes(), 40u);
    int refused = 0;
    for (std::size_t node = 0; node < mutator.nodes(); ++node) {
      for (const std::string& value : testing::WrongValues()) {
        const std::string text = mutator.Write(node, value);
        std::vector<absl::StatusOr<DescribedJob>> results;
        results.push_back(in_request ? adapter->Describe(text, kDefinition)
                                     : adapter->Describe(kRequest, text));
        if (in_request) {
          results.push_back(adapter->Describe(text, single));
          results.push_back(adapter->Describe(text));
        }
        for (const auto& job : results) {
          refused += job.ok() ? 0 : 1;
          ASSERT_TRUE(job.ok() || job.status().code() == absl::StatusCode::kInvalidArgument)
              << job.status() << text;
        }
      }
    }
    EXPECT_GT(refused, static_cast<int>(mutator.nodes()) * 5);
  }
}

TEST(Hostile, CutAnywhere) {
  const auto adapter = Adapter::Create();
  const std::string request = kRequest;
  const std::string definition = kDefinition;
  for (std::size_t size = 0; size < request.size(); ++size) {
    ASSERT_FALSE(adapter->Describe(request.substr(0, size), kDefinition).ok()) << size;
  }
  for (std::size_t size = 1; size < definition.size(); ++size) {
    ASSERT_FALSE(adapter->Describe(kRequest, definition.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace precedent::aws
