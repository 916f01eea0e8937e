#include "tests/reference/reference.h"

#include <algorithm>

#include "tests/reference/scaled_add.h"
#include "tests/reference/valid_until.h"

namespace precedent::reference {

std::int32_t Reference::Bounded(std::int64_t score) const {
  const std::int64_t min = policy_.bounds().has_min() ? policy_.bounds().min() : 0;
  const std::int64_t max = policy_.bounds().has_max() ? policy_.bounds().max() : 9999;
  if (score < min) score = min;
  if (score > max) score = max;
  return static_cast<std::int32_t>(score);
}

std::string Reference::ClassOf(std::int32_t preemption_priority) const {
  const v1::PriorityClass* best = nullptr;
  for (const v1::PriorityClass& candidate : policy_.priority_classes())
    if (candidate.at_least() <= preemption_priority &&
        (best == nullptr || candidate.at_least() > best->at_least()))
      best = &candidate;
  return best == nullptr ? "" : best->name();
}

Outcome Reference::Fallback() const {
  Outcome outcome;
  outcome.reason = v1::FALLBACK_INVALID_INPUT;
  outcome.priority =
      policy_.fallback().has_priority() ? policy_.fallback().priority() : Bounded(500);
  outcome.preemption_priority = outcome.priority;
  outcome.priority_class = policy_.fallback().priority_class();
  if (outcome.priority_class.empty()) outcome.priority_class = ClassOf(outcome.priority);
  return outcome;
}

Outcome Reference::Decide(const Job& given, std::int64_t now) const {
  std::uint32_t ignored_claims = 0;
  const Job job = WithoutUnverified(policy_, given, &ignored_claims);
  // What is judged is the job as given: a claim that is ignored can still be nonsense.
  Outcome outcome = IsValid(given) ? Outcome() : Fallback();
  outcome.ignored_claims = ignored_claims;
  if (outcome.reason != v1::DERIVED) return outcome;

  outcome.preemptible = job.facts.preemptible();

  std::int64_t score = 0;             // all rules
  std::int64_t preemption_score = 0;  // without order_only rules
  std::string forced_class;
  std::uint32_t index = 0;
  bool ended = false;
  for (const v1::Stage& stage : policy_.stages()) {
    bool stage_ended = false;
    for (const v1::Rule& rule : stage.rules()) {
      const std::uint32_t rule_index = index++;
      if (ended || stage_ended || !conditions_.RuleHolds(rule, job, now)) continue;

      outcome.rules.push_back(rule.id());
      outcome.rule_indexes.push_back(rule_index);
      const auto effect = [&](std::int64_t before) -> std::int64_t {
        switch (rule.score_case()) {
          case v1::Rule::kSet:
            return rule.set();
          case v1::Rule::kAdd:
            return before + rule.add();
          case v1::Rule::kAddScaled:
            return before + ScaledAmount(rule.add_scaled(), job, now);
          case v1::Rule::kAtLeast:
            return std::max<std::int64_t>(before, rule.at_least());
          case v1::Rule::kAtMost:
            return std::min<std::int64_t>(before, rule.at_most());
          case v1::Rule::SCORE_NOT_SET:
            return before;
        }
        return before;
      };
      score = effect(score);
      if (!rule.order_only()) preemption_score = effect(preemption_score);

      if (rule.has_priority_class()) forced_class = rule.priority_class();
      if (rule.has_limit_runtime_seconds())
        outcome.limit_runtime_seconds = rule.limit_runtime_seconds();
      if (rule.has_share_identifier()) outcome.share_identifier = rule.share_identifier();
      if (rule.has_never_preempt_others())
        outcome.never_preempt_others = rule.never_preempt_others();
      for (const auto& [key, value] : rule.annotate()) outcome.annotations[key] = value;
      if (rule.has_warn()) outcome.warnings.push_back(rule.warn());
      if (rule.has_deny()) {
        outcome.verdict = v1::DENY;
        outcome.denial = rule.deny();
      }
      if (rule.final()) ended = true;
      if (stage.mode() == v1::Stage::FIRST_MATCH) stage_ended = true;
    }
  }
  outcome.priority = Bounded(score);
  outcome.preemption_priority = Bounded(preemption_score);
  outcome.priority_class =
      forced_class.empty() ? ClassOf(outcome.preemption_priority) : forced_class;
  outcome.valid_until_us = ValidUntil(policy_, conditions_, job, now);
  return outcome;
}

}  // namespace precedent::reference
