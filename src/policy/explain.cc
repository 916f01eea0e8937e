#include "precedent/explain.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "precedent/internal/number.h"
#include "src/policy/interpret.h"

namespace precedent {
namespace {

using internal::Subject;

struct Scores {
  std::int64_t all = 0;
  std::int64_t preemption = 0;
};

// What the score effect of `rule` makes of a score, and how to say it; nullopt for
// a rule without one.
struct ScoreEffect {
  enum Kind { kSet, kAdd, kAtLeast, kAtMost } kind;
  std::int64_t value;
  std::string text;

  std::int64_t On(std::int64_t score) const {
    switch (kind) {
      case kSet: return value;
      case kAdd: return score + value;
      case kAtLeast: return std::max(score, value);
      case kAtMost: return std::min(score, value);
    }
    return score;
  }
};

ScoreEffect ScaledEffect(const Subject& subject, const v1::ScaledAdd& add) {
  internal::Scaled scaled;
  scaled.points = add.points();
  scaled.per = add.has_per() ? add.per() : 1;
  scaled.min = add.has_min() ? add.min() : std::numeric_limits<std::int32_t>::min();
  scaled.max = add.has_max() ? add.max() : std::numeric_limits<std::int32_t>::max();
  std::string name;
  const double number = internal::ScaledSource(subject, add, &name);
  const std::int64_t amount = IsAbsent(number) ? 0 : internal::ScaledAmount(scaled, number);
  return {ScoreEffect::kAdd, amount,
          absl::StrCat("add ", amount, " (", name, " ", internal::NumberText(number), ")")};
}

std::optional<ScoreEffect> EffectOf(const Subject& subject, const v1::Rule& rule) {
  switch (rule.score_case()) {
    case v1::Rule::kSet:
      return ScoreEffect{ScoreEffect::kSet, rule.set(), absl::StrCat("set ", rule.set())};
    case v1::Rule::kAdd:
      return ScoreEffect{ScoreEffect::kAdd, rule.add(), absl::StrCat("add ", rule.add())};
    case v1::Rule::kAtLeast:
      return ScoreEffect{ScoreEffect::kAtLeast, rule.at_least(),
                         absl::StrCat("at least ", rule.at_least())};
    case v1::Rule::kAtMost:
      return ScoreEffect{ScoreEffect::kAtMost, rule.at_most(),
                         absl::StrCat("at most ", rule.at_most())};
    case v1::Rule::kAddScaled: return ScaledEffect(subject, rule.add_scaled());
    case v1::Rule::SCORE_NOT_SET: break;
  }
  return std::nullopt;
}

void AddOutcomes(const v1::Rule& rule, std::vector<std::string>* effects) {
  const auto quoted = [&](const char* what, const std::string& text) {
    effects->push_back(absl::StrCat(what, " `", text, "`"));
  };
  if (rule.has_priority_class()) quoted("class", rule.priority_class());
  if (rule.has_limit_runtime_seconds())
    effects->push_back(absl::StrCat("limit runtime to ", rule.limit_runtime_seconds(), " s"));
  if (rule.has_share_identifier()) quoted("share", rule.share_identifier());
  if (rule.has_never_preempt_others())
    effects->push_back(rule.never_preempt_others() ? "never preempt others" : "may preempt others");
  for (const auto& [key, value] : rule.annotate()) quoted("annotate", absl::StrCat(key, "=", value));
  std::sort(effects->end() - rule.annotate_size(), effects->end());
  if (rule.has_warn()) quoted("warn", rule.warn());
  if (rule.has_deny()) quoted("deny", rule.deny());
  if (rule.final()) effects->push_back("final");
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ",
                          absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
                          absl::UTCTimeZone());
}

// Why the rule is out of its time, if it is.
std::optional<UnmetConstraint> Inactive(const v1::Rule& rule, TimePoint now) {
  const absl::Time time = absl::FromUnixMicros(now.time_since_epoch().count());
  const auto of = [](const google::protobuf::Timestamp& t) {
    return absl::FromUnixSeconds(t.seconds()) + absl::Nanoseconds(t.nanos());
  };
  const std::string seen =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", time, absl::UTCTimeZone());
  if (rule.has_active_from() && time < of(rule.active_from()))
    return UnmetConstraint{"active_from", "at or after " + TimeText(rule.active_from()), seen};
  if (rule.has_active_until() && time >= of(rule.active_until()))
    return UnmetConstraint{"active_until", "before " + TimeText(rule.active_until()), seen};
  return std::nullopt;
}

bool RuleMatches(const Subject& subject, const v1::Rule& rule, RuleStory* story) {
  if (std::optional<UnmetConstraint> inactive = Inactive(rule, subject.now)) {
    story->unmet.push_back(*std::move(inactive));
    return false;
  }
  if (rule.when().empty()) return true;
  for (int i = 0; i < rule.when_size(); ++i) {
    std::optional<UnmetConstraint> unmet =
        internal::FirstUnmet(subject, rule.when(i), &story->seen);
    if (!unmet.has_value()) {
      story->unmet.clear();
      return true;
    }
    unmet->path = absl::StrCat("when[", i, "].", unmet->path);
    story->unmet.push_back(*std::move(unmet));
  }
  return false;
}

// Tells one rule that may apply; true if it does.
bool TellRule(const Subject& subject, const v1::Rule& rule, Scores* scores, RuleStory* story) {
  if (!RuleMatches(subject, rule, story)) return false;
  story->fate = RuleStory::Fate::kApplied;
  story->before = scores->all;
  story->preemption_before = scores->preemption;
  if (const std::optional<ScoreEffect> effect = EffectOf(subject, rule)) {
    scores->all = effect->On(scores->all);
    if (!rule.order_only()) scores->preemption = effect->On(scores->preemption);
    story->effects.push_back(rule.order_only() ? effect->text + " to the order only"
                                               : effect->text);
  }
  AddOutcomes(rule, &story->effects);
  story->after = scores->all;
  story->preemption_after = scores->preemption;
  return true;
}

}  // namespace

Explanation Explain(const CompiledPolicy& policy, const JobDescriptor& job, TimePoint now) {
  const v1::Policy& source = policy.source();
  Explanation result{policy.evaluator().Evaluate(job, now), policy.evaluator(), {}, 0, 0, 0, 0, false};
  result.bounds_min = source.bounds().has_min() ? source.bounds().min() : 0;
  result.bounds_max = source.bounds().has_max() ? source.bounds().max() : 9999;
  if (result.decision.reason != Reason::kDerived) return result;

  const Subject subject = internal::MakeSubject(source, job, now);
  Scores scores;
  bool ended = false;
  for (const v1::Stage& stage : source.stages()) {
    StageStory& stage_story = result.stages.emplace_back();
    stage_story.name = stage.name();
    stage_story.first_match = stage.mode() == v1::Stage::FIRST_MATCH;
    bool stage_ended = false;
    for (const v1::Rule& rule : stage.rules()) {
      RuleStory& story = stage_story.rules.emplace_back();
      story.id = rule.id();
      if (ended || stage_ended) {
        story.fate = ended ? RuleStory::Fate::kFinal : RuleStory::Fate::kStageEnded;
        continue;
      }
      if (!TellRule(subject, rule, &scores, &story)) continue;
      stage_ended = stage_story.first_match;
      ended = rule.final();
      result.class_forced |= rule.has_priority_class();
    }
  }
  result.score = scores.all;
  result.preemption_score = scores.preemption;
  return result;
}

}  // namespace precedent
