// The evaluator's semantics, one small policy at a time. The differential tests go
// over them wholesale; these say what is meant.
#include "precedent/evaluator.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies.h"

namespace precedent {
namespace {

using testing::At;
using testing::Compile;
using testing::CompileRules;

std::vector<std::string> Applied(const Evaluator& evaluator, const JobDescriptor& job,
                                 TimePoint now = At(0)) {
  std::uint32_t rules[64];
  const std::size_t count = evaluator.AppliedRules(job, now, rules);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.emplace_back(evaluator.rule(rules[i]).id);
  return ids;
}

TEST(Evaluator, EffectsApplyInOrder) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "a" add: 5 } rules { id: "b" at_least: 10 } rules { id: "c" add: 7 }
    rules { id: "d" at_most: 12 } rules { id: "e" add: -2 })");
  EXPECT_EQ(policy.evaluator().Evaluate(JobDescriptor(), At(0)).priority, 10);
  const CompiledPolicy reversed = CompileRules(R"(
    rules { id: "e" add: -2 } rules { id: "d" at_most: 12 } rules { id: "c" add: 7 }
    rules { id: "b" at_least: 10 } rules { id: "a" add: 5 } rules { id: "s" set: 3 })");
  EXPECT_EQ(reversed.evaluator().Evaluate(JobDescriptor(), At(0)).priority, 3);
}

TEST(Evaluator, AbsentNumbersSatisfyOnlyPresentFalse) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "few" when { gpu_count { at_most: 4 } } add: 1 }
    rules { id: "any" when { gpu_count { present: true } } add: 10 }
    rules { id: "none" when { gpu_count { present: false } } add: 100 })");
  JobDescriptor job;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 100);
  job.gpu_count = 0;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 11);
  job.gpu_count = 4.5;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 10);
}

TEST(Evaluator, AbsentTextsSatisfyNotIn) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "not-a" when { team { not_in: "a" } } add: 1 }
    rules { id: "present-not-a" when { team { not_in: "a" present: true } } add: 10 }
    rules { id: "x-not-xa" when { team { prefix: "x" not_in: "xa" } } add: 100 }
    rules { id: "absent" when { team { present: false } } add: 1000 })");
  JobDescriptor job;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 1001);
  job.team = "a";
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 0);
  job.team = "b";
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 11);
  job.team = "xa";
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 11);
  job.team = "xb";
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 111);
}

TEST(Evaluator, OfLabelsAbsentAndEmptyDifferAndTheFirstOfAKeyCounts) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "empty" when { labels { key: "tier" value { in: "" } } } add: 1 }
    rules { id: "gold" when { labels { key: "tier" value { in: "gold" } } } add: 10 }
    rules { id: "present" when { labels { key: "tier" value { present: true } } } add: 100 })");
  JobDescriptor job;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 0);
  const Label empty[] = {{"other", "gold"}, {"tier", ""}, {"tier", "gold"}};
  job.labels = empty;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 101);
  const Label gold[] = {{"tier", "gold"}, {"tier", ""}};
  job.labels = gold;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 110);
}

TEST(Evaluator, AnyListOfATextSuffices) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "r" when { image { in: "exact" prefix: "reg.example/" suffix: ":gpu"
                                   contains: "cuda" regex: "v[0-9]+" } } add: 1 })");
  for (const char* image : {"exact", "reg.example/x", "x:gpu", "a-cuda-b", "v12"}) {
    JobDescriptor job;
    job.image = image;
    EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 1) << image;
  }
  JobDescriptor job;
  job.image = "v12x";
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 0);
  EXPECT_FALSE(policy.evaluator().lock_free());
  EXPECT_TRUE(policy.evaluator().image().empty());
}

