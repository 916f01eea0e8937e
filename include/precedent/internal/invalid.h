// Values that no job can have.
#ifndef PRECEDENT_INTERNAL_INVALID_H_
#define PRECEDENT_INTERNAL_INVALID_H_

#include <cstdint>

#include "precedent/internal/number.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000u;

// 1 or 0, so that they can be joined without branches.
inline unsigned IsInfinite(double number) noexcept {
  return (BitsOf(number) & ~(std::uint64_t{1} << 63)) == kInfinityBits ? 1u : 0u;
}
// Infinite, or negative and not NaN; -0 is 0.
inline unsigned IsBadCount(double number) noexcept {
  const std::uint64_t bits = BitsOf(number);
  const unsigned negative = bits - 0x8000000000000001u < kInfinityBits ? 1u : 0u;
  return negative | IsInfinite(number);
}

inline bool Invalid(const JobDescriptor& job) noexcept {
  const Lineage& l = job.lineage;
  const double counts[] = {job.gpu_count,
                           job.pod_count,
                           job.dataset_bytes,
                           job.max_runtime_seconds,
                           job.checkpoint_interval_seconds,
                           l.predecessor_runtime_seconds,
                           l.progress};
  // A sign is seldom, and then it is looked at closely.
  std::uint64_t signs = 0;
  unsigned bad = IsInfinite(l.reported_priority);
  for (const double count : counts) {
    signs |= BitsOf(count);
    bad |= BitsOf(count) == kInfinityBits ? 1u : 0u;
  }
  if (signs >> 63 != 0)
    for (const double count : counts) bad |= IsBadCount(count);
  bad |= (l.failure_count | l.preemption_count | l.infrastructure_failure_count | l.attempt |
          l.depth | l.step) < 0
             ? 1u
             : 0u;
  for (const Metric& metric : job.metrics) bad |= IsInfinite(metric.value);
  return bad != 0;
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_INVALID_H_
