#include "tests/reference/scaled_add.h"

#include <cmath>
#include <limits>
#include <optional>

#include "tests/reference/clock.h"
#include "tests/reference/conditions.h"

namespace precedent::reference {
namespace {

std::optional<double> Value(const v1::ScaledAdd& scaled, const Job& job, std::int64_t now) {
  if (scaled.source_case() == v1::ScaledAdd::kMetric) return MetricOf(job, scaled.metric());
  const v1::JobDescriptor& facts = job.facts;
  const v1::Lineage& lineage = facts.lineage();
  switch (scaled.of()) {
    case v1::ScaledAdd::GPU_COUNT:
      return Number(facts.has_gpu_count(), facts.gpu_count());
    case v1::ScaledAdd::POD_COUNT:
      return Number(facts.has_pod_count(), facts.pod_count());
    case v1::ScaledAdd::DATASET_BYTES:
      return Number(facts.has_dataset_bytes(), facts.dataset_bytes());
    case v1::ScaledAdd::MAX_RUNTIME_SECONDS:
      return Number(facts.has_max_runtime_seconds(), facts.max_runtime_seconds());
    case v1::ScaledAdd::CHECKPOINT_INTERVAL_SECONDS:
      return Number(facts.has_checkpoint_interval_seconds(), facts.checkpoint_interval_seconds());
    case v1::ScaledAdd::WAIT_SECONDS:
      return WaitSeconds(job.submitted_us, now);
    case v1::ScaledAdd::FAILURE_COUNT:
      return static_cast<double>(lineage.failure_count());
    case v1::ScaledAdd::PREEMPTION_COUNT:
      return static_cast<double>(lineage.preemption_count());
    case v1::ScaledAdd::INFRASTRUCTURE_FAILURE_COUNT:
      return static_cast<double>(lineage.infrastructure_failure_count());
    case v1::ScaledAdd::ATTEMPT:
      return static_cast<double>(lineage.attempt());
    case v1::ScaledAdd::DEPTH:
      return static_cast<double>(lineage.depth());
    case v1::ScaledAdd::PREDECESSOR_RUNTIME_SECONDS:
      return Number(lineage.has_predecessor_runtime_seconds(),
                    lineage.predecessor_runtime_seconds());
    case v1::ScaledAdd::STEP:
      return static_cast<double>(lineage.step());
    case v1::ScaledAdd::PROGRESS:
      return Number(lineage.has_progress(), lineage.progress());
    case v1::ScaledAdd::REPORTED_PRIORITY:
      return Number(lineage.has_reported_priority(), lineage.reported_priority());
    default:
      return std::nullopt;
  }
}

}  // namespace

std::int64_t ScaledAmount(const v1::ScaledAdd& scaled, const Job& job, std::int64_t now) {
  const std::optional<double> value = Value(scaled, job, now);
  if (!value) return 0;
  const double per = scaled.has_per() ? scaled.per() : 1.0;
  double d = *value / per;
  d = d * scaled.points();
  if (std::isnan(d)) return 0;
  if (d < -2147483648.0) d = -2147483648.0;
  if (d > 2147483647.0) d = 2147483647.0;
  std::int64_t amount = static_cast<std::int64_t>(d);  // truncates toward zero
  if (scaled.has_min() && amount < scaled.min()) amount = scaled.min();
  if (scaled.has_max() && amount > scaled.max()) amount = scaled.max();
  return amount;
}

}  // namespace precedent::reference
