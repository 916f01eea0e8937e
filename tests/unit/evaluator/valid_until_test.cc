// valid_until: hand-computed cases, and soundness by looking at every second.
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "precedent/evaluator.h"
#include "tests/unit/policies.h"

namespace precedent {
namespace {

using testing::At;
using testing::CompileRules;
using testing::Compile;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::int64_t ValidUntil(const CompiledPolicy& policy, const JobDescriptor& job, TimePoint now) {
  return policy.evaluator().Evaluate(job, now).valid_until.time_since_epoch().count();
}

JobDescriptor Submitted(std::int64_t seconds) {
  JobDescriptor job;
  job.submitted = At(seconds);
  return job;
}

TEST(ValidUntil, NeverWithoutTime) {
  const CompiledPolicy policy = CompileRules("rules { id: 'a' when { team { in: 'x' } } add: 1 }");
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(100)), kNever);
}

TEST(ValidUntil, WaitBounds) {
  const CompiledPolicy above =
      CompileRules("rules { id: 'a' when { wait_seconds { above: 10 } } add: 1 }");
  EXPECT_EQ(ValidUntil(above, Submitted(100), At(105)), 110'000'001);
  EXPECT_EQ(ValidUntil(above, Submitted(100), At(50)), 110'000'001) << "submitted in the future";
  EXPECT_EQ(ValidUntil(above, Submitted(100), At(111)), kNever);
  EXPECT_EQ(ValidUntil(above, JobDescriptor(), At(105)), kNever) << "no wait, no change";
  const CompiledPolicy range =
      CompileRules("rules { id: 'a' when { wait_seconds { at_least: 10 at_most: 20 } } add: 1 }");
  EXPECT_EQ(ValidUntil(range, Submitted(0), At(9)), 10'000'000);
  EXPECT_EQ(ValidUntil(range, Submitted(0), At(10)), 20'000'001);
  const CompiledPolicy between = CompileRules(
      "rules { id: 'a' when { wait_seconds { above: 60.0000003 below: 60.0000007 } } add: 1 }");
  EXPECT_EQ(ValidUntil(between, Submitted(0), At(60)), kNever) << "no whole microsecond";
}

TEST(ValidUntil, OnlyOfMatchesWhoseOtherConstraintsHold) {
  const CompiledPolicy policy = CompileRules(
      "rules { id: 'a' when { team { in: 'x' } wait_seconds { above: 10 } } add: 1 }"
      "rules { id: 'b' when { team { in: 'y' } wait_seconds { above: 20 } } add: 1 }");
  JobDescriptor job = Submitted(0);
  job.team = "y";
  EXPECT_EQ(ValidUntil(policy, job, At(0)), 20'000'001);
  job.team = "z";
  EXPECT_EQ(ValidUntil(policy, job, At(0)), kNever);
}

TEST(ValidUntil, FirstMatchAndFinalAreIgnored) {
  const CompiledPolicy policy = Compile(R"(
    stages { mode: FIRST_MATCH rules { id: "a" final: true }
             rules { id: "b" when { wait_seconds { above: 10 } } add: 1 } }
    stages { rules { id: "c" when { wait_seconds { above: 5 } } add: 1 } })");
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(0)), 5'000'001);
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(6)), 10'000'001);
}

TEST(ValidUntil, StepsOfAging) {
  const CompiledPolicy policy = CompileRules(
      "rules { id: 'a' add_scaled { of: WAIT_SECONDS points: 1 per: 1800 max: 3 } }");
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(0)), 1800'000'000);
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(1799)), 1800'000'000);
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(1800)), 3600'000'000);
  EXPECT_EQ(ValidUntil(policy, Submitted(0), At(5400)), kNever) << "at its max";
  const CompiledPolicy from_min = CompileRules(
      "rules { id: 'a' add_scaled { of: WAIT_SECONDS points: 1 per: 10 min: 5 } }");
  EXPECT_EQ(ValidUntil(from_min, Submitted(0), At(3)), 60'000'000);
  const CompiledPolicy sinking = CompileRules(
      "rules { id: 'a' add_scaled { of: WAIT_SECONDS points: -2 per: 10 min: -4 max: -1 } }");
  EXPECT_EQ(ValidUntil(sinking, Submitted(0), At(0)), 10'000'000);
  EXPECT_EQ(ValidUntil(sinking, Submitted(0), At(10)), 15'000'000);
  EXPECT_EQ(ValidUntil(sinking, Submitted(0), At(20)), kNever);
}

