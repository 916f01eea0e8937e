// Running: the matching rules applied in policy order.
#ifndef PRECEDENT_INTERNAL_RUN_H_
#define PRECEDENT_INTERNAL_RUN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "precedent/decision.h"
#include "precedent/internal/bind.h"
#include "precedent/internal/clock.h"
#include "precedent/internal/image.h"
#include "precedent/internal/match.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

class Runner {
 public:
  Runner(Image image, const std::byte* bound, std::int64_t now) noexcept
      : image_(image),
        h_(image.header()),
        bound_(bound),
        job_(h_, bound),
        clock_(image, job_.header->submitted, now) {}

  // Calls on_rule(index) for every rule that applies, in order.
  template <typename OnRule>
  Decision Run(OnRule&& on_rule) noexcept {
    Decision decision;
    decision.policy_fingerprint = image_.text(h_.fingerprint);
    decision.ignored_claims = job_.header->ignored_claims;
    if (job_.header->invalid != 0) {
      decision.reason = Reason::kFallbackInvalidInput;
      decision.priority = decision.preemption_priority = h_.fallback_priority;
      SetClass(h_.fallback_class, h_.fallback_priority, &decision);
      return decision;
    }
    decision.preemptible = job_.header->preemptible != 0;

    Matcher matcher(image_, bound_, &clock_);
    RuleBitmap matched;
    const std::uint32_t count = h_.rules.count;
    std::uint32_t next = 0;  // first rule that may still apply
    for (std::uint32_t first = 0; first < count; first += kWindow) {
      // Rules that no longer apply can still bound the validity of the decision.
      if (next >= count && h_.time_dependent == 0) break;
      matcher.Match(first, &matched);
      if (next < first) next = first;
      while (next < count && next - first < kWindow) {
        const std::uint32_t i = matched.Next(next - first);
        if (i == kWindow) break;
        const Rule& rule = image_.at(h_.rules, first + i);
        on_rule(first + i);
        Apply(rule, &decision);
        next = rule.next;
      }
    }
    decision.priority = Clamp(score_);
    decision.preemption_priority = Clamp(preemption_score_);
    SetClass(class_, decision.preemption_priority, &decision);
    if (clock_.valid_until() != kNever)
      decision.valid_until = TimePoint(std::chrono::microseconds(clock_.valid_until()));
    return decision;
  }

 private:
  void Apply(const Rule& rule, Decision* decision) noexcept {
    std::int64_t value = rule.value;
    if (rule.effect == Effect::kAddScaled) {
      const Scaled& scaled = image_.at(h_.scaled, static_cast<std::uint32_t>(rule.value));
      value = 0;
      if (scaled.slot == kNone) {
        if (clock_.has_wait()) value = ScaledAmount(scaled, clock_.wait_seconds());
      } else if (!IsAbsent(job_.scaled[scaled.slot])) {
        value = ScaledAmount(scaled, job_.scaled[scaled.slot]);
      }
    }
    score_ = Change(rule.effect, score_, value);
    if ((rule.flags & Rule::kOrderOnly) == 0)
      preemption_score_ = Change(rule.effect, preemption_score_, value);
    if (rule.outcome != kNone) SetOutcomes(image_.at(h_.outcomes, rule.outcome), decision);
  }

  static std::int64_t Change(Effect effect, std::int64_t score, std::int64_t value) noexcept {
    switch (effect) {
      case Effect::kNone: return score;
      case Effect::kSet: return value;
      case Effect::kAdd:
      case Effect::kAddScaled: return score + value;
      case Effect::kAtLeast: return std::max(score, value);
      case Effect::kAtMost: return std::min(score, value);
    }
    return score;
  }

  void SetOutcomes(const Outcome& outcome, Decision* decision) noexcept {
    if ((outcome.flags & Outcome::kClass) != 0) class_ = outcome.klass;
    if ((outcome.flags & Outcome::kLimit) != 0)
      decision->limit_runtime_seconds = outcome.limit_runtime_seconds;
    if ((outcome.flags & Outcome::kShare) != 0)
      decision->share_identifier = image_.text(outcome.share_identifier);
    if ((outcome.flags & Outcome::kNeverPreempt) != 0)
      decision->never_preempt_others = outcome.never_preempt_others != 0;
    if ((outcome.flags & Outcome::kDeny) != 0) {
      decision->verdict = Verdict::kDeny;
      decision->denial = image_.text(outcome.deny);
    }
  }

  // The class `forced`, or, where that is kNone, the one of `priority`.
  void SetClass(std::uint32_t forced, std::int32_t priority, Decision* decision) const noexcept {
    const Class* classes = image_.begin(h_.classes);
    std::uint32_t klass = forced;
    if (klass == kNone) {
      for (std::uint32_t i = 0; i < h_.classes.count && classes[i].at_least <= priority; ++i)
        klass = i;
    }
    if (klass != kNone) decision->priority_class = image_.text(classes[klass].name);
  }

  std::int32_t Clamp(std::int64_t score) const noexcept {
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(score, h_.bounds_min, h_.bounds_max));
  }

  const Image image_;
  const Header& h_;
  const std::byte* const bound_;
  const BoundParts<const std::byte> job_;
  Clock clock_;
  // At most 2^20 rules change them by an int32 each: no overflow.
  std::int64_t score_ = 0;
  std::int64_t preemption_score_ = 0;
  std::uint32_t class_ = kNone;  // forced by a rule
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_RUN_H_
