// That the benchmark notices wrong results, and that nobody gives any.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/evaluate/claims.h"
#include "bench/evaluate/scenario.h"
#include "bench/harness/subject.h"
#include "bench/workload/policy.h"
#include "bench/workload/shapes.h"

namespace precedent::bench {
namespace {

Scenario Small(std::size_t jobs, RuleSet (*rules)(std::size_t), std::size_t count) {
  Scenario scenario;
  scenario.name = "small";
  scenario.jobs = [jobs] { return MakeJobs(jobs); };
  scenario.rules = [=] { return rules(count); };
  scenario.measurements = {kBound, kTexts, kRecords, kBind, kBatch, kNaive, kLinear};
  return scenario;
}

void ExpectAllAgree(const Scenario& scenario) {
  std::string error;
  const Results results = Run(scenario, {0}, &error);
  EXPECT_EQ(error, "");
  for (const std::string& name : scenario.measurements)
    if (name != kLuaJit && name != kLua54) {  // in this build or not
      EXPECT_EQ(results.count(name), 1u) << name;
    }
}

TEST(Contenders, AgreeAboutTheSeedPolicy) {
  Scenario scenario;
  scenario.jobs = [] { return MakeJobs(512); };
  scenario.policy = SeedPolicy;
  scenario.measurements = {kBound, kTexts,   kRecords, kBind,   kBatch,
                           kEnums, kStrings, kViews,   kLuaJit, kLua54};
  ExpectAllAgree(scenario);
}

TEST(Contenders, AgreeAboutAdds) {
  Scenario scenario = Small(
      256, [](std::size_t count) { return Adds(count); }, 300);
  scenario.measurements.insert(scenario.measurements.end(), {kLuaJit, kLua54});
  ExpectAllAgree(scenario);
}

TEST(Contenders, AgreeAboutEveryShape) {
  const auto many_breakpoints = [](std::size_t count) { return ManyBreakpoints(count, 100); };
  for (RuleSet (*shape)(std::size_t) :
       {Mixed, MixedInOneStage, OneTeamOwnsAll, NothingSelective, AllNotIn, EightMatches,
        FirstMatch, FirstMatchAtOnce, AllTimed, +many_breakpoints})
    ExpectAllAgree(Small(64, shape, 200));
}

TEST(Contenders, AreCheckedForEveryJob) {
  class Wrong : public Contender {
   public:
    void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
      right->Run(begin, end, priorities);
      ++priorities[end - begin - 1];
    }
    std::unique_ptr<Contender> right;
  };
  const std::vector<Job> jobs = MakeJobs(16);
  std::string error;
  const std::unique_ptr<Subject> subject = Subject::Make(SeedPolicy(), jobs, &error);
  ASSERT_NE(subject, nullptr) << error;
  ASSERT_EQ(subject->CheckAgainstReference(), "");
  Wrong wrong;
  wrong.right = subject->Bound();
  EXPECT_EQ(subject->Check(*wrong.right), "");
  EXPECT_EQ(subject->Check(wrong).substr(0, 7), "job 15:");
}

TEST(Contenders, SeedPolicyIsTheOneThatIsWrittenByHand) {
  const std::vector<Job> jobs = MakeJobs(512);
  std::string error;
  const std::unique_ptr<Subject> subject = Subject::Make(SeedPolicy(), jobs, &error);
  ASSERT_NE(subject, nullptr) << error;
  std::vector<std::int32_t> priorities(jobs.size());
  subject->FromTexts()->Run(0, jobs.size(), priorities.data());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    ASSERT_EQ(priorities[i], SeedPriority(jobs[i])) << i;
}

// A misspelt name would leave a claim out of the table without a word.
TEST(Claims, AreAboutWhatIsMeasured) {
  const std::vector<Scenario> scenarios = Scenarios(false);
  const auto is_measured = [&](const Figure& figure) {
    if (figure.measurement == kBytes || figure.measurement == kQueue)
      return std::any_of(scenarios.begin(), scenarios.end(), [&](const Scenario& scenario) {
        return scenario.name == figure.scenario;
      });
    for (const Scenario& scenario : scenarios)
      if (scenario.name == figure.scenario)
        return std::count(scenario.measurements.begin(), scenario.measurements.end(),
                          figure.measurement) == 1;
    return false;
  };
  for (const Claim& claim : Claims()) {
    EXPECT_TRUE(is_measured(claim.figure))
        << claim.figure.scenario << "/" << claim.figure.measurement;
    if (claim.form != Claim::Form::kValue && claim.form != Claim::Form::kReportedValue) {
      EXPECT_TRUE(is_measured(claim.against))
          << claim.against.scenario << "/" << claim.against.measurement;
    }
  }
}

TEST(Claims, AreJudgedByTheirForm) {
  const AllResults results = {{"s", {{"a", 10}, {"b", 40}}}};
  Claim claim{"", {"s", "a"}, {"s", "b"}, Claim::Form::kAtMost, 0.25, ""};
  EXPECT_EQ(*ValueOf(claim, results), 0.25);
  EXPECT_TRUE(IsMet(claim, 0.25));
  EXPECT_FALSE(IsMet(claim, 0.26));
  claim.form = Claim::Form::kTimesFaster;
  EXPECT_EQ(*ValueOf(claim, results), 4);
  claim.limit = 4;
  EXPECT_TRUE(IsMet(claim, 4));
  EXPECT_FALSE(IsMet(claim, 3.9));
  claim.form = Claim::Form::kDifference;
  EXPECT_EQ(*ValueOf(claim, results), -30);
  claim.form = Claim::Form::kValue;
  EXPECT_EQ(*ValueOf(claim, results), 10);
  claim.figure.measurement = "c";
  EXPECT_FALSE(ValueOf(claim, results).has_value());
}

}  // namespace
}  // namespace precedent::bench
