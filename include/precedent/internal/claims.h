// Claims that a policy does not accept.
#ifndef PRECEDENT_INTERNAL_CLAIMS_H_
#define PRECEDENT_INTERNAL_CLAIMS_H_

#include <cstdint>
#include <string_view>

#include "precedent/internal/abi.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline bool HasLineage(const Lineage& l) noexcept {
  return (l.failure_count | l.preemption_count | l.infrastructure_failure_count | l.attempt |
          l.depth | l.step) != 0 ||
         !IsAbsent(l.predecessor_runtime_seconds) || !IsAbsent(l.progress) ||
         !IsAbsent(l.reported_priority) || l.retry_of_preempted;
}

// Makes the attributes of `mask` absent; returns those that were not absent before.
inline std::uint32_t DropClaims(std::uint32_t mask, JobDescriptor* job) noexcept {
  std::uint32_t dropped = 0;
  const auto drop = [&](Attribute attribute, bool present) {
    if ((mask & Bit(attribute)) == 0 || !present) return false;
    dropped |= Bit(attribute);
    return true;
  };
  const auto text = [&](Attribute attribute, std::string_view* value) {
    if (drop(attribute, !value->empty())) *value = {};
  };
  const auto number = [&](Attribute attribute, double* value) {
    if (drop(attribute, !IsAbsent(*value))) *value = kAbsent;
  };
  text(Attribute::kTeam, &job->team);
  text(Attribute::kWorkloadType, &job->workload_type);
  text(Attribute::kEnvironment, &job->environment);
  text(Attribute::kNamespace, &job->namespace_name);
  text(Attribute::kQueue, &job->queue);
  text(Attribute::kUser, &job->user);
  text(Attribute::kImage, &job->image);
  text(Attribute::kAccelerator, &job->accelerator);
  text(Attribute::kRequestedClass, &job->requested_class);
  text(Attribute::kKind, &job->kind);
  number(Attribute::kGpuCount, &job->gpu_count);
  number(Attribute::kPodCount, &job->pod_count);
  number(Attribute::kDatasetBytes, &job->dataset_bytes);
  number(Attribute::kMaxRuntimeSeconds, &job->max_runtime_seconds);
  number(Attribute::kCheckpointIntervalSeconds, &job->checkpoint_interval_seconds);
  if (drop(Attribute::kWaitSeconds, job->submitted != kNoTime)) job->submitted = kNoTime;
  if (drop(Attribute::kPreemptible, job->preemptible)) job->preemptible = false;
  if (drop(Attribute::kLineage, HasLineage(job->lineage))) job->lineage = Lineage();
  if (drop(Attribute::kLabels, !job->labels.empty())) job->labels = {};
  if (drop(Attribute::kMetrics, !job->metrics.empty())) job->metrics = {};
  return dropped;
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_CLAIMS_H_
