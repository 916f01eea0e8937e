#include "src/policy/fill.h"

#include <gmock/gmock.h>

#include <string>

#include "precedent/v1/adapter.pb.h"
#include "src/text/json_reader.h"
#include "src/text/textproto_reader.h"
#include "tests/unit/policy_load/report.h"

namespace precedent::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename Message>
std::string FillJson(const std::string& json, Message* message) {
  Issue problem;
  const std::optional<Document> document = ReadJson(json, &problem);
  if (!document) return problem.message;
  std::vector<Issue> issues;
  FillMessage(document->root, message, &issues);
  return Report(issues);
}

template <typename Message>
std::string FillText(const std::string& text, Message* message) {
  std::vector<Issue> issues;
  const Document document = ReadTextProto(text, &issues);
  FillMessage(document.root, message, &issues, Dialect::kText);
  return Report(issues);
}

TEST(FillJson, TakesProto3Json) {
  v1::JobDescriptor job;
  EXPECT_EQ(FillJson(R"({"name":"n","workload_type":"training","gpuCount":1.5,"podCount":"2",
      "datasetBytes":1e12,"submitted":"2026-03-01T12:00:00.5+01:00","preemptible":false,
      "lineage":{"failureCount":"9007199254740993","attempt":3,"depth":1e1,"reportedPriority":-1},
      "labels":{"a":"","b\"":"x"},"metrics":{"m":-0.5},"devices":{"nvidia.com/gpu":"8"},
      "parents":[{"id":"p","relation":"RETRY_OF"},{"id":"q","relation":3}],
      "claimed":["TEAM",2]})", &job), "");
  EXPECT_EQ(job.workload_type(), "training");
  EXPECT_EQ(job.gpu_count(), 1.5);
  EXPECT_EQ(job.pod_count(), 2);
  EXPECT_EQ(job.submitted().seconds(), 1772362800);
  EXPECT_EQ(job.submitted().nanos(), 500'000'000);
  EXPECT_TRUE(job.has_preemptible());
  EXPECT_EQ(job.lineage().failure_count(), 9007199254740993);
  EXPECT_EQ(job.lineage().depth(), 10);
  EXPECT_EQ(job.labels().at("b\""), "x");
  EXPECT_EQ(job.labels().count("a"), 1u);
  EXPECT_EQ(job.metrics().at("m"), -0.5);
  EXPECT_EQ(job.devices().at("nvidia.com/gpu"), 8);
  EXPECT_EQ(job.parents(1).relation(), v1::Parent::STEP_OF);
  EXPECT_EQ(job.claimed_size(), 2);
  EXPECT_EQ(job.claimed(1), v1::WORKLOAD_TYPE);
}

TEST(FillJson, RefusesWithPathAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"gpuCuont":1})", "1: error: gpuCuont: unknown field (did you mean `gpuCount`?)"},
      {R"({"gpu_cuont":1})", "1: error: gpu_cuont: unknown field (did you mean `gpu_count`?)"},
      {R"({"gpuCount":1,"gpu_count":1})", "1: error: gpu_count: given twice (once by each"},
      {R"({"team":5})", "1: error: team: expected a string, found `5` (put it in quotes)"},
      {R"({"team":["a"]})", "1: error: team: expected a string, found a list"},
      {R"({"gpuCount":"x"})", "1: error: gpu_count: expected a number, found the string `x`"},
      {R"({"gpuCount":"NaN"})", "1: error: gpu_count: `NaN` is not a finite number"},
      {R"({"gpuCount":"-Infinity"})", "1: error: gpu_count: `-Infinity` is not a finite number"},
      {R"({"gpuCount":1e999})", "1: error: gpu_count: `1e999` is out of range"},
      {R"({"gpuCount":true})", "1: error: gpu_count: expected a number, found `true`"},
      {R"({"preemptible":"true"})", "1: error: preemptible: expected true or false, found the str"},
      {R"({"preemptible":1})", "1: error: preemptible: expected true or false, found `1`"},
      {R"({"lineage":{"attempt":1.5}})", "1: error: lineage.attempt: `1.5` is not a whole number"},
      {R"({"lineage":{"attempt":9223372036854775808}})", "1: error: lineage.attempt: `9223372036854"},
      {R"({"lineage":[]})", "1: error: lineage: expected an object, found a list"},
      {R"({"claimed":"TEAM"})", "1: error: claimed: expected a list, found the string `TEAM`"},
      {R"({"claimed":["TEAM",null]})", "1: error: claimed[1]: expected a value of Attribute, found n"},
      {R"({"claimed":["TAEM"]})", "1: error: claimed[0]: `TAEM` is not a value of Attribute (did you"},
      {R"({"claimed":[99]})", "1: error: claimed[0]: `99` is not the number of a value of Attribute"},
      {R"({"parents":[{},{"relation":"x"}]})", "1: error: parents[1].relation: `x` is not a value"},
      {R"({"labels":{"a":null}})", "1: error: labels[\"a\"]: null is not a value of a map"},
      {R"({"labels":{"a":1}})", "1: error: labels[\"a\"]: expected a string, found `1`"},
      {R"({"labels":[]})", "1: error: labels: expected an object, found a list"},
      {R"({"submitted":"yesterday"})", "1: error: submitted: `yesterday` is not a time"},
      {R"({"submitted":5})", "1: error: submitted: expected a time such as"},
      {R"({"team":null})", "1: warning: team: null counts as not set"},
      {R"([])", "1: error: expected an object, found a list"},
  };
  for (const auto& [json, report] : cases) {
    v1::JobDescriptor job;
    const std::string found = FillJson(json, &job);
    EXPECT_THAT(found, StartsWith(report)) << json;
    EXPECT_EQ(found.find('\n') + 1, found.size()) << found;
  }
  v1::Rule rule;
  EXPECT_THAT(FillJson("{\"set\": 1,\n \"add\": 2}", &rule),
              StartsWith("2: error: add: `add` stands beside `set` (only one of `set`, `add`,"));
  EXPECT_THAT(FillJson(R"({"set": 2147483648})", &rule),
              StartsWith("1: error: set: `2147483648` is out of range (from -2147483648 to"));
  // A field that is null is no choice of the oneof.
  EXPECT_THAT(FillJson(R"({"set": null, "add": 2})", &rule), StartsWith("1: warning: set: null"));
}

