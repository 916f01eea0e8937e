// The built-in attributes of a job, by number.
#ifndef PRECEDENT_INTERNAL_BUILT_IN_H_
#define PRECEDENT_INTERNAL_BUILT_IN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/layout_binding.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// The texts stand in a descriptor in the order of precedent::Attribute, and the numbers
// in that of Number, eight bytes each.
static_assert(std::is_standard_layout_v<JobDescriptor> &&
              offsetof(JobDescriptor, workload_type) ==
                  offsetof(JobDescriptor, team) + sizeof(std::string_view) &&
              offsetof(JobDescriptor, kind) ==
                  offsetof(JobDescriptor, team) + 9 * sizeof(std::string_view));
inline constexpr std::size_t kNumbersAt = offsetof(JobDescriptor, gpu_count);
static_assert(offsetof(JobDescriptor, checkpoint_interval_seconds) == kNumbersAt + 4 * 8 &&
              offsetof(JobDescriptor, lineage) == kNumbersAt + 5 * 8 &&
              offsetof(Lineage, failure_count) == 0 && offsetof(Lineage, step) == 5 * 8 &&
              offsetof(Lineage, predecessor_runtime_seconds) == 6 * 8 &&
              offsetof(Lineage, reported_priority) == 8 * 8);

inline std::string_view BuiltInText(const JobDescriptor& job, std::uint32_t attribute) noexcept {
  std::string_view text;
  std::memcpy(&text,
              reinterpret_cast<const std::byte*>(&job) + offsetof(JobDescriptor, team) +
                  std::size_t{attribute - 1} * sizeof text,
              sizeof text);
  return text;
}

// Where the bytes of `number`, a Number, are.
inline const std::byte* BuiltInBytes(const JobDescriptor& job, std::uint32_t number) noexcept {
  return reinterpret_cast<const std::byte*>(&job) + kNumbersAt + std::size_t{number} * 8;
}

inline constexpr bool IsCount(std::uint32_t number) noexcept {
  return number >= static_cast<std::uint32_t>(Number::kFailureCount) &&
         number <= static_cast<std::uint32_t>(Number::kStep);
}

inline double BuiltInNumber(const JobDescriptor& job, std::uint32_t number) noexcept {
  const std::byte* bytes = BuiltInBytes(job, number);
  if (IsCount(number)) {
    std::int64_t count;
    std::memcpy(&count, bytes, sizeof count);
    return static_cast<double>(count);
  }
  double value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline std::int64_t SubmittedAt(const JobDescriptor& job) noexcept {
  return job.submitted == kNoTime ? kAbsentTime : job.submitted.time_since_epoch().count();
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_BUILT_IN_H_
