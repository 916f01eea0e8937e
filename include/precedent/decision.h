// Decision: what a policy decided about one job.
#ifndef PRECEDENT_DECISION_H_
#define PRECEDENT_DECISION_H_

#include <cstdint>
#include <string_view>

#include "precedent/internal/abi.h"
#include "precedent/time.h"

namespace precedent {
inline namespace PRECEDENT_ABI {

// Why a decision has the priority it has. Few and stable: fit for a metric label.
// The numbers are those of precedent.v1.Reason.
enum class Reason : std::uint8_t {
  kDerived = 1,               // by the policy
  kFallbackNoPolicy = 2,      // no policy was live
  kFallbackInvalidInput = 3,  // a value that no job can have, such as a negative count
};

// `DERIVED`, `FALLBACK_NO_POLICY`, ...: the names of precedent.v1.Reason.
constexpr std::string_view ReasonName(Reason reason) noexcept {
  switch (reason) {
    case Reason::kDerived: return "DERIVED";
    case Reason::kFallbackNoPolicy: return "FALLBACK_NO_POLICY";
    case Reason::kFallbackInvalidInput: return "FALLBACK_INVALID_INPUT";
  }
  return "REASON_UNSPECIFIED";
}

// The numbers are those of precedent.v1.Verdict.
enum class Verdict : std::uint8_t {
  kAllow = 1,
  kDeny = 2,  // a rule with `deny` applied; enforcing it is the embedder's choice
};

// A small value: no lists, no ownership. Its views borrow from the Evaluator's
// block and live as long as that (or as the guard of a LiveEvaluator, or, for a
// fallback without policy, as the Fallback). The lists (applied rules, warnings,
// annotations) come from Evaluator::AppliedRules.
struct Decision {
  std::int32_t priority = 0;             // order in the queue; within the policy's bounds
  std::int32_t preemption_priority = 0;  // right to evict: without order_only rules
  Reason reason = Reason::kDerived;
  Verdict verdict = Verdict::kAllow;
  bool preemptible = false;  // the job's own consent, if it counts
  bool never_preempt_others = false;
  std::int32_t limit_runtime_seconds = 0;  // seconds; 0: no limit from the policy
  // Attributes (bits of Attribute) whose claimed values require_verified ignored.
  std::uint32_t ignored_claims = 0;
  std::string_view priority_class = "";    // empty where the policy has no classes
  std::string_view share_identifier = "";  // empty: none from the policy
  std::string_view denial = "";            // text of the last `deny` that applied
  // The same job gets the same decision from the same policy before this time.
  // kForever: always.
  TimePoint valid_until = kForever;
  std::string_view policy_fingerprint = "";  // 32 hexadecimal digits; empty without policy
};

// What to decide while no policy is live. Given to LiveEvaluator and to adapters
// when they are made; once a policy is live its own fallback wins.
struct Fallback {
  std::int32_t priority = 500;
  std::string_view priority_class;  // borrowed
};

// The decision with Reason::kFallbackNoPolicy. Borrows the class from `fallback`.
constexpr Decision FallbackDecision(const Fallback& fallback) noexcept {
  Decision decision;
  decision.priority = fallback.priority;
  decision.preemption_priority = fallback.priority;
  decision.reason = Reason::kFallbackNoPolicy;
  decision.priority_class = fallback.priority_class;
  return decision;
}

}  // namespace PRECEDENT_ABI
}  // namespace precedent

#endif  // PRECEDENT_DECISION_H_
