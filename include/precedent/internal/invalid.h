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

// Two at once. The top bit of each is set for a number with a sign and for infinity,
// for no other.
typedef std::uint64_t TwoNumbers __attribute__((vector_size(16)));
inline TwoNumbers Suspicion(double a, double b) noexcept {
  const TwoNumbers bits = {BitsOf(a), BitsOf(b)};
  return bits | ((bits ^ kInfinityBits) - 1);
}

inline bool Invalid(const JobDescriptor& job) noexcept {
  const Lineage& l = job.lineage;
  // Signs and infinities are seldom; then each is looked at.
  const TwoNumbers suspicion =
      Suspicion(job.gpu_count, job.pod_count) |
      Suspicion(job.dataset_bytes, job.max_runtime_seconds) |
      Suspicion(job.checkpoint_interval_seconds, l.predecessor_runtime_seconds) |
      Suspicion(l.progress, l.progress);
  const std::int64_t counts = l.failure_count | l.preemption_count |
                              l.infrastructure_failure_count | l.attempt | l.depth | l.step;
  unsigned bad = IsInfinite(l.reported_priority) | static_cast<unsigned>(counts < 0);
  for (const Metric& metric : job.metrics) bad |= IsInfinite(metric.value);
  if ((suspicion[0] | suspicion[1]) >> 63 != 0)
    bad |= IsBadCount(job.gpu_count) | IsBadCount(job.pod_count) | IsBadCount(job.dataset_bytes) |
           IsBadCount(job.max_runtime_seconds) | IsBadCount(job.checkpoint_interval_seconds) |
           IsBadCount(l.predecessor_runtime_seconds) | IsBadCount(l.progress);
  return bad != 0;
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_INVALID_H_