TEST(FillJson, AFailedItemKeepsTheIndexesOfTheOthers) {
  v1::TextMatch match;
  EXPECT_EQ(FillJson(R"({"in":["a", 5, "c", {}]})", &match),
            "1: error: in[1]: expected a string, found `5` (put it in quotes)\n"
            "1: error: in[3]: expected a string, found an object\n");
  ASSERT_EQ(match.in_size(), 4);
  EXPECT_EQ(match.in(2), "c");
}

TEST(FillJson, WorksForOtherMessages) {
  v1::AdapterOptions options;
  EXPECT_EQ(FillJson(R"({"keys":[{"attribute":"team","keys":["a","b"]}],"keyPrefix":"",
      "deviceWeights":{"x/y":0.5},"instanceGpus":{"p5":8},"targets":["ANNOTATION"],
      "devicesOnly":false,"fallback":{"priority":7}})", &options), "");
  EXPECT_EQ(options.instance_gpus().at("p5"), 8);
  EXPECT_TRUE(options.has_key_prefix());
}

TEST(FillText, TakesTextFormat) {
  v1::JobDescriptor job;
  EXPECT_EQ(FillText("team: 'a' gpu_count: 1.5f pod_count: 2 claimed: TEAM claimed: [KIND, 3] "
                     "parents { id: \"p\" } parents: [{ id: \"q\" }, < relation: RETRY_OF >] "
                     "labels { key: \"a\" value: \"b\" } labels: [{ key: \"c\" }] "
                     "submitted { seconds: 5 } preemptible: t lineage { attempt: 017 }", &job), "");
  EXPECT_EQ(job.claimed_size(), 3);
  EXPECT_EQ(job.parents_size(), 3);
  EXPECT_EQ(job.labels().at("a"), "b");
  EXPECT_EQ(job.labels().at("c"), "");
  EXPECT_EQ(job.submitted().seconds(), 5);
  EXPECT_EQ(job.lineage().attempt(), 15);
}

TEST(FillText, RefusesWithPathAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"gpuCount: 1", "1: error: gpuCount: unknown field (did you mean `gpu_count`?)"},
      {"team: \"a\"\nteam: \"b\"", "2: error: team: given twice"},
      {"lineage {}\nlineage {}", "2: error: lineage: given twice"},
      {"team: a", "1: error: team: expected a string, found `a` (put it in quotes)"},
      {"claimed: \"TEAM\"", "1: error: claimed[0]: expected a value of Attribute, found the string"},
      {"gpu_count: inf", "1: error: gpu_count: `inf` is not a finite number"},
      {"gpu_count: -nan", "1: error: gpu_count: `-nan` is not a finite number"},
      {"gpu_count: \"5\"", "1: error: gpu_count: expected a number, found the string `5`"},
      {"preemptible: maybe", "1: error: preemptible: expected true or false, found `maybe`"},
      {"lineage: 5", "1: error: lineage: expected a message, found `5`"},
      {"labels { key: \"a\" }\nlabels { key: \"a\" }", "2: error: labels[\"a\"]: this key of the map"},
      {"labels { kye: \"a\" }", "1: error: labels.kye: unknown field"},
      {"labels { key: \"a\" key: \"b\" }", "1: error: labels.key: given twice"},
      {"submitted: \"2026-01-01T00:00:00Z\"", "1: error: submitted: expected a message, found"},
  };
  for (const auto& [text, report] : cases) {
    v1::JobDescriptor job;
    const std::string found = FillText(text, &job);
    EXPECT_THAT(found, StartsWith(report)) << text;
    EXPECT_EQ(found.find('\n') + 1, found.size()) << found;
  }
  v1::Rule rule;
  EXPECT_THAT(FillText("set: 1\nadd: 2", &rule), HasSubstr("2: error: add: `add` stands beside"));
}

}  // namespace
}  // namespace precedent::internal