TEST(Evaluator, NestedPrefixesAllCount) {
  std::string rules;
  const std::vector<std::string> prefixes = {"a", "ab", "abc", "abd", "b", ""};
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    rules += "rules { id: 'p" + std::to_string(i) + "' when { namespace { prefix: '" +
             prefixes[i] + "' } } add: " + std::to_string(1 << i) + " }";
  // So many others that prefixes are filed by value.
  for (int i = 0; i < 100; ++i)
    rules += "rules { id: 'q" + std::to_string(i) + "' when { namespace { prefix: 'q" +
             std::to_string(i) + "' } } add: 1000 }";
  const CompiledPolicy policy = CompileRules(rules);
  for (const char* text : {"a", "ab", "abc", "abcd", "abd", "abe", "ac", "b", "c", "~"}) {
    int expected = 0;
    for (std::size_t i = 0; i < prefixes.size(); ++i)
      if (std::string(text).rfind(prefixes[i], 0) == 0) expected += 1 << i;
    JobDescriptor job;
    job.namespace_name = text;
    EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, expected) << text;
  }
}

TEST(Evaluator, FirstMatchStopsItsStageAndFinalStopsAll) {
  const CompiledPolicy policy = Compile(R"(
    stages { mode: FIRST_MATCH
      rules { id: "stop" when { team { in: "quiet" } } }
      rules { id: "one" add: 1 } rules { id: "two" add: 2 } }
    stages { rules { id: "end" when { preemptible: true } set: 0 final: true } }
    stages { rules { id: "late" add: 100 } })");
  JobDescriptor job;
  EXPECT_EQ(Applied(policy.evaluator(), job), (std::vector<std::string>{"one", "late"}));
  job.team = "quiet";
  EXPECT_EQ(Applied(policy.evaluator(), job), (std::vector<std::string>{"stop", "late"}));
  job.preemptible = true;
  EXPECT_EQ(Applied(policy.evaluator(), job), (std::vector<std::string>{"stop", "end"}));
  EXPECT_TRUE(policy.evaluator().Evaluate(job, At(0)).preemptible);
}

TEST(Evaluator, OrderOnlyLeavesPreemptionAndClassAlone) {
  const CompiledPolicy policy = Compile(R"(
    stages { rules { id: "base" set: 500 }
             rules { id: "aging" order_only: true add_scaled { of: WAIT_SECONDS per: 60 points: 1 } } }
    priority_classes { name: "high" at_least: 600 } priority_classes { name: "low" at_least: 0 })");
  JobDescriptor job;
  job.submitted = At(0);
  const Decision decision = policy.evaluator().Evaluate(job, At(60 * 200));
  EXPECT_EQ(decision.priority, 700);
  EXPECT_EQ(decision.preemption_priority, 500);
  EXPECT_EQ(decision.priority_class, "low");
}

TEST(Evaluator, TheLastOutcomeWinsAndAnyDenyDenies) {
  const CompiledPolicy policy = Compile(R"(
    stages {
      rules { id: "a" deny: "first" warn: "w1" limit_runtime_seconds: 100 share_identifier: "s1"
              priority_class: "low" never_preempt_others: true
              annotate { key: "k" value: "1" } annotate { key: "l" value: "1" } }
      rules { id: "b" deny: "second" warn: "w2" limit_runtime_seconds: 200 share_identifier: "s2"
              priority_class: "high" never_preempt_others: false annotate { key: "k" value: "2" } }
      rules { id: "c" set: 700 } }
    priority_classes { name: "high" at_least: 600 } priority_classes { name: "low" at_least: 0 })");
  const Evaluator& evaluator = policy.evaluator();
  const Decision decision = evaluator.Evaluate(JobDescriptor(), At(0));
  EXPECT_EQ(decision.verdict, Verdict::kDeny);
  EXPECT_EQ(decision.denial, "second");
  EXPECT_EQ(decision.limit_runtime_seconds, 200);
  EXPECT_EQ(decision.share_identifier, "s2");
  EXPECT_EQ(decision.priority_class, "high");
  EXPECT_FALSE(decision.never_preempt_others);
  EXPECT_EQ(decision.priority, 700);
  EXPECT_EQ(evaluator.rule(0).warning, "w1");
  EXPECT_EQ(evaluator.rule(1).warning, "w2");
  EXPECT_EQ(evaluator.rule(2).warning, std::nullopt);
  ASSERT_EQ(evaluator.rule(0).annotation_count, 2u);
  EXPECT_EQ(evaluator.annotation(0, 0).key, "k");
  EXPECT_EQ(evaluator.annotation(0, 1).key, "l");
  EXPECT_EQ(evaluator.annotation(1, 0).value, "2");
}

