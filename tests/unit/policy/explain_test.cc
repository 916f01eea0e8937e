#include "precedent/explain.h"

#include <string>

#include "gtest/gtest.h"
#include "gmock/gmock.h"
#include "tests/unit/policies.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;
using testing::At;

constexpr char kPolicy[] = R"(
  name: "told"
  stages { name: "base" mode: FIRST_MATCH
    rules { id: "production" when { environment { in: "production" } } set: 1000 }
    rules { id: "everyone" set: 500 }
    rules { id: "never-reached" add: 1 } }
  stages { name: "size"
    rules { id: "large" when { gpu_count { above: 4 } } when { pod_count { at_least: 16 } } add: -50 }
    rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 } }
    rules { id: "aging" order_only: true add_scaled { of: WAIT_SECONDS points: 1 per: 60 } }
    rules { id: "campaign" active_from { seconds: 5000 } add: 9 } }
  stages { rules { id: "spot" when { preemptible: true } set: 0 final: true }
           rules { id: "tail" at_least: 20000 deny: "no" } }
  priority_classes { name: "high" at_least: 600 } priority_classes { name: "low" at_least: 0 })";

TEST(Explain, TellsEveryRule) {
  const CompiledPolicy policy = testing::Compile(kPolicy);
  JobDescriptor job;
  job.gpu_count = 2;
  job.pod_count = 16;
  job.lineage.failure_count = 3;
  job.submitted = At(0);
  const Explanation told = Explain(policy, job, At(600));
  ASSERT_EQ(told.stages.size(), 3u);
  const auto& base = told.stages[0].rules;
  EXPECT_EQ(base[0].fate, RuleStory::Fate::kNoMatch);
  ASSERT_EQ(base[0].unmet.size(), 1u);
  EXPECT_EQ(base[0].unmet[0].path, "when[0].environment");
  EXPECT_EQ(base[0].unmet[0].wanted, "in `production`");
  EXPECT_EQ(base[0].unmet[0].seen, "absent");
  EXPECT_EQ(base[1].fate, RuleStory::Fate::kApplied);
  EXPECT_EQ(base[1].after, 500);
  EXPECT_EQ(base[2].fate, RuleStory::Fate::kStageEnded);

  const auto& size = told.stages[1].rules;
  EXPECT_EQ(size[0].fate, RuleStory::Fate::kApplied);
  ASSERT_EQ(size[0].seen.size(), 1u);
  EXPECT_EQ(size[0].seen[0].attribute, "pod_count");
  EXPECT_EQ(size[0].seen[0].value, "16");
  EXPECT_EQ(size[1].effects[0], "add -30 (lineage.failure_count 3)");
  EXPECT_EQ(size[1].before, 450);
  EXPECT_EQ(size[1].after, 420);
  EXPECT_EQ(size[2].after, 430);
  EXPECT_EQ(size[2].preemption_after, 420);
  EXPECT_EQ(size[3].unmet[0].path, "active_from");

  EXPECT_EQ(told.score, 20000);
  EXPECT_EQ(told.decision.priority, 9999);
  EXPECT_EQ(told.decision.verdict, Verdict::kDeny);
  const std::string text = FormatExplanation(told);
  EXPECT_THAT(text, HasSubstr("priority 9999 (score 20000, clamped to 0 to 9999)"));
  EXPECT_THAT(text, HasSubstr("when[0].environment wants in `production`, saw absent"));
  EXPECT_THAT(text, HasSubstr("denied: no"));
  EXPECT_THAT(FormatExplanation(told, false), ::testing::Not(HasSubstr("does not apply")));
}

TEST(Explain, EndsAtFinal) {
  const CompiledPolicy policy = testing::Compile(kPolicy);
  JobDescriptor job;
  job.preemptible = true;
  const Explanation told = Explain(policy, job, At(0));
  EXPECT_EQ(told.stages[2].rules[0].effects,
            (std::vector<std::string>{"set 0", "final"}));
  EXPECT_EQ(told.stages[2].rules[1].fate, RuleStory::Fate::kFinal);
  EXPECT_EQ(told.decision.priority, 0);
  EXPECT_THAT(FormatExplanation(told), HasSubstr("class low\n"));
}

TEST(Explain, AnInvalidJobHasNoStory) {
  const CompiledPolicy policy = testing::Compile(kPolicy);
  JobDescriptor job;
  job.gpu_count = -1;
  const Explanation told = Explain(policy, job, At(0));
  EXPECT_TRUE(told.stages.empty());
  EXPECT_THAT(FormatExplanation(told), HasSubstr("priority 500 (FALLBACK_INVALID_INPUT"));
}

TEST(Explain, ClaimsThatDoNotCountAreNotSeen) {
  const CompiledPolicy policy = testing::Compile(
      "stages { rules { id: 'a' when { team { in: 'x' } } add: 1 } } require_verified: TEAM");
  JobDescriptor job;
  job.team = "x";
  job.claimed = Bit(Attribute::kTeam);
  const Explanation told = Explain(policy, job, At(0));
  ASSERT_EQ(told.stages[0].rules[0].unmet.size(), 1u);
  EXPECT_EQ(told.stages[0].rules[0].unmet[0].seen, "absent");
}

}  // namespace
}  // namespace precedent
