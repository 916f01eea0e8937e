// Values that no job can have.
#ifndef PRECEDENT_INTERNAL_INVALID_H_
#define PRECEDENT_INTERNAL_INVALID_H_

#include <cstddef>
#include <cstdint>

#include "precedent/internal/built_in.h"
#include "precedent/internal/number.h"
#include "precedent/internal/quad.h"
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

// Whether any number has a sign or is infinite. Few jobs have such a number, not all of
// them are invalid, and of very large counts this is true as well.
inline bool HasOddNumber(const JobDescriptor& job) noexcept {
  static_assert(static_cast<std::uint32_t>(Number::kCount) == 14);
  const Quad infinity = FourOf(static_cast<std::uint32_t>(kInfinityBits >> 32));
  const std::byte* numbers = BuiltInBytes(job, 0);
  const auto four = [&](std::size_t i) {
    const Quad top = TopHalves(numbers + 8 * i);
    return top | Same(top, infinity);
  };
  return AnyNegative(four(0) | four(4) | four(8) | four(10));
}

inline bool HasInfiniteMetric(const JobDescriptor& job) noexcept {
  unsigned bad = 0;
  for (const Metric& metric : job.metrics) bad |= IsInfinite(metric.value);
  return bad != 0;
}

// `odd`: HasOddNumber.
inline bool Invalid(const JobDescriptor& job, bool odd) noexcept {
  if (HasInfiniteMetric(job)) return true;
  if (!odd) return false;
  const Lineage& l = job.lineage;
  const std::int64_t counts = l.failure_count | l.preemption_count |
                              l.infrastructure_failure_count | l.attempt | l.depth | l.step;
  return (IsBadCount(job.gpu_count) | IsBadCount(job.pod_count) | IsBadCount(job.dataset_bytes) |
          IsBadCount(job.max_runtime_seconds) | IsBadCount(job.checkpoint_interval_seconds) |
          IsBadCount(l.predecessor_runtime_seconds) | IsBadCount(l.progress) |
          IsInfinite(l.reported_priority) | static_cast<unsigned>(counts < 0)) != 0;
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_INVALID_H_
