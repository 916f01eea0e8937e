// An explanation as text for people.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "precedent/explain.h"

namespace precedent {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::string ScoreText(std::int64_t before, std::int64_t after) {
  return before == after ? absl::StrCat(after) : absl::StrCat(before, " -> ", after);
}

void AppendRule(const RuleStory& rule, std::string* out) {
  switch (rule.fate) {
    case RuleStory::Fate::kApplied: {
      absl::StrAppend(out, "  + ", rule.id, ": ",
                      rule.effects.empty() ? "no effect" : absl::StrJoin(rule.effects, ", "));
      if (rule.before != rule.after || rule.preemption_before != rule.preemption_after)
        absl::StrAppend(out, "; score ", ScoreText(rule.before, rule.after));
      if (rule.before != rule.preemption_before || rule.after != rule.preemption_after)
        absl::StrAppend(out, ", for preemption ",
                        ScoreText(rule.preemption_before, rule.preemption_after));
      absl::StrAppend(out, "\n");
      for (const SeenValue& seen : rule.seen)
        absl::StrAppend(out, "      ", seen.attribute, " is ", seen.value, "\n");
      break;
    }
    case RuleStory::Fate::kNoMatch:
      absl::StrAppend(out, "  - ", rule.id, ": does not apply\n");
      for (const UnmetConstraint& unmet : rule.unmet)
        absl::StrAppend(out, "      ", unmet.path, " wants ", unmet.wanted, ", saw ", unmet.seen,
                        "\n");
      break;
    case RuleStory::Fate::kStageEnded:
      absl::StrAppend(out, "  - ", rule.id, ": skipped, an earlier rule of the stage applied\n");
      break;
    case RuleStory::Fate::kFinal:
      absl::StrAppend(out, "  - ", rule.id, ": skipped, an earlier rule was final\n");
      break;
  }
}

void AppendNumber(const char* name, std::int64_t score, std::int32_t clamped,
                  const Explanation& explanation, std::string* out) {
  absl::StrAppend(out, name, " ", clamped);
  if (score != clamped)
    absl::StrAppend(out, " (score ", score, ", clamped to ", explanation.bounds_min, " to ",
                    explanation.bounds_max, ")");
  absl::StrAppend(out, "\n");
}

}  // namespace

std::string FormatExplanation(const Explanation& explanation, bool all) {
  const Decision& d = explanation.decision;
  std::string out;
  if (d.reason != Reason::kDerived) {
    absl::StrAppend(&out, "priority ", d.priority, " (", View(ReasonName(d.reason)),
                    ": the job has a value that no job can have, such as a negative count)\n");
  }
  for (std::size_t i = 0; i < explanation.stages.size(); ++i) {
    const StageStory& stage = explanation.stages[i];
    absl::StrAppend(&out, "stage ", stage.name.empty() ? absl::StrCat(i) : stage.name,
                    stage.first_match ? " (first match)" : "", "\n");
    for (const RuleStory& rule : stage.rules)
      if (all || rule.fate == RuleStory::Fate::kApplied) AppendRule(rule, &out);
  }
  if (d.reason == Reason::kDerived) {
    AppendNumber("priority", explanation.score, d.priority, explanation, &out);
    if (d.preemption_priority != d.priority || explanation.preemption_score != explanation.score)
      AppendNumber("preemption priority", explanation.preemption_score, d.preemption_priority,
                   explanation, &out);
  }
  if (!d.priority_class.empty())
    absl::StrAppend(&out, "class ", View(d.priority_class),
                    explanation.class_forced ? " (by a rule)\n" : "\n");
  if (d.verdict == Verdict::kDeny) absl::StrAppend(&out, "denied: ", View(d.denial), "\n");
  if (d.valid_until != kForever)
    absl::StrAppend(&out, "valid until ",
                    absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ",
                                     absl::FromUnixMicros(d.valid_until.time_since_epoch().count()),
                                     absl::UTCTimeZone()),
                    "\n");
  absl::StrAppend(&out, "policy ", View(explanation.evaluator.name()), " ",
                  View(d.policy_fingerprint), "\n");
  return out;
}

}  // namespace precedent
