// The part of an image that says what rules do, in policy order.
#ifndef PRECEDENT_INTERNAL_LAYOUT_RULES_H_
#define PRECEDENT_INTERNAL_LAYOUT_RULES_H_

#include <cstdint>

#include "precedent/internal/abi.h"
#include "precedent/internal/layout_basic.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

struct Rule {
  // What it does to the score: add, then not below, then not above. `set` is both.
  // kOutcome: one of Header::outcomes is of this rule.
  enum : std::uint32_t {
    kAdd = 1, kNotBelow = 2, kNotAbove = 4, kAddScaled = 8, kOrderOnly = 16, kOutcome = 32
  };
  std::int32_t value = 0;    // kAddScaled: index in Header::scaled
  std::uint32_t flags : 8;
  std::uint32_t next : 24;   // first rule that may apply after this one

  Rule() noexcept : flags(0), next(0) {}
};

struct Scaled {
  double points = 0;
  double per = 1;
  std::int32_t min = 0;
  std::int32_t max = 0;
  std::uint32_t slot = kNone;  // in the bound job; kNone: wait_seconds
  // Of the wait: where its amount changes, see clock.h.
  std::uint32_t step_begin = 0;  // in Header::steps
  std::uint32_t step_count = 0;
  std::uint32_t last_step = 0;  // 1: after the last step nothing changes
  double steps_per_microsecond = 0;
  std::int64_t first_step = 0;  // what to take from wait * steps_per_microsecond
};

// From this wait on a Scaled adds this.
struct Step {
  std::int64_t wait = 0;  // microseconds; the first is 0
  std::int64_t amount = 0;
};

struct Outcome {
  enum : std::uint32_t { kClass = 1, kLimit = 2, kShare = 4, kNeverPreempt = 8, kWarn = 16, kDeny = 32 };
  std::uint32_t rule = kNone;  // kNone: of a cell
  std::uint32_t flags = 0;     // which of the following are set
  std::uint32_t klass = 0;  // in Header::classes
  std::int32_t limit_runtime_seconds = 0;
  std::uint32_t never_preempt_others = 0;
  Text share_identifier;
  Text warn;
  Text deny;
  std::uint32_t annotation_begin = 0;  // in Header::annotations
  std::uint32_t annotation_count = 0;
};

struct KeyValue {
  Text key;
  Text value;
};

struct Class {
  Text name;
  std::int32_t at_least = 0;
  std::uint32_t reserved = 0;
};

struct Transition {
  std::int64_t at = 0;      // seconds since 1970, UTC
  std::int64_t offset = 0;  // seconds east of UTC from then on
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_LAYOUT_RULES_H_
