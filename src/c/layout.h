// The structs of C have, behind struct_size, the very layout of what the evaluator takes and
// gives, so that a call converts nothing. Whoever changes JobDescriptor, Lineage or Decision
// is told here; what is added there must stand at the end, or be copied field by field.
#ifndef PRECEDENT_SRC_C_LAYOUT_H_
#define PRECEDENT_SRC_C_LAYOUT_H_

#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

#include "precedent/c.h"
#include "precedent/decision.h"
#include "precedent/job_descriptor.h"
#include "precedent/lineage.h"

#if !defined(__GLIBCXX__)
#error "precedent::c needs libstdc++: precedent_text has the layout of its std::string_view"
#endif

namespace precedent::c {

static_assert(sizeof(void*) == 8, "the structs are laid out for 64-bit machines");

// Where the C++ struct begins in that of C.
inline constexpr std::size_t kHead = sizeof(std::uint64_t);

static_assert(sizeof(precedent_text) == sizeof(std::string_view));
static_assert(sizeof(precedent_label) == sizeof(Label));
static_assert(sizeof(precedent_metric) == sizeof(Metric) &&
              offsetof(precedent_metric, value) == offsetof(Metric, value));

static_assert(std::is_standard_layout_v<Lineage> && std::is_trivially_copyable_v<Lineage>);
static_assert(sizeof(precedent_lineage) == sizeof(Lineage));
#define PRECEDENT_SAME(field) offsetof(precedent_lineage, field) == offsetof(Lineage, field)
static_assert(PRECEDENT_SAME(failure_count) && PRECEDENT_SAME(preemption_count) &&
              PRECEDENT_SAME(infrastructure_failure_count) && PRECEDENT_SAME(attempt) &&
              PRECEDENT_SAME(depth) && PRECEDENT_SAME(step) &&
              PRECEDENT_SAME(predecessor_runtime_seconds) && PRECEDENT_SAME(progress) &&
              PRECEDENT_SAME(reported_priority) && PRECEDENT_SAME(retry_of_preempted));
#undef PRECEDENT_SAME

static_assert(std::is_standard_layout_v<JobDescriptor> &&
              std::is_trivially_copyable_v<JobDescriptor>);
static_assert(sizeof(precedent_job) == kHead + sizeof(JobDescriptor));
static_assert(offsetof(precedent_job, labels) == kHead + offsetof(JobDescriptor, labels) &&
              offsetof(precedent_job, metrics) == kHead + offsetof(JobDescriptor, metrics));
#define PRECEDENT_SAME(field) \
  offsetof(precedent_job, field) == kHead + offsetof(JobDescriptor, field)
static_assert(PRECEDENT_SAME(submitted) && PRECEDENT_SAME(claimed) && PRECEDENT_SAME(preemptible) &&
              PRECEDENT_SAME(gpu_count) && PRECEDENT_SAME(pod_count) &&
              PRECEDENT_SAME(dataset_bytes) && PRECEDENT_SAME(max_runtime_seconds) &&
              PRECEDENT_SAME(checkpoint_interval_seconds) && PRECEDENT_SAME(lineage) &&
              PRECEDENT_SAME(team) && PRECEDENT_SAME(workload_type) &&
              PRECEDENT_SAME(environment) && PRECEDENT_SAME(namespace_name) &&
              PRECEDENT_SAME(queue) && PRECEDENT_SAME(user) && PRECEDENT_SAME(image) &&
              PRECEDENT_SAME(accelerator) && PRECEDENT_SAME(requested_class) &&
              PRECEDENT_SAME(kind));
#undef PRECEDENT_SAME

static_assert(std::is_standard_layout_v<Decision> && std::is_trivially_copyable_v<Decision>);
static_assert(sizeof(precedent_decision) == kHead + sizeof(Decision));
#define PRECEDENT_SAME(field) \
  offsetof(precedent_decision, field) == kHead + offsetof(Decision, field)
static_assert(PRECEDENT_SAME(priority) && PRECEDENT_SAME(preemption_priority) &&
              PRECEDENT_SAME(reason) && PRECEDENT_SAME(verdict) && PRECEDENT_SAME(preemptible) &&
              PRECEDENT_SAME(never_preempt_others) && PRECEDENT_SAME(limit_runtime_seconds) &&
              PRECEDENT_SAME(ignored_claims) && PRECEDENT_SAME(priority_class) &&
              PRECEDENT_SAME(share_identifier) && PRECEDENT_SAME(denial) &&
              PRECEDENT_SAME(valid_until) && PRECEDENT_SAME(policy_fingerprint));
#undef PRECEDENT_SAME

static_assert(static_cast<int>(Attribute::kMetrics) == PRECEDENT_METRICS &&
              static_cast<int>(Attribute::kKind) == PRECEDENT_KIND);

inline const JobDescriptor& DescriptorOf(const precedent_job& job) noexcept {
  return *reinterpret_cast<const JobDescriptor*>(&job.labels);
}

// Structs of other releases: at least struct_size and something more, at most this.
inline constexpr std::uint64_t kMaxStructBytes = 64 << 10;
inline bool IsStructSize(std::uint64_t size) noexcept {
  return size >= 2 * kHead && size <= kMaxStructBytes && size % kHead == 0;
}

// Copies a caller's struct of another size into `*known`, which already has what holds
// where a field is missing. False where the struct is longer and says something there.
template <typename Struct>
bool TakeStruct(const Struct* given, Struct* known) noexcept {
  std::uint64_t size;
  std::memcpy(&size, given, sizeof size);
  if (!IsStructSize(size)) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::uint64_t i = sizeof(Struct); i < size; ++i)
    if (bytes[i] != 0) return false;
  std::memcpy(reinterpret_cast<unsigned char*>(known) + kHead, bytes + kHead,
              (size < sizeof(Struct) ? size : sizeof(Struct)) - kHead);
  return true;
}

// The way back: as much of `known` as the caller's struct holds, zeros behind it.
template <typename Struct>
bool GiveStruct(const Struct& known, Struct* given) noexcept {
  std::uint64_t size;
  std::memcpy(&size, given, sizeof size);
  if (!IsStructSize(size)) return false;
  auto* bytes = reinterpret_cast<unsigned char*>(given);
  const std::uint64_t both = size < sizeof(Struct) ? size : sizeof(Struct);
  std::memcpy(bytes + kHead, reinterpret_cast<const unsigned char*>(&known) + kHead, both - kHead);
  if (size > both) std::memset(bytes + both, 0, size - both);
  return true;
}

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_LAYOUT_H_
