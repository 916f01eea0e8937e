// The streams of jobs and rules are those that all published figures are about.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bench/workload/checksum.h"
#include "bench/workload/policy.h"
#include "bench/workload/shapes.h"

// Where these streams were defined first, if that is at hand.
#if __has_include(PRECEDENT_FIRST_WORKLOAD)
#include PRECEDENT_FIRST_WORKLOAD
#define PRECEDENT_HAS_FIRST_WORKLOAD 1
#endif

namespace precedent::bench {
namespace {

// Changing a stream makes all earlier figures incomparable, so the sums stand here.
TEST(Workload, StreamsNeverChange) {
  EXPECT_EQ(ChecksumOf(MakeJobs()), 424530402280584462u);
  EXPECT_EQ(ChecksumOf(MakeJobs(32'768)), 2711852937053062689u);
  EXPECT_EQ(ChecksumOf(MakeRules(10)), 1705845796217699204u);
  EXPECT_EQ(ChecksumOf(MakeRules(10'000)), 13016641144363051970u);
  EXPECT_EQ(ChecksumOf(MakeRules(10'000, kTeams, 7, 10)), 16254915018272360863u);
}

TEST(Workload, ChecksumSeesEveryValue) {
  const std::vector<Job> jobs = MakeJobs(2);
  const std::uint64_t sum = ChecksumOf(jobs);
  const auto changed = [&](auto change) {
    std::vector<Job> other = jobs;
    change(other[1]);
    return ChecksumOf(other) != sum;
  };
  EXPECT_TRUE(changed([](Job& job) { job.team += "x"; }));
  EXPECT_TRUE(changed([](Job& job) { job.name_space += "x"; }));
  EXPECT_TRUE(changed([](Job& job) { job.workload += "x"; }));
  EXPECT_TRUE(changed([](Job& job) { job.environment += "x"; }));
  EXPECT_TRUE(changed([](Job& job) { ++job.gpus; }));
  EXPECT_TRUE(changed([](Job& job) { ++job.dataset_gb; }));
  EXPECT_TRUE(changed([](Job& job) { ++job.failures; }));
  EXPECT_TRUE(changed([](Job& job) { job.preemptible = !job.preemptible; }));
  EXPECT_TRUE(changed([](Job& job) { job.labels[0].first += "x"; }));
  EXPECT_TRUE(changed([](Job& job) { job.labels[0].second += "x"; }));

  const std::vector<Rule> rules = MakeRules(2);
  const std::uint64_t rule_sum = ChecksumOf(rules);
  const auto rule_changed = [&](auto change) {
    std::vector<Rule> other = rules;
    change(other[1], other[1].when[0][0]);
    return ChecksumOf(other) != rule_sum;
  };
  EXPECT_TRUE(rule_changed([](Rule& rule, Condition&) { ++rule.points; }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { c.field = Field::kWait; }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { c.relation = Relation::kRegex; }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { c.texts.push_back(""); }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { c.key += "x"; }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { ++c.low; }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { ++c.high; }));
  EXPECT_TRUE(rule_changed([](Rule&, Condition& c) { c.flag = !c.flag; }));
}

#ifdef PRECEDENT_HAS_FIRST_WORKLOAD

Condition From(const wl::Pred& pred) {
  constexpr Field kFields[] = {Field::kTeam,        Field::kNamespace,   Field::kWorkload,
                               Field::kEnvironment, Field::kGpus,        Field::kDataset,
                               Field::kFailures,    Field::kPreemptible, Field::kLabel};
  Condition condition;
  condition.field = kFields[pred.f];
  switch (pred.op) {
    case wl::EQ:
    case wl::IN:
    case wl::LABEL_EQ:
      condition.relation = Relation::kAnyOf;
      break;
    case wl::PREFIX:
      condition.relation = Relation::kPrefix;
      break;
    case wl::REGEX:
      condition.relation = Relation::kRegex;
      break;
    case wl::RANGE:
      condition.relation = Relation::kRange;
      break;
    case wl::BOOL:
      condition.relation = Relation::kFlag;
      break;
  }
  condition.texts = pred.strs;
  condition.key = pred.key;
  condition.low = pred.lo;
  condition.high = pred.hi;
  condition.flag = pred.b;
  return condition;
}

std::vector<Rule> FirstRules(std::size_t count, unsigned regex_permille) {
  std::vector<Rule> rules;
  for (const wl::Rule& from : wl::make_rules(count, kTeams, 7, regex_permille)) {
    Rule& rule = rules.emplace_back();
    Conditions& conditions = rule.when.emplace_back();
    for (const wl::Pred& pred : from.preds) conditions.push_back(From(pred));
    rule.points = from.add;
  }
  return rules;
}

std::vector<Job> FirstJobs(std::size_t count) {
  std::vector<Job> jobs;
  for (const wl::Job& from : wl::make_jobs(count)) {
    Job& job = jobs.emplace_back();
    job.team = from.team;
    job.name_space = from.ns;
    job.workload = from.workload;
    job.environment = from.env;
    job.gpus = from.gpus;
    job.dataset_gb = from.dataset_gb;
    job.failures = from.fails;
    job.preemptible = from.preemptible;
    job.labels = from.labels;
  }
  return jobs;
}

TEST(Workload, IsByteForByteTheFirst) {
  EXPECT_EQ(ChecksumOf(MakeJobs(32'768)), ChecksumOf(FirstJobs(32'768)));
  for (const std::size_t count : {10, 100, 1000, 100'000})
    EXPECT_EQ(ChecksumOf(MakeRules(count)), ChecksumOf(FirstRules(count, 0))) << count;
#ifndef __clang__  // its patterns come out in the order in which g++ evaluates `+`
  EXPECT_EQ(ChecksumOf(MakeRules(10'000, kTeams, 7, 10)), ChecksumOf(FirstRules(10'000, 10)));
  EXPECT_EQ(ChecksumOf(MakeRules(1000, kTeams, 7, 150)), ChecksumOf(FirstRules(1000, 150)));
#endif
}

TEST(Workload, SeedPrioritiesAreTheFirst) {
  const std::vector<wl::Job> first = wl::make_jobs();
  const std::vector<Job> jobs = MakeJobs();
  for (std::size_t i = 0; i < jobs.size(); ++i)
    ASSERT_EQ(SeedPriority(jobs[i]), wl::seed_policy(first[i])) << i;
}

#else

TEST(Workload, IsByteForByteTheFirst) {
  GTEST_SKIP() << "no " << PRECEDENT_FIRST_WORKLOAD << " to compare with";
}

#endif

// Of the shapes what their names promise.
TEST(Shapes, AreWhatTheyAreCalled) {
  std::set<std::int64_t> ends;
  const RuleSet breakpoints = ManyBreakpoints(10'000, 5000);
  for (const Rule& rule : breakpoints.stages[0].rules) {
    ends.insert(rule.when[0][0].low);
    ends.insert(rule.when[0][0].high);
  }
  EXPECT_EQ(ends.size(), 5000u);

  const RuleSet owned = OneTeamOwnsAll(100);
  for (const Rule& rule : owned.stages[0].rules)
    EXPECT_EQ(rule.when[0][0].texts, std::vector<std::string>{"team-000"});

  const RuleSet excluded = AllNotIn(1000);
  for (const Rule& rule : excluded.stages[0].rules)
    for (const Condition& condition : rule.when[0]) {
      EXPECT_NE(condition.relation, Relation::kAnyOf);
      EXPECT_NE(condition.relation, Relation::kPrefix);
    }

  EXPECT_EQ(Mixed(40).stages.size(), 8u);
  EXPECT_EQ(RuleCount(Mixed(40)), 40u);
  EXPECT_EQ(RuleCount(EightMatches(10)), 10u);
  const RuleSet eight = EightMatches(10);
  for (const Rule& rule : eight.stages[0].rules) EXPECT_EQ(rule.when.size(), 8u);

  for (const Job& job : JobsWithLabels(10, 50)) {
    EXPECT_EQ(job.labels.size(), 50u);
    EXPECT_FALSE(std::is_sorted(job.labels.begin(), job.labels.end()));
  }
}

}  // namespace
}  // namespace precedent::bench
