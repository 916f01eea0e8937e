// The built-in attributes of a job, by number.
#ifndef PRECEDENT_INTERNAL_BUILT_IN_H_
#define PRECEDENT_INTERNAL_BUILT_IN_H_

#include <cstdint>
#include <string_view>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/layout_binding.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// In the order of precedent::Attribute.
inline std::string_view BuiltInText(const JobDescriptor& job, std::uint32_t attribute) noexcept {
  using J = JobDescriptor;
  static constexpr std::string_view J::*kTexts[] = {
      &J::team, &J::workload_type, &J::environment, &J::namespace_name,  &J::queue,
      &J::user, &J::image,         &J::accelerator, &J::requested_class, &J::kind};
  return job.*kTexts[attribute - 1];
}

// `number`: a Number.
inline double BuiltInNumber(const JobDescriptor& job, std::uint32_t number) noexcept {
  using J = JobDescriptor;
  using L = Lineage;
  static constexpr double J::*kOfJob[] = {&J::gpu_count, &J::pod_count, &J::dataset_bytes,
                                          &J::max_runtime_seconds,
                                          &J::checkpoint_interval_seconds};
  static constexpr std::int64_t L::*kCounts[] = {
      &L::failure_count, &L::preemption_count, &L::infrastructure_failure_count,
      &L::attempt,       &L::depth,            &L::step};
  static constexpr double L::*kOfLineage[] = {&L::predecessor_runtime_seconds, &L::progress,
                                              &L::reported_priority};
  constexpr auto kFirstCount = static_cast<std::uint32_t>(Number::kFailureCount);
  constexpr auto kAfterCounts = static_cast<std::uint32_t>(Number::kPredecessorRuntimeSeconds);
  if (number < kFirstCount) return job.*kOfJob[number];
  if (number < kAfterCounts)
    return static_cast<double>(job.lineage.*kCounts[number - kFirstCount]);
  return job.lineage.*kOfLineage[number - kAfterCounts];
}

inline std::int64_t SubmittedAt(const JobDescriptor& job) noexcept {
  return job.submitted == kNoTime ? kAbsentTime : job.submitted.time_since_epoch().count();
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_BUILT_IN_H_
