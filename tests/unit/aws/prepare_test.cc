// Requests with the decision written in: the members that each kind of queue takes.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"
#include "tests/unit/aws/prepare_support.h"

namespace precedent::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char kOverride[] = "schedulingPriorityOverride";

std::string Service(const std::string& more = "") {
  return R"({"jobName":"s","jobQueue":"q","serviceJobType":"SAGEMAKER_TRAINING",)"
         R"("serviceRequestPayload":"{\"ResourceConfig\":{\"InstanceType\":\"ml.g5.xlarge\",)"
         R"(\"InstanceCount\":2},\"StoppingCondition\":{\"MaxRuntimeInSeconds\":3600}}")" +
         more + "}";
}

// B1: on a fair-share queue both a share and a priority, or neither.
TEST(Prepare, B1ShareAndPriorityComeTogether) {
  const CompiledPolicy policy = Policy("set: 321");
  for (const std::string own :
       {"", R"("shareIdentifier":"s")", R"("schedulingPriorityOverride":5)",
        R"("shareIdentifier":"s","schedulingPriorityOverride":5)", R"("tags":{"team":"t"})",
        R"("tags":{"team":"t"},"shareIdentifier":"s")"}) {
    for (const QueuePolicy queue :
         {QueuePolicy::kOfRequest, QueuePolicy::kNone, QueuePolicy::kFairShare}) {
      v1::AdapterOptions options;
      options.set_default_share("other");
      const std::string body = MustPrepare(Request(own), policy, queue, options).body;
      const bool fair =
          queue == QueuePolicy::kFairShare ||
          (queue == QueuePolicy::kOfRequest && own.find("shareIdentifier") != std::string::npos);
      EXPECT_EQ(Member(body, kOverride), fair ? "321" : "") << own;
      EXPECT_EQ(!Member(body, "shareIdentifier").empty(), fair) << own;
    }
  }
}

// B1: the request's priority wins over the definition's, so it is always written.
TEST(Prepare, B1OverrideIsWrittenBesideTheDefinitions) {
  const std::string definition = R"({"schedulingPriority":321,"containerProperties":{}})";
  const auto prepared = MustPrepare(Request(R"("shareIdentifier":"s")"), Policy("set: 321"),
                                    QueuePolicy::kOfRequest, {}, definition);
  EXPECT_EQ(Member(prepared.body, kOverride), "321");
}

// B2: a share is required on a queue with a policy and forbidden on one without.
TEST(Prepare, B2ShareIsRequiredOrForbidden) {
  const CompiledPolicy policy = Policy("set: 1");
  const auto missing = TryPrepare(Request(), policy, QueuePolicy::kFairShare);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("shareIdentifier: the queue needs"));
  const auto removed =
      MustPrepare(Request(R"("shareIdentifier":"s","schedulingPriorityOverride":5)"), policy,
                  QueuePolicy::kNone, {}, R"({"schedulingPriority":3,"containerProperties":{}})");
  EXPECT_EQ(Member(removed.body, "shareIdentifier"), "");
  EXPECT_EQ(Member(removed.body, kOverride), "");
  EXPECT_THAT(removed.remarks,
              ElementsAre("shareIdentifier `s` is removed: the queue has no such shares",
                          "schedulingPriorityOverride `5` is removed: the queue is first in, "
                          "first out and takes none",
                          "definition: schedulingPriority: a queue without fair share refuses "
                          "jobs by it"));
  // The decision is told all the same.
  EXPECT_EQ(Member(removed.body, "tags>precedent.dev/priority"), "\"1\"");
}