TEST(ValidUntil, EveryStepOfAwkwardAging) {
  // Closed forms go wrong by rounding; every change must be at the time told before
  // it, and nothing may change earlier.
  for (const char* scaled : {"points: 0.1 per: 0.3", "points: -7 per: 0.9", "points: 3 per: 7",
                             "points: 1e-3 per: 1e-3", "points: 0.333333 per: 1",
                             "points: 1 per: 86400.7 min: -2 max: 40"}) {
    const CompiledPolicy policy = CompileRules(
        std::string("rules { id: 'a' add_scaled { of: WAIT_SECONDS ") + scaled + " } }");
    const JobDescriptor job = Submitted(1'700'000'000);
    TimePoint now = At(1'700'000'000);
    for (int step = 0; step < 200; ++step) {
      const Decision before = policy.evaluator().Evaluate(job, now);
      if (before.valid_until == kForever) break;
      ASSERT_GT(before.valid_until, now) << scaled;
      const Decision last =
          policy.evaluator().Evaluate(job, before.valid_until - std::chrono::microseconds(1));
      const Decision after = policy.evaluator().Evaluate(job, before.valid_until);
      ASSERT_EQ(last.priority, before.priority) << scaled << " step " << step;
      ASSERT_NE(after.priority, before.priority) << scaled << " step " << step;
      now = before.valid_until;
    }
  }
}

TEST(ValidUntil, TemporaryRules) {
  const CompiledPolicy policy = CompileRules(
      "rules { id: 'a' active_from { seconds: 100 nanos: 500 } active_until { seconds: 200 } add: 1 }");
  EXPECT_EQ(ValidUntil(policy, JobDescriptor(), At(0)), 100'000'001);
  EXPECT_EQ(policy.evaluator().Evaluate(JobDescriptor(), At(100)).priority, 0);
  EXPECT_EQ(ValidUntil(policy, JobDescriptor(), At(101)), 200'000'000);
  EXPECT_EQ(policy.evaluator().Evaluate(JobDescriptor(), At(101)).priority, 1);
  EXPECT_EQ(ValidUntil(policy, JobDescriptor(), At(200)), kNever);
}

TEST(ValidUntil, HoursAndDaysSecondBySecond) {
  const CompiledPolicy policy = Compile(R"(
    stages { rules { id: "night" when { hour_of_day { above: 22 } } when { hour_of_day { below: 6 } } add: 1 }
             rules { id: "office" when { hour_of_day { at_least: 9 at_most: 17.5 }
                                         day_of_week { at_most: 5 } } add: 10 } }
    time_zone: "Europe/Berlin")");
  const Evaluator& evaluator = policy.evaluator();
  // From Friday 2026-10-23 over the end of summer time on Sunday.
  const std::int64_t begin = 1'792'713'600, end = begin + 4 * 86400;
  std::int64_t valid_until = begin;
  int changes = 0;
  Decision decision;
  for (std::int64_t second = begin; second < end; ++second) {
    const Decision now = evaluator.Evaluate(JobDescriptor(), At(second));
    ASSERT_GT(now.valid_until, At(second));
    if (second > begin) {
      changes += now.priority != decision.priority;
      if (second * 1'000'000 < valid_until) {
        ASSERT_EQ(now.priority, decision.priority) << second;
        ASSERT_EQ(now.valid_until, decision.valid_until) << second;
      }
    }
    decision = now;
    valid_until = now.valid_until.time_since_epoch().count();
  }
  EXPECT_EQ(changes, 4 * 2 + 2 * 2) << "four nights; office hours of Friday and Monday";
  // 01:00 UTC on 2026-10-25: the transition, whatever the rules say.
  EXPECT_EQ(evaluator.Evaluate(JobDescriptor(), At(1'792'886'400)).valid_until, At(1'792'890'000));
}

TEST(ValidUntil, FarTimesDoNotOverflow) {
  const CompiledPolicy policy = CompileRules(R"(
    rules { id: "a" when { wait_seconds { above: 10 } hour_of_day { above: 3 } day_of_week { above: 2 } } add: 1 }
    rules { id: "b" add_scaled { of: WAIT_SECONDS points: 1e-12 } })");
  for (std::int64_t now : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, kNever}) {
    for (std::int64_t submitted : {std::numeric_limits<std::int64_t>::min() + 1, kNever}) {
      JobDescriptor job;
      job.submitted = TimePoint(std::chrono::microseconds(submitted));
      const Decision d =
          policy.evaluator().Evaluate(job, TimePoint(std::chrono::microseconds(now)));
      EXPECT_TRUE(d.valid_until.time_since_epoch().count() > now || d.valid_until == kForever);
    }
  }
}

}  // namespace
}  // namespace precedent
