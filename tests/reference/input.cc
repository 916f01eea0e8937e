// What a policy does not get to see: invalid jobs, and claims nobody verified.
#include <algorithm>
#include <cmath>

#include "tests/reference/reference.h"

namespace precedent::reference {
namespace {

bool IsFiniteOrAbsent(bool has, double value) {
  const std::optional<double> number = Number(has, value);
  return !number || std::isfinite(*number);
}

bool IsCountOrAbsent(bool has, double value) {
  const std::optional<double> number = Number(has, value);
  return !number || (std::isfinite(*number) && *number >= 0);
}

bool IsZero(const v1::Lineage& lineage) {
  return lineage.failure_count() == 0 && lineage.preemption_count() == 0 &&
         lineage.infrastructure_failure_count() == 0 && lineage.attempt() == 0 &&
         lineage.depth() == 0 && lineage.step() == 0 && !lineage.retry_of_preempted() &&
         !Number(lineage.has_predecessor_runtime_seconds(),
                 lineage.predecessor_runtime_seconds()) &&
         !Number(lineage.has_progress(), lineage.progress()) &&
         !Number(lineage.has_reported_priority(), lineage.reported_priority());
}

}  // namespace

bool IsValid(const Job& job) {
  const v1::JobDescriptor& facts = job.facts;
  const v1::Lineage& lineage = facts.lineage();
  for (const auto& [name, value] : job.metrics)
    if (!IsFiniteOrAbsent(true, value)) return false;
  return IsCountOrAbsent(facts.has_gpu_count(), facts.gpu_count()) &&
         IsCountOrAbsent(facts.has_pod_count(), facts.pod_count()) &&
         IsCountOrAbsent(facts.has_dataset_bytes(), facts.dataset_bytes()) &&
         IsCountOrAbsent(facts.has_max_runtime_seconds(), facts.max_runtime_seconds()) &&
         IsCountOrAbsent(facts.has_checkpoint_interval_seconds(),
                         facts.checkpoint_interval_seconds()) &&
         lineage.failure_count() >= 0 && lineage.preemption_count() >= 0 &&
         lineage.infrastructure_failure_count() >= 0 && lineage.attempt() >= 0 &&
         lineage.depth() >= 0 && lineage.step() >= 0 &&
         IsCountOrAbsent(lineage.has_predecessor_runtime_seconds(),
                         lineage.predecessor_runtime_seconds()) &&
         IsCountOrAbsent(lineage.has_progress(), lineage.progress()) &&
         IsFiniteOrAbsent(lineage.has_reported_priority(), lineage.reported_priority());
}

Job WithoutUnverified(const v1::Policy& policy, const Job& given, std::uint32_t* ignored) {
  Job job = given;
  v1::JobDescriptor& facts = job.facts;
  *ignored = 0;
  const auto ignore = [&](v1::Attribute attribute, bool was_present) {
    if (was_present) *ignored |= std::uint32_t{1} << attribute;
  };
  for (int number : policy.require_verified()) {
    const auto& claimed = given.facts.claimed();
    if (std::find(claimed.begin(), claimed.end(), number) == claimed.end()) continue;
    const auto attribute = static_cast<v1::Attribute>(number);
    switch (attribute) {
      case v1::TEAM:
        ignore(attribute, !given.facts.team().empty());
        facts.clear_team();
        break;
      case v1::WORKLOAD_TYPE:
        ignore(attribute, !given.facts.workload_type().empty());
        facts.clear_workload_type();
        break;
      case v1::ENVIRONMENT:
        ignore(attribute, !given.facts.environment().empty());
        facts.clear_environment();
        break;
      case v1::NAMESPACE:
        ignore(attribute, !given.facts.namespace_().empty());
        facts.clear_namespace_();
        break;
      case v1::QUEUE:
        ignore(attribute, !given.facts.queue().empty());
        facts.clear_queue();
        break;
      case v1::USER:
        ignore(attribute, !given.facts.user().empty());
        facts.clear_user();
        break;
      case v1::IMAGE:
        ignore(attribute, !given.facts.image().empty());
        facts.clear_image();
        break;
      case v1::ACCELERATOR:
        ignore(attribute, !given.facts.accelerator().empty());
        facts.clear_accelerator();
        break;
      case v1::REQUESTED_CLASS:
        ignore(attribute, !given.facts.requested_class().empty());
        facts.clear_requested_class();
        break;
      case v1::KIND:
        ignore(attribute, !given.facts.kind().empty());
        facts.clear_kind();
        break;
      case v1::GPU_COUNT:
        ignore(attribute, Number(given.facts.has_gpu_count(), given.facts.gpu_count()).has_value());
        facts.clear_gpu_count();
        break;
      case v1::POD_COUNT:
        ignore(attribute, Number(given.facts.has_pod_count(), given.facts.pod_count()).has_value());
        facts.clear_pod_count();
        break;
      case v1::DATASET_BYTES:
        ignore(attribute,
               Number(given.facts.has_dataset_bytes(), given.facts.dataset_bytes()).has_value());
        facts.clear_dataset_bytes();
        break;
      case v1::MAX_RUNTIME_SECONDS:
        ignore(attribute,
               Number(given.facts.has_max_runtime_seconds(), given.facts.max_runtime_seconds())
                   .has_value());
        facts.clear_max_runtime_seconds();
        break;
      case v1::CHECKPOINT_INTERVAL_SECONDS:
        ignore(attribute, Number(given.facts.has_checkpoint_interval_seconds(),
                                 given.facts.checkpoint_interval_seconds())
                              .has_value());
        facts.clear_checkpoint_interval_seconds();
        break;
      case v1::WAIT_SECONDS:
        ignore(attribute, given.submitted_us.has_value());
        job.submitted_us.reset();
        break;
      case v1::PREEMPTIBLE:
        ignore(attribute, given.facts.preemptible());
        facts.clear_preemptible();
        break;
      case v1::LINEAGE:
        ignore(attribute, !IsZero(given.facts.lineage()));
        facts.clear_lineage();
        break;
      case v1::LABELS:
        ignore(attribute, !given.labels.empty());
        job.labels.clear();
        break;
      case v1::METRICS:
        ignore(attribute, !given.metrics.empty());
        job.metrics.clear();
        break;
      default:
        break;
    }
  }
  return job;
}

}  // namespace precedent::reference