// B4: 0 to 9999; 0 is a value, and none is an absent key.
TEST(Prepare, B4PriorityRange) {
  const struct {
    int derived;
    const char* sent;
  } kCases[] = {{12000, "9999"}, {10000, "9999"},  {9999, "9999"}, {500, "500"},
                {1, "1"},        {0, "0"},         {-1, "0"},      {-50, "0"},
                {-1000000, "0"}, {1000000, "9999"}};
  for (const auto& one : kCases) {
    const CompiledPolicy policy = Policy("set: " + std::to_string(one.derived));
    const auto job =
        MustPrepare(Request(R"("shareIdentifier":"s")"), policy, QueuePolicy::kOfRequest);
    EXPECT_EQ(Member(job.body, kOverride), one.sent);
    EXPECT_EQ(job.remarks.size(),
              job.job.remarks.size() + (std::to_string(one.derived) == one.sent ? 0u : 1u));
    const auto service =
        MustPrepare(Service(R"(,"quotaShareName":"s")"), policy, QueuePolicy::kOfRequest);
    EXPECT_EQ(Member(service.body, "schedulingPriority"), one.sent);
    EXPECT_EQ(Member(service.body, kOverride), "");
    const auto plain = MustPrepare(Request(), policy, QueuePolicy::kOfRequest);
    EXPECT_EQ(Member(plain.body, kOverride), "");
  }
}

// A priority beyond the range that somebody wrote does not go through either.
TEST(Prepare, B4OwnPriorityIsReplacedWithARemark) {
  const auto prepared =
      MustPrepare(Request(R"("schedulingPriorityOverride":100000,"shareIdentifier":"s")"),
                  Policy("set: 20"), QueuePolicy::kOfRequest);
  EXPECT_EQ(Member(prepared.body, kOverride), "20");
  EXPECT_THAT(prepared.remarks.back(),
              "schedulingPriorityOverride 100000 is replaced by the derived 20");
  const auto same = MustPrepare(Request(R"("schedulingPriorityOverride":20,"shareIdentifier":"s")"),
                                Policy("set: 20"), QueuePolicy::kOfRequest);
  EXPECT_EQ(same.remarks, same.job.remarks);
}

// B5: what Batch counted decides, and hosts taken away lower nothing.
TEST(Prepare, B5OnlyOwnFailuresLowerThePriority) {
  const CompiledPolicy policy = testing::CompileRules(
      R"(rules { id: "b" set: 500 } rules { id: "f" add_scaled { of: FAILURE_COUNT points: -10 } })");
  const auto update = [&](const std::string& attempts) {
    return Adapter::Create()
        ->PrepareUpdate(R"({"jobId":"1","jobName":"s","serviceJobType":"SAGEMAKER_TRAINING",)"
                        R"("status":"RUNNABLE","shareIdentifier":"x","schedulingPriority":500,)"
                        R"("attempts":[)" +
                            attempts + "]}",
                        &policy.evaluator(), testing::At(0))
        .value();
  };
  const std::string host = R"({"stoppedAt":2,"statusReason":"Host EC2 (i) terminated."})";
  const std::string own = R"({"stoppedAt":2,"statusReason":"SageMaker:AlgorithmError"})";
  EXPECT_EQ(update(host + "," + host), std::nullopt);
  EXPECT_EQ(update(host + "," + own), R"({"jobId":"1","schedulingPriority":490})");
}

TEST(Prepare, ShareOfPolicyBeforeTeamBeforeRequest) {
  const CompiledPolicy silent = Policy("set: 1");
  const CompiledPolicy speaking = Policy("set: 1 share_identifier: \"of-policy\"");
  const std::string all = Request(R"("shareIdentifier":"own","tags":{"team":"ml-team_a"})");
  const auto share = [&](const std::string& request, const CompiledPolicy& policy) {
    return Member(MustPrepare(request, policy, QueuePolicy::kFairShare).body, "shareIdentifier");
  };
  EXPECT_EQ(share(all, speaking), "\"ofZ2dpolicy\"");
  EXPECT_EQ(share(all, silent), "\"mlZ2dteamZ5fa\"");
  EXPECT_EQ(share(Request(R"("shareIdentifier":"own*")"), silent), "\"own*\"");
  // The request's own is one already and stays, though `Z` marks a byte.
  EXPECT_EQ(share(Request(R"("shareIdentifier":"Zone1")"), silent), "\"Zone1\"");
  const auto replaced = MustPrepare(all, silent, QueuePolicy::kFairShare);
  EXPECT_THAT(replaced.remarks,
              ::testing::Contains("shareIdentifier `own` is replaced by `mlZ2dteamZ5fa`"));
}

