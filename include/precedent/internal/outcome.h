// What a decision takes from the image besides the score.
#ifndef PRECEDENT_INTERNAL_OUTCOME_H_
#define PRECEDENT_INTERNAL_OUTCOME_H_

#include <algorithm>
#include <cstdint>

#include "precedent/decision.h"
#include "precedent/internal/bound_job.h"
#include "precedent/internal/image.h"
#include "precedent/internal/inlining.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// Takes over what `outcome` sets, and in `*klass` the class that it forces.
inline void SetOutcome(Image image, const Outcome& outcome, std::uint32_t* klass,
                       Decision* decision) noexcept {
  if ((outcome.flags & Outcome::kClass) != 0) *klass = outcome.klass;
  if ((outcome.flags & Outcome::kLimit) != 0)
    decision->limit_runtime_seconds = outcome.limit_runtime_seconds;
  if ((outcome.flags & Outcome::kShare) != 0)
    decision->share_identifier = image.text(outcome.share_identifier);
  if ((outcome.flags & Outcome::kNeverPreempt) != 0)
    decision->never_preempt_others = outcome.never_preempt_others != 0;
  if ((outcome.flags & Outcome::kDeny) != 0) {
    decision->verdict = Verdict::kDeny;
    decision->denial = image.text(outcome.deny);
  }
}

// The class `forced`, or, where that is kNone, the one of `priority`.
inline void SetClass(Image image, std::uint32_t forced, std::int32_t priority,
                     Decision* decision) noexcept {
  const Section<Class>& section = image.header().classes;
  if (section.count == 0) return;
  const Class* classes = image.begin(section);
  std::uint32_t klass = 0;
  // The number of classes is the policy's: this branches on nothing of the job.
  for (std::uint32_t i = 1; i < section.count; ++i)
    klass += std::uint32_t{classes[i].at_least <= priority};
  if (forced != kNone) klass = forced;
  decision->priority_class = image.text(classes[klass].name);
}

inline std::int32_t ClampScore(const Header& h, std::int64_t score) noexcept {
  score = score < h.bounds_min ? h.bounds_min : score;
  return static_cast<std::int32_t>(score > h.bounds_max ? h.bounds_max : score);
}

// What every decision on a bound job has.
inline void StartDecision(Image image, std::uint32_t flags, Decision* decision) noexcept {
  decision->policy_fingerprint = image.text(image.header().fingerprint);
  decision->ignored_claims = flags & ~(BoundHeader::kInvalid | BoundHeader::kPreemptible);
  decision->preemptible = (flags & BoundHeader::kPreemptible) != 0;
}

PRECEDENT_COLD void DecideInvalid(Image image, std::uint32_t flags, Decision* decision) noexcept {
  const Header& h = image.header();
  StartDecision(image, flags & ~BoundHeader::kPreemptible, decision);
  decision->reason = Reason::kFallbackInvalidInput;
  decision->priority = decision->preemption_priority = h.fallback_priority;
  SetClass(image, h.fallback_class, h.fallback_priority, decision);
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_OUTCOME_H_
