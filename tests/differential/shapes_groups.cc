// Shapes of one group: its rows, its blocks.
#include <string>
#include <utility>

#include "tests/differential/shape_builder.h"
#include "tests/differential/shapes.h"

namespace precedent::differential {
namespace {

v1::Stage* StageOf(RowsOf of, ShapeBuilder& b) {
  b.AddFrame();
  return b.AddStage(of == RowsOf::kFirst);
}

// Rule number `i`, with an effect that suits.
v1::Rule* RuleOf(RowsOf of, v1::Stage* stage, std::size_t i, ShapeBuilder& b) {
  v1::Rule* rule = b.AddRule(stage);
  if (of == RowsOf::kSum) {
    rule->set_add(b.Points(0));
  } else if (of == RowsOf::kFirst) {
    rule->set_set(static_cast<std::int32_t>(i) + 1);
  } else {
    b.AnyScore(rule);
    if (rule->has_add_scaled()) rule->set_at_most(static_cast<std::int32_t>(i) - 40);
    if (b.Chance(10)) b.Outcome(rule);
  }
  return rule;
}

std::string Key(std::size_t i) { return "key-" + std::to_string(i); }

}  // namespace

GeneratedPolicy RowsPolicy(RowsOf of, std::size_t clauses, bool not_in, Random& random) {
  ShapeBuilder b(not_in ? 70 : 12, random);
  v1::Stage* stage = StageOf(of, b);
  // A rule that depends on the time, so that it is no table; where order counts it is
  // one of the clauses.
  v1::Rule* past = b.AddRule(of == RowsOf::kOrdered ? stage : b.AddStage(false));
  past->mutable_active_until()->set_seconds(1);
  past->set_set(1);
  for (std::size_t i = of == RowsOf::kOrdered ? 1 : 0; i < clauses; ++i) {
    v1::Match* match = RuleOf(of, stage, i, b)->add_when();
    if (not_in) {
      match->mutable_team()->add_not_in(b.AnyTeam());
      if (b.Chance(30)) (*match->mutable_labels())["tier"].add_not_in(b.AnyTeam());
      if (b.Chance(5)) match->mutable_gpu_count()->set_above(1);
      continue;
    }
    match->mutable_gpu_count()->set_at_least(static_cast<double>(b.Below(12)));
    if (b.Chance(60)) match->mutable_pod_count()->set_below(static_cast<double>(1 + b.Below(30)));
    if (b.Chance(30)) match->set_preemptible(b.Chance(50));
    if (b.Chance(20)) match->mutable_environment()->add_not_in(b.AnyTeam());
    if (b.Chance(of == RowsOf::kFirst ? 60 : 10)) b.Pattern(match, false);
  }
  return std::move(b).Finish();
}

GeneratedPolicy BoundsPolicy(RowsOf of, Random& random) {
  ShapeBuilder b(12, random);
  v1::Stage* stage = StageOf(of, b);
  const std::size_t clauses = 300 + b.Below(400);
  for (std::size_t i = 0; i < clauses; ++i) {
    v1::Match* match = RuleOf(of, stage, i, b)->add_when();
    const double bound = static_cast<double>(b.Below(40'000)) / 8;
    v1::NumberMatch* gpus = match->mutable_gpu_count();
    switch (b.Below(of == RowsOf::kFirst ? 2 : 4)) {
      case 0:  // few numbers, within one run of classes or over two
        gpus->set_at_least(bound);
        gpus->set_at_most(bound + static_cast<double>(b.Below(400)) / 8);
        break;
      case 1:
        gpus->set_above(bound);
        gpus->set_below(bound + 600);
        break;
      case 2:
        gpus->set_above(bound);
        break;
      default:
        gpus->set_below(bound);
        break;
    }
    if (b.Chance(20)) match->mutable_pod_count()->set_at_least(static_cast<double>(b.Below(8)));
    if (b.Chance(5)) b.Pattern(match, false);
    if (b.Chance(5))
      match->mutable_dataset_bytes()->set_above(static_cast<double>(b.Below(5000)) * 1e9);
  }
  return std::move(b).Finish();
}

GeneratedPolicy ManyColumnsPolicy(RowsOf of, Random& random) {
  ShapeBuilder b(6, random);
  v1::Stage* stage = StageOf(of, b);
  const std::size_t clauses = 65 + b.Below(300);
  for (std::size_t i = 0; i < clauses; ++i) {
    v1::Match* match = RuleOf(of, stage, i, b)->add_when();
    // Two to four of 44; the last ones are seldom looked at.
    for (std::size_t n = 2 + b.Below(3); n > 0; --n) {
      const std::size_t key = b.Chance(95) ? b.Below(40) : 40 + b.Below(4);
      if (key % 2 == 0) {
        (*match->mutable_metrics())[Key(key)].set_at_most(static_cast<double>(b.Below(5)));
      } else {
        (*match->mutable_labels())[Key(key)].add_not_in(b.AnyTeam());
      }
    }
  }
  return std::move(b).Finish();
}

GeneratedPolicy LabelsPolicy(RowsOf of, Random& random) {
  ShapeBuilder b(12 + random.Below(12), random);
  v1::Stage* stage = StageOf(of, b);
  const std::size_t clauses = 80 + b.Below(250);
  for (std::size_t i = 0; i < clauses; ++i) {
    v1::Match* match = RuleOf(of, stage, i, b)->add_when();
    match->mutable_team()->add_in(b.Team(b.Below(5)));
    for (std::size_t n = b.Below(7); n > 0; --n) {
      v1::TextMatch& label = (*match->mutable_labels())[Key(b.Below(9))];
      label.Clear();
      switch (b.random().Weighted({70, 15, 15})) {
        case 0:
          label.add_in(b.Team(b.Below(4)));
          break;
        case 1:
          label.add_in(b.AnyTeam());
          label.add_in(b.AnyTeam());
          break;
        default:
          label.add_not_in(b.AnyTeam());
          break;
      }
    }
    if (b.Chance(30)) match->mutable_gpu_count()->set_above(static_cast<double>(b.Below(14)));
  }
  return std::move(b).Finish();
}

GeneratedPolicy SmallColumnsPolicy(RowsOf of, Random& random) {
  ShapeBuilder b(30, random);
  v1::Stage* stage = StageOf(of, b);
  const std::size_t clauses = 80 + b.Below(250);
  for (std::size_t i = 0; i < clauses; ++i) {
    v1::Match* match = RuleOf(of, stage, i, b)->add_when();
    match->mutable_team()->add_in(b.Team(b.Below(9)));
    if (b.Chance(20)) match->set_preemptible(b.Chance(50));
    if (b.Chance(20)) match->mutable_lineage()->set_retry_of_preempted(b.Chance(50));
    if (b.Chance(30)) match->mutable_workload_type()->add_not_in(b.Team(b.Below(2)));
    if (b.Chance(30)) match->mutable_kind()->add_in(b.Team(b.Below(3)));
    if (b.Chance(30)) match->mutable_environment()->add_in(b.Team(b.Below(6)));
    if (b.Chance(30)) match->mutable_pod_count()->set_above(static_cast<double>(b.Below(3)));
    if (b.Chance(30)) match->mutable_lineage()->mutable_depth()->set_below(1);
    if (b.Chance(10)) b.Extra(match);
  }
  return std::move(b).Finish();
}

}  // namespace precedent::differential