TEST(Prepare, ShareNamesAreInjective) {
  EXPECT_EQ(*ShareName("ml-team_a"), "mlZ2dteamZ5fa");
  EXPECT_EQ(*ShareName("AYaz09"), "AYaz09");
  EXPECT_EQ(*ShareName("Z"), "Z5a");
  EXPECT_EQ(*ShareName("Z2d"), "Z5a2d");
  EXPECT_EQ(*ShareName("é*"), "Zc3Za9Z2a");
  EXPECT_FALSE(ShareName("").ok());
  EXPECT_EQ(ShareName(std::string(255, 'a'))->size(), 255u);
  EXPECT_FALSE(ShareName(std::string(256, 'a')).ok());
  EXPECT_FALSE(ShareName(std::string(86, '-')).ok());
  std::vector<std::string> seen;
  for (int a = 0; a < 256; ++a) {
    for (const std::string tail : {"", "a", "-", "Z2d", "2d"}) {
      seen.push_back(*ShareName(std::string(1, static_cast<char>(a)) + tail));
      for (const char c : seen.back()) ASSERT_TRUE(std::isalnum(static_cast<unsigned char>(c)));
    }
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Prepare, KnownSharesAndTheirDefault) {
  const CompiledPolicy policy = Policy("set: 1");
  const auto share = [&](const std::string& team, const v1::AdapterOptions& options) {
    const auto prepared = TryPrepare(Request(R"("tags":{"team":")" + team + "\"}"), policy,
                                     QueuePolicy::kFairShare, options);
    return prepared.ok() ? Member(prepared->body, "shareIdentifier")
                         : std::string(prepared.status().message());
  };
  v1::AdapterOptions options;
  EXPECT_EQ(share("anything", options), "\"anything\"");  // none is given: all are known
  options.add_known_shares("mlZ2da");
  options.add_known_shares("web*");
  EXPECT_EQ(share("ml-a", options), "\"mlZ2da\"");
  EXPECT_EQ(share("web7", options), "\"web7\"");
  EXPECT_THAT(share("ml", options), HasSubstr("share `ml` is none of AdapterOptions.known_shares"));
  options.set_default_share("webrest");
  EXPECT_EQ(share("ml", options), "\"webrest\"");
  EXPECT_EQ(Member(MustPrepare(Request(), policy, QueuePolicy::kFairShare, options).body,
                   "shareIdentifier"),
            "\"webrest\"");
  options.set_default_share("rest");
  EXPECT_THAT(std::string(Adapter::Create(options).status().message()),
              HasSubstr("default_share: `rest` is none of known_shares"));
  options.add_known_shares("a b");
  EXPECT_THAT(std::string(Adapter::Create(options).status().message()),
              HasSubstr("known_shares[2]: `a b`"));
}

TEST(Prepare, SharesOfIllegalNames) {
  const CompiledPolicy policy = Policy("set: 1");
  for (const std::string& bad :
       std::vector<std::string>{"a-b", "*", "a**", "ü", std::string(256, 'a')}) {
    const auto prepared =
        TryPrepare(Request(R"("shareIdentifier":")" + bad + "\""), policy, QueuePolicy::kOfRequest);
    EXPECT_THAT(std::string(prepared.status().message()), HasSubstr("shareIdentifier: `")) << bad;
  }
  const auto quota =
      TryPrepare(Service(R"(,"quotaShareName":"a b")"), policy, QueuePolicy::kOfRequest);
  EXPECT_THAT(std::string(quota.status().message()), HasSubstr("quotaShareName: `a b`"));
  const auto longer = TryPrepare(Service(R"(,"tags":{"team":")" + std::string(129, 'a') + "\"}"),
                                 policy, QueuePolicy::kQuotaShare);
  EXPECT_THAT(std::string(longer.status().message()), HasSubstr("at most 128"));
}

