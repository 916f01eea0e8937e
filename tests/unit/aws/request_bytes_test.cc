// What does not change: order, unknown members, spelling; and the tags.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"
#include "tests/unit/aws/prepare_support.h"

namespace precedent::aws {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Bytes, OrderUnknownMembersAndSpellingStay) {
  const std::string request =
      "{ \"future\" : {\"x\":[1.50, 1e+3, -0, 123456789012345678901234567890]},\n"
      "  \"jobName\":\"j\",\"schedulingPriorityOverride\" : 5 , \"jobQueue\":\"q\",\n"
      "\t\"jobDefinition\":\"d\\u0031\",  \"shareIdentifier\":\"\\u0073\" , \"tags\":{ \"a\" : "
      "\"\\/\" } }\n";
  // 2^64 and above are no numbers for the parser.
  std::string readable = request;
  readable.replace(readable.find("123456789012345678901234567890"), 30, "1234567890123456789");
  const auto prepared = MustPrepare(readable, Policy("set: 20"), QueuePolicy::kOfRequest);
  std::string expected = readable;
  expected.replace(expected.find(": 5 ,"), 5, ": 20 ,");
  const std::string tags = Member(prepared.body, "tags");
  expected.replace(expected.find("{ \"a\" : \"\\/\" }"), 14, tags);
  EXPECT_EQ(prepared.body, expected);
  EXPECT_THAT(tags, HasSubstr("{ \"a\" : \"\\/\","));
}

std::string Captured(const std::string& name) {
  std::ifstream file(std::string(PRECEDENT_SHARED_DIR) + "/data/batch/http/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) return "";
  const auto document = json::Document::Parse(text.str());
  return std::string((*document)->root().Get("body_raw").String().value_or(""));
}

struct Capture {
  const char* name;
  const char* priority;  // as it leaves, on the queue that the request says
  const char* share;
};

class CapturedTest : public ::testing::TestWithParam<Capture> {};

TEST_P(CapturedTest, GoesThroughUnchangedButForDerivedMembers) {
  const Capture& capture = GetParam();
  const std::string body = Captured(capture.name);
  if (body.empty()) GTEST_SKIP() << "no shared data beside the repository";
  const auto prepared = MustPrepare(body, Policy("set: 4321"), QueuePolicy::kOfRequest);
  EXPECT_EQ(WithoutDerived(prepared.body), WithoutDerived(body));
  const bool service = body.find("serviceJobType") != std::string::npos;
  const char* member = service ? "schedulingPriority" : "schedulingPriorityOverride";
  EXPECT_EQ(Member(prepared.body, member), capture.priority);
  EXPECT_EQ(Member(prepared.body, "shareIdentifier"), capture.share);
  if (!Member(body, member).empty()) {
    EXPECT_THAT(prepared.remarks, Contains(HasSubstr(member)));
  }
  // On every other kind of queue just as well.
  v1::AdapterOptions options;
  options.set_default_share("rest");
  for (const QueuePolicy queue : {QueuePolicy::kNone, QueuePolicy::kFairShare}) {
    EXPECT_EQ(WithoutDerived(MustPrepare(body, Policy("set: 0"), queue, options).body),
              WithoutDerived(body));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Http, CapturedTest,
    ::testing::Values(Capture{"submit-job-array-retry-timeout", "4321", "\"sweeps\""},
                      Capture{"submit-job-eks-gpu", "4321", "\"eks\""},
                      Capture{"submit-job-gpu-container-overrides-tags", "4321", "\"search\""},
                      Capture{"submit-job-minimal", "", ""},
                      Capture{"submit-job-multinode-depends", "", ""},
                      Capture{"submit-job-priority-out-of-range", "", ""},
                      Capture{"submit-job-share-priority-cli145", "4321", "\"researchA\""},
                      Capture{"submit-job-share-priority", "4321", "\"researchA\""},
                      Capture{"submit-service-job", "4321", "\"x\""}));

TEST(Tags, DecisionAndLineage) {
  const CompiledPolicy policy = testing::Compile(
      R"(stages { rules { id: "a" set: 900 annotate { key: "cost" value: "high" } } }
         priority_classes { name: "critical" at_least: 0 })");
  const auto prepared =
      MustPrepare(Request(R"("parameters":{"failure-count":"2","parent-job-id":"p-1"},)"
                          R"("tags":{"preemption-count":"3","precedent.dev/priority":"77"})"),
                  policy, QueuePolicy::kNone);
  const auto tag = [&](const std::string& key) { return Member(prepared.body, "tags>" + key); };
  EXPECT_EQ(tag("precedent.dev/priority"), "\"900\"");  // what somebody wrote there is replaced
  EXPECT_EQ(tag("precedent.dev/priority-class"), "\"critical\"");
  EXPECT_EQ(tag("precedent.dev/policy"),
            "\"" + std::string(policy.evaluator().fingerprint()) + "\"");
  EXPECT_EQ(tag("precedent.dev/failure-count"), "\"2\"");
  EXPECT_EQ(tag("precedent.dev/parent-job-id"), "\"p-1\"");
  EXPECT_EQ(tag("precedent.dev/preemption-count"), "");  // a tag tells it already
  EXPECT_EQ(tag("preemption-count"), "\"3\"");
  EXPECT_EQ(tag("cost"), "\"high\"");
  EXPECT_EQ(tag("precedent.dev/reason"), "");
  // The lineage is read back from the tags alone.
  const DescribedJob again =
      MustDescribe(R"({"jobName":"j","jobQueue":"q","jobDefinition":"d","tags":)" +
                   Member(prepared.body, "tags") + "}");
  EXPECT_EQ(again.job.lineage().failure_count(), 2);
  EXPECT_EQ(again.job.lineage().preemption_count(), 3);
  EXPECT_EQ(again.job.parents(0).id(), "p-1");
}

TEST(Tags, AtMostFiftyWithTheDefinitions) {
  const auto tags = [](int count, const std::string& prefix) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += (i == 0 ? "\"" : ",\"") + prefix + std::to_string(i) + "\":\"\"";
    }
    return "\"tags\":{" + all + "}";
  };
  const CompiledPolicy policy = Policy("set: 1 annotate { key: \"k\" value: \"v\" }");
  const auto left_out = [&](int own, int defined) {
    const auto prepared = MustPrepare(Request(tags(own, "o")), policy, QueuePolicy::kNone, {},
                                      "{" + tags(defined, "d") + R"(,"containerProperties":{}})");
    EXPECT_EQ(json::ObjectEditor(Member(prepared.body, "tags")).size() + defined,
              std::max<std::size_t>(own + defined, std::min<std::size_t>(50, own + defined + 3)));
    return prepared.remarks.empty() ? "" : prepared.remarks.back();
  };
  EXPECT_EQ(left_out(47, 0), "");
  EXPECT_EQ(left_out(40, 7), "");
  EXPECT_EQ(left_out(40, 8), "a job has at most 50 tags; left out: `k`");
  EXPECT_EQ(left_out(49, 0), "a job has at most 50 tags; left out: `precedent.dev/policy`, `k`");
  EXPECT_EQ(left_out(50, 0),
            "a job has at most 50 tags; left out: `precedent.dev/priority`, "
            "`precedent.dev/policy`, `k`");
  // What is there already needs no room.
  EXPECT_EQ(left_out(60, 0),
            "a job has at most 50 tags; left out: `precedent.dev/priority`, "
            "`precedent.dev/policy`, `k`");
}

