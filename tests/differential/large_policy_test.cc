// A policy of far more rules than an implementation would treat in one piece: stages
// that lie across every power of two up to 2^17, and rules that match at both ends.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/differential/random.h"
#include "tests/differential/settings.h"
#include "tests/differential/subject.h"

namespace precedent::differential {
namespace {

constexpr int kTeams = 3000;
constexpr std::int64_t kNow = 1'000'000'000'000;

std::string Team(std::size_t number) { return "team-" + std::to_string(number); }

void AddRules(int count, int* next_id, v1::Stage* stage, Random& random) {
  for (int i = 0; i < count; ++i) {
    v1::Rule* rule = stage->add_rules();
    rule->set_id(std::to_string((*next_id)++));
    v1::Match* match = rule->add_when();
    if (random.Below(5000) == 0) {
      match->set_preemptible(true);  // filed under no text
    } else {
      match->mutable_team()->add_in(Team(random.Below(kTeams)));
      if (random.Chance(20)) match->mutable_gpu_count()->set_above(random.Below(4));
    }
    switch (random.Below(20)) {
      case 0:
        rule->set_set(static_cast<std::int32_t>(random.Between(-1000, 1000)));
        break;
      case 1:
        rule->set_at_least(static_cast<std::int32_t>(random.Between(-1000, 1000)));
        break;
      case 2:
        rule->set_at_most(static_cast<std::int32_t>(random.Between(-1000, 1000)));
        break;
      case 3:
        rule->mutable_add_scaled()->set_of(v1::ScaledAdd::WAIT_SECONDS);
        rule->mutable_add_scaled()->set_points(0.25);
        rule->mutable_add_scaled()->set_per(static_cast<double>(1 + random.Below(1000)));
        break;
      default:
        rule->set_add(static_cast<std::int32_t>(random.Between(-1000, 1000)));
        break;
    }
    if (random.Below(2000) == 0) rule->set_final(true);
    if (random.Below(50) == 0) rule->set_order_only(true);
  }
}

TEST(LargePolicyTest, AgreesWithTheReference) {
  Random random(TheSettings().seed);
  v1::Policy policy;
  policy.mutable_bounds()->set_min(-1'000'000'000);
  policy.mutable_bounds()->set_max(1'000'000'000);
  int next_id = 0;
  for (int rules : {60'000, 20'000, 50'000, 5'000, 5'001}) {
    v1::Stage* stage = policy.add_stages();
    if (rules % 20'000 != 0) stage->set_mode(v1::Stage::FIRST_MATCH);
    AddRules(rules, &next_id, stage, random);
  }
  std::string error;
  const std::unique_ptr<Subject> subject = Subject::Make(policy, &error);
  ASSERT_NE(subject, nullptr) << error;
  std::uint64_t applied = 0, late = 0;
  for (int i = 0; i < 40; ++i) {
    reference::Job job;
    job.facts.set_team(Team(random.Below(kTeams)));
    job.facts.set_gpu_count(static_cast<double>(random.Below(5)));
    job.facts.set_preemptible(i % 8 == 0);
    if (i % 3 != 0) job.submitted_us = kNow - random.Between(0, 1'000'000'000);
    CheckOptions options;
    options.later_times = i % 4 == 0;
    reference::Outcome outcome;
    const std::string difference = subject->Check(job, kNow, options, &outcome);
    ASSERT_EQ(difference, "") << "--seed=" << TheSettings().seed << "\n" << reference::ToText(job);
    applied += outcome.rules.size();
    for (std::uint32_t rule : outcome.rule_indexes) late += rule >= 1u << 17 ? 1 : 0;
  }
  EXPECT_GT(applied, 40u * 10);
  EXPECT_GT(late, 10u);
}

}  // namespace
}  // namespace precedent::differential