TEST(Prepare, QuotaShares) {
  const CompiledPolicy policy = Policy("set: 44");
  const auto own =
      MustPrepare(Service(R"(,"quotaShareName":"nlp-share")"), policy, QueuePolicy::kOfRequest);
  EXPECT_EQ(Member(own.body, "quotaShareName"), "\"nlp-share\"");
  EXPECT_EQ(Member(own.body, "schedulingPriority"), "44");
  const auto switched = MustPrepare(Service(R"(,"shareIdentifier":"x","tags":{"team":"t"})"),
                                    policy, QueuePolicy::kQuotaShare);
  EXPECT_EQ(Member(switched.body, "shareIdentifier"), "");
  EXPECT_EQ(Member(switched.body, "quotaShareName"), "\"t\"");
  const auto both = TryPrepare(Service(R"(,"shareIdentifier":"x","quotaShareName":"y")"), policy,
                               QueuePolicy::kOfRequest);
  EXPECT_THAT(std::string(both.status().message()), HasSubstr("keep one of them"));
  const auto container =
      TryPrepare(Request(R"("tags":{"team":"t"})"), policy, QueuePolicy::kQuotaShare);
  EXPECT_THAT(std::string(container.status().message()), HasSubstr("takes service jobs only"));
}

TEST(Prepare, TimeoutOnlyShortens) {
  const std::string defined =
      R"({"timeout":{"attemptDurationSeconds":600},"containerProperties":{}})";
  const auto timeout = [&](int limit, const std::string& own, const std::string& definition) {
    const auto prepared =
        MustPrepare(Request(own), Policy("set: 1 limit_runtime_seconds: " + std::to_string(limit)),
                    QueuePolicy::kNone, {}, definition);
    return Member(prepared.body, "timeout>attemptDurationSeconds");
  };
  const std::string own = R"("timeout":{"attemptDurationSeconds":900})";
  EXPECT_EQ(timeout(300, own, defined), "300");
  EXPECT_EQ(timeout(900, own, defined), "900");
  EXPECT_EQ(timeout(1000, own, defined), "900");
  EXPECT_EQ(timeout(300, "", defined), "300");
  EXPECT_EQ(timeout(700, "", defined), "");  // the definition's is shorter
  EXPECT_EQ(timeout(700, "", ""), "700");
  EXPECT_EQ(timeout(700, R"("timeout":{})", ""), "700");
  EXPECT_EQ(timeout(700, R"("timeout":null)", ""), "700");
  EXPECT_EQ(timeout(5, own, defined), "60");  // Batch's least
  EXPECT_EQ(timeout(5, R"("timeout":{"attemptDurationSeconds":60})", ""), "60");
  const auto blind =
      MustPrepare(Request(), Policy("limit_runtime_seconds: 700"), QueuePolicy::kNone);
  EXPECT_THAT(blind.remarks,
              ::testing::Contains(HasSubstr("the job definition is not known; a shorter")));
  EXPECT_EQ(Member(MustPrepare(Request(), Policy("set: 1"), QueuePolicy::kNone).body, "timeout"),
            "");
}

TEST(Prepare, TimeoutOfServiceJobs) {
  const CompiledPolicy policy = Policy("set: 1 limit_runtime_seconds: 1800");
  const auto timeout = [&](const std::string& more) {
    const std::string body = MustPrepare(Service(more), policy, QueuePolicy::kNone).body;
    EXPECT_EQ(Member(body, "timeout"), "");
    return Member(body, "timeoutConfig");
  };
  EXPECT_EQ(timeout(""), R"({"attemptDurationSeconds":1800})");
  EXPECT_EQ(timeout(R"(,"timeoutConfig":{"attemptDurationSeconds":600})"),
            R"({"attemptDurationSeconds":600})");
  EXPECT_EQ(timeout(R"(,"timeoutConfig":{"x":1, "attemptDurationSeconds":86400})"),
            R"({"x":1, "attemptDurationSeconds":1800})");
}

