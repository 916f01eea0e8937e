// Shapes that take many rules or texts: sums, first-match stages and ordered rules
// across the border of a window, and texts of more classes than a lane can hold.
#include <cstdio>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/differential/settings.h"
#include "tests/differential/shape_builder.h"
#include "tests/differential/shape_runner.h"

namespace precedent::differential {
namespace {

constexpr int kWindow = 1 << 16;  // rules, as in layout_matching.h
// Jobs of each: the reference looks at every rule.
constexpr int kJobs = kLess == 1 ? 12 : 3;

v1::Match* AnyTeamIn(v1::Rule* rule, ShapeBuilder& b) {
  v1::Match* match = rule->add_when();
  match->mutable_team()->add_in(b.AnyTeam());
  return match;
}

// Rules up to `before` rules ahead of the border; a job meets some of them.
void AddUpTo(int before, ShapeBuilder& b) {
  v1::Stage* stage = b.AddStage(false);
  for (int i = 0; i < kWindow - before; ++i) {
    v1::Rule* rule = b.AddRule(stage);
    AnyTeamIn(rule, b);
    rule->set_add(b.Points(0));
    if (b.Chance(10)) rule->set_order_only(true);
    if (b.Below(200) == 0) b.Outcome(rule);
  }
}

GeneratedPolicy SumsAcross(Random& random) {
  ShapeBuilder b(500, random);
  b.AddFrame();
  AddUpTo(900, b);
  for (int s = 0; s < 2; ++s) {  // the run goes on over the stages and the border
    v1::Stage* stage = b.AddStage(false);
    for (int i = 0; i < 900; ++i) {
      v1::Rule* rule = b.AddRule(stage);
      b.Chance(3) ? b.Wide(rule->add_when()) : b.Extra(AnyTeamIn(rule, b));
      rule->set_add(b.Points(0));
      if (b.Chance(20)) rule->set_order_only(true);
      if (b.Chance(3)) b.Outcome(rule);
    }
  }
  v1::Stage* last = b.AddStage(false);
  for (int i = 0; i < 300; ++i) {
    v1::Rule* rule = b.AddRule(last);
    b.Extra(AnyTeamIn(rule, b));
    b.AnyScore(rule);
  }
  return std::move(b).Finish();
}

GeneratedPolicy FirstAcross(Random& random) {
  ShapeBuilder b(100, random);
  b.AddFrame();
  AddUpTo(300, b);
  v1::Stage* ordered = b.AddStage(false);
  for (int i = 0; i < 50; ++i) {
    v1::Rule* rule = b.AddRule(ordered);
    b.AnyScore(rule);
    if (rule->add_scaled().of() == v1::ScaledAdd::WAIT_SECONDS) rule->set_at_least(3);
  }
  v1::Stage* stage = b.AddStage(true);
  for (int i = 0; i < 600; ++i) {
    v1::Rule* rule = b.AddRule(stage);
    if (b.Chance(20)) {
      b.Wide(rule->add_when());
      b.Extra(rule->mutable_when(0));
      rule->mutable_when(0)->mutable_lineage()->mutable_step()->set_at_least(i < 500 ? 10 : 0);
    } else {
      b.Extra(AnyTeamIn(rule, b));
    }
    b.AnyScore(rule);
    if (rule->add_scaled().of() == v1::ScaledAdd::WAIT_SECONDS) rule->set_add(3);
    if (b.Chance(40)) rule->set_final(true);
  }
  v1::Stage* last = b.AddStage(false);
  // What a rule before the border cut off still ends the decision.
  b.AddRule(last)->mutable_active_until()->set_seconds(8'000'000'000);
  for (int i = 0; i < 100; ++i) {
    v1::Rule* rule = b.AddRule(last);
    b.Extra(AnyTeamIn(rule, b));
    b.AnyScore(rule);
  }
  return std::move(b).Finish();
}

std::string Padded(std::size_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "t%05u", static_cast<unsigned>(number));
  return text;
}

GeneratedPolicy SeventyThousandTexts(Random& random) {
  constexpr std::size_t kTexts = 70'000, kSets = 10;
  ShapeBuilder b(30, random);
  b.AddFrame();
  for (std::size_t s = 0; s <= kSets; ++s) {
    v1::ValueSet* set = b.policy().add_sets();
    set->set_name("set" + std::to_string(s));
    // One run of classes each; the last is many runs.
    for (std::size_t i = 0; i < kTexts / kSets; ++i)
      set->add_values(Padded(s < kSets ? s * kTexts / kSets + i : i * 7 % kTexts));
  }
  for (const bool first : {false, true}) {
    v1::Stage* stage = b.AddStage(first);
    for (int i = 0; i < (first ? 90 : 260); ++i) {
      v1::Rule* rule = b.AddRule(stage);
      v1::Match* match = rule->add_when();
      if (b.Chance(70)) match->mutable_queue()->add_in(b.AnyTeam());
      if (b.Chance(80)) {
        match->mutable_team()->add_in_set("set" + std::to_string(b.Below(kSets + 1)));
        if (b.Chance(50)) match->mutable_team()->add_in_set("set" + std::to_string(b.Below(kSets + 1)));
      } else {
        match->mutable_team()->add_not_in(Padded(b.Below(kTexts)));
      }
      if (b.Chance(30)) b.Extra(match);
      first ? rule->set_set(i) : rule->set_add(b.Points(0));
    }
  }
  return std::move(b).Finish();
}

TEST(LargeShapesTest, SumsAcrossABorderOfWindows) {
  const ImageFacts facts = RunShape({SumsAcross, 1, kJobs});
  EXPECT_EQ(facts["windows"], 2u);
  EXPECT_EQ(facts["sums"], 2u);
  EXPECT_EQ(facts["sums of order-only rules"], 2u);  // each once in either window
  EXPECT_EQ(facts["sums of an earlier window"], 1u);
}

TEST(LargeShapesTest, AFirstMatchStageAcrossABorderOfWindows) {
  const ImageFacts facts = RunShape({FirstAcross, 1, kJobs});
  EXPECT_EQ(facts["windows"], 2u);
  EXPECT_EQ(facts["first-match groups"], 1u);
}

TEST(LargeShapesTest, TextsOfMoreClassesThanALaneHolds) {
  const ImageFacts facts = RunShape({SeventyThousandTexts, 1, kJobs});
  EXPECT_GE(facts["columns of more than 65536 classes"], 1u);
  EXPECT_GE(facts["lists of ranges"], 1u);
  EXPECT_GE(facts["coarse columns"], 1u);
}

}  // namespace
}  // namespace precedent::differential
