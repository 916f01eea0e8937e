// What a policy says about priorities that change while a job lives. Evaluation looks
// at none of it: a Reprioritiser (reprioritiser.h) does, or whatever a scheduler has in
// its place.
#ifndef PRECEDENT_LINEAGE_RULES_H_
#define PRECEDENT_LINEAGE_RULES_H_

#include <cstdint>

#include "precedent/internal/abi.h"

namespace precedent {
inline namespace PRECEDENT_ABI {

// The numbers are those of precedent.v1.Propagation.From.
enum class PropagateFrom : std::uint8_t {
  kNobody = 0,
  kDependents = 1,  // from the jobs that wait for this one's result
};

// Policy.propagation: over h edges a job inherits max(own, theirs - h * decay_per_hop).
// All zeros, as where the policy has none: nothing is inherited.
struct Propagation {
  PropagateFrom from = PropagateFrom::kNobody;
  std::int32_t decay_per_hop = 0;  // points, not negative
  std::int32_t max_hops = 0;       // edges, not negative

  bool enabled() const noexcept { return from != PropagateFrom::kNobody && max_hops > 0; }
};

// Policy.stability: limits on what is published of one job's changes; all apply. All
// zeros, as where the policy has none: every change is published.
struct Stability {
  std::int32_t min_change = 0;            // points; less waits, unless the class changes
  std::int32_t min_interval_seconds = 0;  // between two changes of one job
  std::int32_t max_changes_per_hour = 0;  // of one job in any hour; 0: no limit
};

}  // namespace PRECEDENT_ABI
}  // namespace precedent

#endif  // PRECEDENT_LINEAGE_RULES_H_
