#include "tests/reference/reference.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/reference/test_policies.h"

namespace precedent::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Outcome Decide(const std::string& policy_text, const std::string& job, std::int64_t now = 0) {
  const v1::Policy policy = PolicyOf(policy_text);
  return Reference(policy).Decide(JobOf(job), now);
}

TEST(ReferenceSeedPolicyTest, ProductionInference) {
  const Outcome outcome =
      Decide(kSeedPolicy, "environment: 'production' workload_type: 'inference' gpu_count: 8");
  EXPECT_EQ(outcome.priority, 1200);
  EXPECT_EQ(outcome.preemption_priority, 1200);
  EXPECT_EQ(outcome.priority_class, "critical");
  EXPECT_EQ(outcome.reason, v1::DERIVED);
  EXPECT_EQ(outcome.verdict, v1::ALLOW);
  EXPECT_THAT(outcome.rules, ElementsAre("production", "inference", "own-failures", "waiting"));
  EXPECT_THAT(outcome.rule_indexes, ElementsAre(0, 2, 5, 6));
  EXPECT_EQ(outcome.valid_until_us, std::nullopt);  // nobody knows when it was submitted
}

TEST(ReferenceSeedPolicyTest, AFailedLargeJobThatWaits) {
  const Outcome outcome =
      Decide(kSeedPolicy,
             "workload_type: 'training' gpu_count: 4.5 dataset_bytes: 1000000000001 "
             "lineage { failure_count: 3 } submitted { seconds: 1000000 }",
             (1'000'000 + 5399) * 1'000'000LL + 999'999);
  EXPECT_EQ(outcome.priority, 500 - 50 - 5 - 30 + 2);
  EXPECT_EQ(outcome.preemption_priority, 500 - 50 - 5 - 30);
  EXPECT_EQ(outcome.priority_class, "experimental");
  EXPECT_THAT(outcome.rules,
              ElementsAre("everyone-else", "large", "huge-dataset", "own-failures", "waiting"));
  EXPECT_EQ(outcome.valid_until_us, (1'000'000 + 5400) * 1'000'000LL);
}

TEST(ReferenceSeedPolicyTest, AgingEndsAtItsMax) {
  const char* job = "submitted { seconds: 0 }";
  EXPECT_EQ(Decide(kSeedPolicy, job, 72'000'000'000 - 1).priority, 539);
  EXPECT_EQ(Decide(kSeedPolicy, job, 72'000'000'000 - 1).valid_until_us, 72'000'000'000);
  EXPECT_EQ(Decide(kSeedPolicy, job, 72'000'000'000).priority, 540);
  EXPECT_EQ(Decide(kSeedPolicy, job, 72'000'000'000).valid_until_us, std::nullopt);
}

TEST(ReferenceSeedPolicyTest, ConsentEndsAtZero) {
  const Outcome outcome = Decide(kSeedPolicy, "environment: 'production' preemptible: true");
  EXPECT_EQ(outcome.priority, 0);
  EXPECT_EQ(outcome.priority_class, "preemptible");
  EXPECT_TRUE(outcome.preemptible);
}

TEST(ReferenceSeedPolicyTest, NeverBelowZero) {
  const Outcome outcome = Decide(kSeedPolicy, "lineage { failure_count: 60 }");
  EXPECT_EQ(outcome.priority, 0);
  EXPECT_EQ(outcome.priority_class, "preemptible");
}

TEST(ReferenceSeedPolicyTest, InvalidJobsFallBack) {
  for (const char* job :
       {"gpu_count: -1", "gpu_count: inf", "lineage { attempt: -1 }", "lineage { progress: -0.5 }",
        "lineage { reported_priority: -inf }", "metrics { key: 'm' value: inf }",
        "dataset_bytes: -1 claimed: DATASET_BYTES preemptible: true"}) {
    const Outcome outcome = Decide(kSeedPolicy, job);
    EXPECT_EQ(outcome.reason, v1::FALLBACK_INVALID_INPUT) << job;
    EXPECT_EQ(outcome.priority, 500) << job;
    EXPECT_EQ(outcome.preemption_priority, 500) << job;
    EXPECT_EQ(outcome.priority_class, "experimental") << job;
    EXPECT_FALSE(outcome.preemptible) << job;
    EXPECT_THAT(outcome.rules, IsEmpty()) << job;
  }
  for (const char* job : {"gpu_count: nan", "gpu_count: -0.0", "lineage { reported_priority: -5 }",
                          "metrics { key: 'm' value: -1 }", "metrics { key: 'm' value: nan }"})
    EXPECT_EQ(Decide(kSeedPolicy, job).reason, v1::DERIVED) << job;
}

TEST(ReferenceTest, OutcomesTheLastRuleWinsAndWarningsAccumulate) {
  const Outcome outcome = Decide(R"(
      stages {
        rules { id: "a" priority_class: "low" limit_runtime_seconds: 60 share_identifier: "s"
                never_preempt_others: true warn: "w1" deny: "d1"
                annotate { key: "k" value: "1" } annotate { key: "l" value: "1" } }
        rules { id: "b" priority_class: "high" limit_runtime_seconds: 30 never_preempt_others: false
                warn: "w2" deny: "d2" annotate { key: "k" value: "2" } set: 7 } }
      priority_classes { name: "low" at_least: 0 } priority_classes { name: "high" at_least: 10 })",
                                 "");
  EXPECT_EQ(outcome.priority, 7);
  EXPECT_EQ(outcome.priority_class, "high");
  EXPECT_EQ(outcome.limit_runtime_seconds, 30);
  EXPECT_EQ(outcome.share_identifier, "s");
  EXPECT_FALSE(outcome.never_preempt_others);
  EXPECT_THAT(outcome.warnings, ElementsAre("w1", "w2"));
  EXPECT_EQ(outcome.verdict, v1::DENY);
  EXPECT_EQ(outcome.denial, "d2");
  EXPECT_THAT(outcome.annotations, UnorderedElementsAre(Pair("k", "2"), Pair("l", "1")));
}

TEST(ReferenceTest, EffectsInOrderAndOneClampAtTheEnd) {
  const Outcome outcome = Decide(R"(
      stages { rules { id: "a" add: 20000 } rules { id: "b" add: -15000 }
               rules { id: "c" at_least: 6000 } rules { id: "d" at_most: 5500 }
               rules { id: "e" order_only: true set: 100 }
               rules { id: "f" add: 1 } })",
                                 "");
  EXPECT_EQ(outcome.priority, 101);
  EXPECT_EQ(outcome.preemption_priority, 5501);
}

TEST(ReferenceTest, OrderOnlyRulesEndStagesAndEvaluationAllTheSame) {
  const Outcome outcome = Decide(R"(
      stages { mode: FIRST_MATCH
        rules { id: "a" order_only: true add: 5 warn: "w" } rules { id: "b" add: 100 } }
      stages { rules { id: "c" order_only: true add: 3 final: true } rules { id: "d" add: 1000 } }
      stages { rules { id: "e" add: 1000 } })",
                                 "");
  EXPECT_EQ(outcome.priority, 8);
  EXPECT_EQ(outcome.preemption_priority, 0);
  EXPECT_THAT(outcome.rules, ElementsAre("a", "c"));
  EXPECT_THAT(outcome.warnings, ElementsAre("w"));
}

TEST(ReferenceTest, ScaledAmounts) {
  const auto amount = [](const std::string& scaled, const std::string& job) {
    return Decide(
               "bounds { min: -2147483648 max: 2147483647 } stages { rules { id: \"r\" add_scaled "
               "{" +
                   scaled + "} } }",
               job)
        .priority;
  };
  EXPECT_EQ(amount("of: GPU_COUNT points: 10", "gpu_count: 2.59"), 25);
  EXPECT_EQ(amount("of: GPU_COUNT points: -10", "gpu_count: 2.59"), -25);  // toward zero
  EXPECT_EQ(amount("of: GPU_COUNT points: 10 per: 4", "gpu_count: 2"), 5);
  EXPECT_EQ(amount("of: GPU_COUNT points: 1 min: 3 max: 5", "gpu_count: 2"), 3);
  EXPECT_EQ(amount("of: GPU_COUNT points: 1 min: 3 max: 5", "gpu_count: 9"), 5);
  EXPECT_EQ(amount("of: GPU_COUNT points: 1 min: 3 max: 5", ""), 0);
  EXPECT_EQ(amount("of: GPU_COUNT points: 1 min: 3", "gpu_count: nan"), 0);
  EXPECT_EQ(amount("of: DATASET_BYTES points: 1", "dataset_bytes: 1e300"), 2147483647);
  EXPECT_EQ(amount("of: DATASET_BYTES points: -1", "dataset_bytes: 1e300"), -2147483648);
  EXPECT_EQ(amount("of: DATASET_BYTES points: 0 per: 1e-300 min: 5", "dataset_bytes: 1e300"), 0);
  EXPECT_EQ(amount("metric: 'fair' points: 100", "metrics { key: 'fair' value: -0.5 }"), -50);
  EXPECT_EQ(amount("metric: 'fair' points: 100 min: 1", "metrics { key: 'other' value: 1 }"), 0);
  EXPECT_EQ(amount("of: REPORTED_PRIORITY points: 1", "lineage { reported_priority: -7 }"), -7);
}

TEST(ReferenceTest, UnverifiedClaimsCountAsAbsent) {
  const char* policy = R"(
      require_verified: TEAM require_verified: PREEMPTIBLE require_verified: LINEAGE
      require_verified: LABELS require_verified: WAIT_SECONDS require_verified: GPU_COUNT
      stages {
        rules { id: "team" when { team { in: "a" } } }
        rules { id: "no-team" when { team { present: false } } }
        rules { id: "consent" when { preemptible: true } }
        rules { id: "failed" when { lineage { failure_count { above: 0 } } } }
        rules { id: "label" when { labels { key: "l" value { present: true } } } }
        rules { id: "waits" when { wait_seconds { present: true } } }
        rules { id: "user" when { user { in: "u" } } } })";
  const std::string job =
      "team: 'a' preemptible: true lineage { failure_count: 1 } labels { key: 'l' value: '' } "
      "submitted { seconds: 0 } user: 'u' ";
  EXPECT_THAT(Decide(policy, job).rules,
              ElementsAre("team", "consent", "failed", "label", "waits", "user"));
  const Outcome outcome = Decide(policy, job +
                                             "claimed: TEAM claimed: PREEMPTIBLE claimed: LINEAGE "
                                             "claimed: LABELS claimed: WAIT_SECONDS claimed: USER "
                                             "claimed: GPU_COUNT");
  EXPECT_THAT(outcome.rules, ElementsAre("no-team", "user"));
  EXPECT_FALSE(outcome.preemptible);
  // The GPUs were claimed too, and absent.
  EXPECT_EQ(outcome.ignored_claims, 1u << v1::TEAM | 1u << v1::PREEMPTIBLE | 1u << v1::LINEAGE |
                                        1u << v1::LABELS | 1u << v1::WAIT_SECONDS);
}

TEST(ReferenceTest, AnInvalidClaimIsInvalidEvenWhereItIsIgnored) {
  const Outcome outcome = Decide("require_verified: GPU_COUNT", "gpu_count: -1 claimed: GPU_COUNT");
  EXPECT_EQ(outcome.reason, v1::FALLBACK_INVALID_INPUT);
  EXPECT_EQ(outcome.ignored_claims, 1u << v1::GPU_COUNT);
}

TEST(ReferenceTest, FallbackOfThePolicy) {
  const Outcome outcome = Decide(
      "fallback { priority: 40 priority_class: 'high' } priority_classes { name: 'low' at_least: 0 "
      "} "
      "priority_classes { name: 'high' at_least: 100 }",
      "gpu_count: -1");
  EXPECT_EQ(outcome.priority, 40);
  EXPECT_EQ(outcome.priority_class, "high");
}

TEST(ReferenceTest, InactiveRulesDoNotEndAStage) {
  const char* policy = R"(stages { mode: FIRST_MATCH
      rules { id: "a" active_until { seconds: 10 } add: 1 } rules { id: "b" add: 2 } })";
  EXPECT_EQ(Decide(policy, "", 9'999'999).priority, 1);
  EXPECT_EQ(Decide(policy, "", 10'000'000).priority, 2);
}

}  // namespace
}  // namespace precedent::reference