TEST(Tags, OnlyWhatAwsTakes) {
  const auto remark = [](const std::string& key, const std::string& value) {
    const auto prepared =
        MustPrepare(Request(), Policy("annotate { key: \"" + key + "\" value: \"" + value + "\" }"),
                    QueuePolicy::kNone);
    EXPECT_EQ(Member(prepared.body, "tags>" + key).empty(), prepared.remarks.size() == 2) << key;
    return prepared.remarks.size() == 2 ? prepared.remarks[1] : "";
  };
  EXPECT_EQ(remark("a b+-=._:/@", "9 +-=._:/@"), "");
  EXPECT_EQ(remark("k", ""), "");
  EXPECT_EQ(remark("k", std::string(256, 'v')), "");
  EXPECT_THAT(remark("k", std::string(257, 'v')), HasSubstr("tag `k` is left out"));
  EXPECT_THAT(remark(std::string(129, 'k'), "v"), HasSubstr("is left out"));
  EXPECT_THAT(remark("k", "a,b"), HasSubstr("`a,b` is no value that AWS takes"));
  EXPECT_THAT(remark("AWS:k", "v"), HasSubstr("is left out"));
  EXPECT_THAT(remark("k", "ü"), HasSubstr("is left out"));
}

// A policy cannot make its annotation pass for the decision.
TEST(Tags, AnnotationsDoNotReplaceTheDecision) {
  const auto prepared = MustPrepare(
      Request(), Policy("set: 3 annotate { key: \"precedent.dev/priority\" value: \"9999\" }"),
      QueuePolicy::kNone);
  EXPECT_EQ(Member(prepared.body, "tags>precedent.dev/priority"), "\"3\"");
}

}  // namespace
}  // namespace precedent::aws