TEST(Evaluator, InvalidInputGetsTheFallback) {
  const CompiledPolicy policy = Compile(R"(
    stages { rules { id: "r" set: 900 } } fallback { priority: 123 }
    priority_classes { name: "high" at_least: 600 } priority_classes { name: "low" at_least: 0 })");
  const auto expect_fallback = [&](const JobDescriptor& job, bool invalid) {
    const Decision d = policy.evaluator().Evaluate(job, At(0));
    EXPECT_EQ(d.reason, invalid ? Reason::kFallbackInvalidInput : Reason::kDerived);
    EXPECT_EQ(d.priority, invalid ? 123 : 900);
    EXPECT_EQ(d.priority_class, invalid ? "low" : "high");
    EXPECT_EQ(d.policy_fingerprint.size(), 32u);
    EXPECT_EQ(Applied(policy.evaluator(), job).size(), invalid ? 0u : 1u);
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double JobDescriptor::*numbers[] = {
      &JobDescriptor::gpu_count, &JobDescriptor::pod_count, &JobDescriptor::dataset_bytes,
      &JobDescriptor::max_runtime_seconds, &JobDescriptor::checkpoint_interval_seconds};
  for (const auto number : numbers) {
    for (double value : {-1.0, -std::numeric_limits<double>::denorm_min(), kInf, -kInf, 0.0, -0.0,
                         kAbsent, -kAbsent, 1e300}) {
      JobDescriptor job;
      job.*number = value;
      expect_fallback(job, !IsAbsent(value) && (value < 0 || value == kInf));
    }
  }
  std::int64_t Lineage::*counts[] = {
      &Lineage::failure_count, &Lineage::preemption_count, &Lineage::infrastructure_failure_count,
      &Lineage::attempt, &Lineage::depth, &Lineage::step};
  for (const auto count : counts) {
    JobDescriptor job;
    job.lineage.*count = -1;
    expect_fallback(job, true);
    job.lineage.*count = std::numeric_limits<std::int64_t>::max();
    expect_fallback(job, false);
  }
  JobDescriptor job;
  job.lineage.reported_priority = -5;
  expect_fallback(job, false);
  job.lineage.reported_priority = -kInf;
  expect_fallback(job, true);
  job.lineage.reported_priority = kAbsent;
  job.lineage.progress = -0.5;
  expect_fallback(job, true);
  job.lineage.progress = 0.5;
  job.lineage.predecessor_runtime_seconds = kInf;
  expect_fallback(job, true);
  job.lineage.predecessor_runtime_seconds = 3;
  const Metric metrics[] = {{"unknown", -3}, {"other", kInf}};
  job.metrics = Span<const Metric>(metrics, 1);
  expect_fallback(job, false);
  job.metrics = metrics;
  expect_fallback(job, true);
}

TEST(Evaluator, NoPolicyGetsTheFallbackOfTheCaller) {
  const Decision d = FallbackDecision(Fallback{42, "default"});
  EXPECT_EQ(d.priority, 42);
  EXPECT_EQ(d.preemption_priority, 42);
  EXPECT_EQ(d.priority_class, "default");
  EXPECT_EQ(d.reason, Reason::kFallbackNoPolicy);
  EXPECT_EQ(d.verdict, Verdict::kAllow);
  EXPECT_TRUE(d.policy_fingerprint.empty());
}

TEST(Evaluator, ClaimsThatMustBeVerifiedCountAsAbsent) {
  const CompiledPolicy policy = Compile(R"(
    stages { rules { id: "prod" when { team { in: "prod" } } add: 1000 }
             rules { id: "fail" add_scaled { of: FAILURE_COUNT points: 10 } }
             rules { id: "spot" when { preemptible: true } add: 1 } }
    require_verified: [ TEAM, LINEAGE, PREEMPTIBLE ])");
  JobDescriptor job;
  job.team = "prod";
  job.lineage.failure_count = 3;
  job.preemptible = true;
  EXPECT_EQ(policy.evaluator().Evaluate(job, At(0)).priority, 1031);
  job.claimed = Bit(Attribute::kTeam) | Bit(Attribute::kQueue);
  Decision d = policy.evaluator().Evaluate(job, At(0));
  EXPECT_EQ(d.priority, 31);
  EXPECT_EQ(d.ignored_claims, Bit(Attribute::kTeam));
  job.claimed = Bit(Attribute::kLineage) | Bit(Attribute::kPreemptible);
  d = policy.evaluator().Evaluate(job, At(0));
  EXPECT_EQ(d.priority, 1000);
  EXPECT_FALSE(d.preemptible);
  EXPECT_EQ(d.ignored_claims, job.claimed);
  // Nothing claimed is present: nothing to remark.
  JobDescriptor nothing;
  nothing.claimed = ~0u;
  EXPECT_EQ(policy.evaluator().Evaluate(nothing, At(0)).ignored_claims, 0u);
}

TEST(Evaluator, ABoundJobIsTheJob) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "a" when { team { prefix: "x" } wait_seconds { above: 10 } } add: 3 }
    rules { id: "m" add_scaled { metric: "share" points: 100 } })");
  const Evaluator& evaluator = policy.evaluator();
  std::vector<std::uint64_t> storage(evaluator.bound_size() / 8);
  std::string team = "xyz";
  Metric metric = {"share", 0.5};
  JobDescriptor job;
  job.team = team;
  job.submitted = At(0);
  job.metrics = Span<const Metric>(&metric, 1);
  const BoundJob bound = evaluator.Bind(
      job, Span<std::byte>(reinterpret_cast<std::byte*>(storage.data()), storage.size() * 8));
  // It keeps nothing of the job.
  team = "abc";
  metric.value = 7;
  EXPECT_EQ(evaluator.Evaluate(bound, At(10)).priority, 50);
  EXPECT_EQ(evaluator.Evaluate(bound, At(11)).priority, 53);
}