TEST(Prepare, DenialIsAnError) {
  const auto denied = TryPrepare(Request(), Policy("deny: \"ask for less\""), QueuePolicy::kNone);
  EXPECT_EQ(denied.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(denied.status().message(), "the policy denies this job: ask for less");
}

TEST(Prepare, WithoutAPolicyTheFallbackDecides) {
  v1::AdapterOptions options;
  auto prepared = Adapter::Create(options)->Prepare(Request(R"("shareIdentifier":"s")"), nullptr,
                                                    QueuePolicy::kOfRequest, testing::At(0));
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(Member(prepared->body, kOverride), "500");
  EXPECT_EQ(Member(prepared->body, "tags>precedent.dev/reason"), "\"FALLBACK_NO_POLICY\"");
  EXPECT_EQ(Member(prepared->body, "tags>precedent.dev/policy"), "");
  options.mutable_fallback()->set_priority(7);
  options.mutable_fallback()->set_priority_class("low");
  const auto adapter = Adapter::Create(options);
  prepared = adapter->Prepare(Request(R"("shareIdentifier":"s")"), nullptr, QueuePolicy::kOfRequest,
                              testing::At(0));
  EXPECT_EQ(Member(prepared->body, kOverride), "7");
  EXPECT_EQ(Member(prepared->body, "tags>precedent.dev/priority-class"), "\"low\"");
}

TEST(Prepare, OnlyRequests) {
  const CompiledPolicy policy = Policy("set: 1");
  for (const std::string text :
       {R"({"jobId":"1","jobName":"j","jobQueue":"q","jobDefinition":"d"})", R"({"Records":[]})",
        R"({"jobDefinitionName":"d","containerProperties":{}})", "{}"}) {
    const auto prepared = TryPrepare(text, policy, QueuePolicy::kNone);
    EXPECT_THAT(std::string(prepared.status().message()),
                HasSubstr("is not the body of SubmitJob"));
  }
  const auto broken =
      TryPrepare(Request(R"("tags":{"failure-count":"x"})"), policy, QueuePolicy::kNone);
  EXPECT_THAT(std::string(broken.status().message()), HasSubstr("tags.failure-count"));
}

TEST(Update, OnlyWherePriorityCountsAndChanges) {
  const CompiledPolicy policy = Policy("set: 70000");
  const auto update = [&](const std::string& members) {
    return Adapter::Create()->PrepareUpdate(
        R"({"jobId":"a\"b","jobName":"s","serviceJobType":"SAGEMAKER_TRAINING")" + members + "}",
        &policy.evaluator(), testing::At(0));
  };
  EXPECT_EQ(**update(R"(,"quotaShareName":"n","status":"RUNNING","schedulingPriority":5)"),
            R"({"jobId":"a\"b","schedulingPriority":9999})");
  EXPECT_TRUE(update(R"(,"quotaShareName":"n","schedulingPriority":5)")->has_value());
  EXPECT_FALSE(update(R"(,"quotaShareName":"n","schedulingPriority":9999)")->has_value());
  EXPECT_FALSE(update(R"(,"schedulingPriority":5)")->has_value());
  for (const char* ended : {"SUCCEEDED", "FAILED"}) {
    EXPECT_FALSE(update(R"(,"quotaShareName":"n","schedulingPriority":5,"status":")" +
                        std::string(ended) + "\"")
                     ->has_value());
  }
  EXPECT_FALSE(Adapter::Create()
                   ->PrepareUpdate(R"({"jobId":"1","jobName":"j","jobDefinition":"d"})",
                                   &policy.evaluator(), testing::At(0))
                   .ok());
  EXPECT_EQ(*UpdateServiceJobBody("x", -5), R"({"jobId":"x","schedulingPriority":0})");
  EXPECT_FALSE(UpdateServiceJobBody("", 5).ok());
  EXPECT_FALSE(UpdateServiceJobBody("\xff", 5).ok());
}

}  // namespace
}  // namespace precedent::aws
