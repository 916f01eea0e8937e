#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "src/policy/checks.h"
#include "src/text/cursor.h"

// Interval analysis: the least and the greatest score that the stages can make, each
// rule taken to apply or not as its neighbours do not tell. That is exact for rules
// that do not exclude each other, and never too narrow. int64 holds 2^20 rules of
// int32 each.

namespace precedent::internal {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();

struct Range {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

Range Hull(Range a, Range b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}
std::optional<Range> Hull(std::optional<Range> a, Range b) { return a ? Hull(*a, b) : b; }

bool IsCount(v1::ScaledAdd::Source source) {
  switch (source) {
    case v1::ScaledAdd::FAILURE_COUNT:
    case v1::ScaledAdd::PREEMPTION_COUNT:
    case v1::ScaledAdd::INFRASTRUCTURE_FAILURE_COUNT:
    case v1::ScaledAdd::ATTEMPT:
    case v1::ScaledAdd::DEPTH:
    case v1::ScaledAdd::STEP: return true;
    default: return false;
  }
}

// What a ScaledAdd can add.
Range Amount(const v1::ScaledAdd& scaled) {
  const bool signed_source = scaled.has_metric() || scaled.of() == v1::ScaledAdd::REPORTED_PRIORITY;
  Range range;
  if (scaled.points() != 0 && signed_source) range = {kLeast, kGreatest};
  else if (scaled.points() > 0) range = {0, kGreatest};
  else if (scaled.points() < 0) range = {kLeast, 0};
  const auto clamp = [&](std::int64_t amount) {
    if (scaled.has_min()) amount = std::max<std::int64_t>(amount, scaled.min());
    if (scaled.has_max()) amount = std::min<std::int64_t>(amount, scaled.max());
    return amount;
  };
  range = {clamp(range.least), clamp(range.greatest)};
  // An absent number adds nothing, whatever min and max say.
  return scaled.has_metric() || !IsCount(scaled.of()) ? Hull(range, Range{}) : range;
}

Range Apply(const v1::Rule& rule, Range score) {
  switch (rule.score_case()) {
    case v1::Rule::kSet: return {rule.set(), rule.set()};
    case v1::Rule::kAdd: return {score.least + rule.add(), score.greatest + rule.add()};
    case v1::Rule::kAddScaled: {
      const Range amount = Amount(rule.add_scaled());
      return {score.least + amount.least, score.greatest + amount.greatest};
    }
    case v1::Rule::kAtLeast:
      return {std::max<std::int64_t>(score.least, rule.at_least()),
              std::max<std::int64_t>(score.greatest, rule.at_least())};
    case v1::Rule::kAtMost:
      return {std::min<std::int64_t>(score.least, rule.at_most()),
              std::min<std::int64_t>(score.greatest, rule.at_most())};
    case v1::Rule::SCORE_NOT_SET: break;
  }
  return score;
}

class ScoreWalk {
 public:
  explicit ScoreWalk(CheckContext* context) : context_(context) {}

  Range Run() {
    for (int s = 0; s < context_->policy().stages_size() && score_; ++s) {
      At at(context_, "stages", s);
      Stage(context_->policy().stages(s));
    }
    // One of both there is: the score goes on or the evaluation has ended.
    return ended_ && score_ ? Hull(*ended_, *score_) : score_ ? *score_ : *ended_;
  }

 private:
  void Stage(const v1::Stage& stage) {
    const bool first_match = stage.mode() == v1::Stage::FIRST_MATCH;
    // Of jobs for which a rule has ended a FIRST_MATCH stage.
    std::optional<Range> matched;
    for (int r = 0; r < stage.rules_size() && score_; ++r) {
      const v1::Rule& rule = stage.rules(r);
      At at(context_, "rules", r);
      Range after = Apply(rule, *score_);
      // preemption_priority does without this effect, and is bounded alike.
      if (rule.order_only()) after = Hull(*score_, after);
      const bool always = IsUnconditional(rule, *context_);
      if (rule.final()) {
        ended_ = Hull(ended_, after);
        if (always) score_.reset();
      } else if (first_match) {
        matched = Hull(matched, after);
        if (always) score_.reset();
      } else {
        score_ = always ? after : Hull(*score_, after);
      }
    }
    if (matched) score_ = score_ ? Hull(*matched, *score_) : matched;
  }

  CheckContext* context_;
  std::optional<Range> score_ = Range{};  // of jobs that go on; none: no job does
  std::optional<Range> ended_;            // of jobs that a final rule has ended
};

// The first rule that adds without limit in one direction, for the hint.
std::string UnlimitedRule(const v1::Policy& policy, bool down) {
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      if (!rule.has_add_scaled()) continue;
      const Range amount = Amount(rule.add_scaled());
      if (down ? amount.least == kLeast : amount.greatest == kGreatest)
        return "rule " + Quote(rule.id()) + " has no `" + (down ? "min" : "max") + "`";
    }
  }
  return {};
}

}  // namespace

void CheckScore(CheckContext* context) {
  if (context->policy().stages().empty() || context->Broken("stages") ||
      context->Broken("bounds"))
    return;
  const Range score = ScoreWalk(context).Run();
  At at(context, "bounds");
  if (score.least < context->bounds_min()) {
    At min(context, "min");
    const std::string hint = UnlimitedRule(context->policy(), true);
    context->Warning((hint.empty() ? "the score can be " + std::to_string(score.least)
                                   : std::string("the score can fall without limit")) +
                         ", below " + std::to_string(context->bounds_min()) +
                         ", where it is cut off",
                     hint);
  }
  if (score.greatest > context->bounds_max()) {
    At max(context, "max");
    const std::string hint = UnlimitedRule(context->policy(), false);
    context->Warning((hint.empty() ? "the score can be " + std::to_string(score.greatest)
                                   : std::string("the score can rise without limit")) +
                         ", above " + std::to_string(context->bounds_max()) +
                         ", where it is cut off",
                     hint);
  }
}

}  // namespace precedent::internal