TEST(Evaluator, PoliciesOverOneWindowOfRules) {
  // More rules than a bitmap holds: effects of all windows, in order, and final.
  v1::Policy policy;
  v1::Stage* stage = policy.add_stages();
  constexpr int kRules = 70'000;
  for (int i = 0; i < kRules; ++i) {
    v1::Rule* rule = stage->add_rules();
    rule->set_id(std::to_string(i));
    rule->add_when()->mutable_team()->add_in("t" + std::to_string(i % 1000));
    rule->set_add(1);
  }
  stage->mutable_rules(69'005)->set_set(7);  // team t5, in the second window
  stage->mutable_rules(66'006)->set_final(true);
  policy.mutable_bounds()->set_max(1'000'000);
  const CompileResult result = CompilePolicy(policy);
  ASSERT_TRUE(result.ok());
  JobDescriptor job;
  job.team = "t4";
  EXPECT_EQ(result.policy->evaluator().Evaluate(job, At(0)).priority, 70);
  job.team = "t5";
  EXPECT_EQ(result.policy->evaluator().Evaluate(job, At(0)).priority, 7);
  job.team = "t6";
  EXPECT_EQ(result.policy->evaluator().Evaluate(job, At(0)).priority, 67);
}

}  // namespace
}  // namespace precedent
