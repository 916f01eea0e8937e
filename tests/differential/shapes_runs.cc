// Shapes of long runs: sums, first-match stages, ordered rules.
#include <utility>

#include "tests/differential/shape_builder.h"
#include "tests/differential/shapes.h"

namespace precedent::differential {
namespace {

// One or more alternatives.
void AddMatches(v1::Rule* rule, ShapeBuilder& b) {
  switch (b.random().Weighted({50, 15, 15, 10, 10})) {
    case 0:
      b.Narrow(rule->add_when());
      break;
    case 1:  // often disjoint
      for (int i = 0; i < 2; ++i) rule->add_when()->mutable_team()->add_in(b.AnyTeam());
      break;
    case 2:  // seldom disjoint
      b.Narrow(rule->add_when());
      b.Extra(rule->add_when());
      break;
    case 3:
      for (int i = 0; i < 3; ++i) b.NarrowTeam(rule->add_when());
      break;
    default:
      b.Wide(rule->add_when());
      break;
  }
  for (v1::Match& match : *rule->mutable_when())
    if (b.Chance(40)) b.Extra(&match);
}

}  // namespace

GeneratedPolicy SumPolicy(Random& random) {
  ShapeBuilder b(20 + random.Below(80), random);
  b.AddFrame();
  const std::size_t stages = 1 + b.Below(4), rules = 64 + b.Below(b.Chance(50) ? 140 : 637);
  const int order_only = b.Chance(40) ? 50 : 10;
  const int huge = b.Chance(50) ? 3 : 0;
  const bool interrupted = b.Chance(60);
  for (std::size_t s = 0; s < stages; ++s) {
    v1::Stage* stage = b.AddStage(false);
    for (std::size_t i = 0; i < rules / stages + 1; ++i) {
      v1::Rule* rule = b.AddRule(stage);
      AddMatches(rule, b);
      if (b.Chance(2)) {  // over a list of very many values
        v1::TextMatch* team = rule->add_when()->mutable_team();
        for (std::size_t n = 0; n < b.names(); ++n)
          if (b.Chance(70)) team->add_in(b.Team(n));
      }
      if (!b.Chance(4)) rule->set_add(b.Points(huge));
      rule->set_order_only(b.Chance(order_only));
      if (!interrupted) continue;
      if (b.Chance(4)) b.Outcome(rule);
      if (b.Chance(2)) b.Pattern(rule->add_when(), false);
      if (b.Chance(2)) b.ScaledWait(rule->mutable_add_scaled());
      if (b.Chance(1)) rule->set_at_least(b.Points(0));
      if (b.Chance(1) && b.Chance(40)) rule->set_final(true);
    }
  }
  return std::move(b).Finish();
}

GeneratedPolicy FirstPolicy(Random& random) {
  ShapeBuilder b(20 + random.Below(60), random);
  b.AddFrame();
  const int stages = b.Chance(70) ? 1 : 2;
  const int wide = b.Chance(50) ? 20 : 1;  // in 100 rules
  const bool regex = b.Chance(15), timed = b.Chance(20);
  for (int s = 0; s < stages; ++s) {
    v1::Stage* stage = b.AddStage(true);
    const std::size_t rules = 65 + b.Below(b.Chance(50) ? 60 : 535);
    for (std::size_t i = 0; i < rules; ++i) {
      v1::Rule* rule = b.AddRule(stage);
      if (i > 0 && b.Chance(wide)) {
        b.Wide(rule->add_when());
        if (b.Chance(80)) b.Extra(rule->add_when());
        b.Narrow(&*rule->mutable_when()->rbegin());
      } else {
        b.Narrow(rule->add_when());
      }
      if (b.Chance(40)) b.Extra(rule->mutable_when(0));
      if (b.Chance(20)) b.Extra(rule->mutable_when(0));
      if (b.Chance(10)) b.Pattern(rule->mutable_when(0), regex);
      if (b.Chance(10)) b.NarrowTeam(rule->add_when());
      if (timed && b.Chance(20)) b.Timed(rule->mutable_when(0));
      b.AnyScore(rule);
      if (!timed && rule->add_scaled().of() == v1::ScaledAdd::WAIT_SECONDS) rule->set_add(7);
      if (b.Chance(10)) b.Outcome(rule);
      if (b.Chance(5)) rule->set_final(true);
      if (b.Chance(10)) rule->set_order_only(true);
    }
    v1::Stage* after = b.AddStage(false);
    for (int i = 0; i < 3; ++i) {
      v1::Rule* rule = b.AddRule(after);
      b.Wide(rule->add_when());
      b.AnyScore(rule);
    }
  }
  return std::move(b).Finish();
}

GeneratedPolicy OrderedPolicy(Random& random) {
  ShapeBuilder b(10 + random.Below(30), random);
  b.AddFrame();
  if (b.Chance(50)) b.policy().set_time_zone("Europe/Berlin");
  const std::size_t stages = 2 + b.Below(8), rules = 65 + b.Below(200);
  const int final = b.Chance(50) ? 1 : 0;
  for (std::size_t s = 0; s < stages; ++s) {
    v1::Stage* stage = b.AddStage(b.Chance(40));
    for (std::size_t i = 0; i < rules / stages + 1; ++i) {
      v1::Rule* rule = b.AddRule(stage);
      if (b.Chance(75)) b.Narrow(rule->add_when());
      if (b.Chance(25)) b.Wide(rule->add_when());
      if (b.Chance(10)) b.Pattern(rule->add_when(), false);
      for (v1::Match& match : *rule->mutable_when()) {
        if (b.Chance(40)) b.Extra(&match);
        if (b.Chance(15)) b.Timed(&match);
      }
      if (b.Chance(3)) {
        rule->mutable_active_until()->set_seconds(
            (b.policy().stages_size() * 7919 + static_cast<int>(i)) * 86'400LL);
      }
      b.AnyScore(rule);
      if (b.Chance(15)) b.Outcome(rule);
      if (b.Chance(final)) rule->set_final(true);
      if (b.Chance(15)) rule->set_order_only(true);
    }
  }
  return std::move(b).Finish();
}

}  // namespace precedent::differential
