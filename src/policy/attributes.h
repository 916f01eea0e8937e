// The attributes by which proto fields, columns and names meet: one table for the
// texts, one for the numbers, one for the time.
#ifndef PRECEDENT_SRC_POLICY_ATTRIBUTES_H_
#define PRECEDENT_SRC_POLICY_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "precedent/internal/image.h"
#include "precedent/job_descriptor.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::internal {

struct TextAttribute {
  std::string_view name;  // of the field in Match
  Attribute attribute;
  bool (v1::Match::*has)() const;
  const v1::TextMatch& (v1::Match::*get)() const;
  std::string_view JobDescriptor::*value;
};

// All texts but labels, in the order of Match.
inline constexpr TextAttribute kTextAttributes[] = {
    {"team", Attribute::kTeam, &v1::Match::has_team, &v1::Match::team, &JobDescriptor::team},
    {"workload_type", Attribute::kWorkloadType, &v1::Match::has_workload_type,
     &v1::Match::workload_type, &JobDescriptor::workload_type},
    {"environment", Attribute::kEnvironment, &v1::Match::has_environment, &v1::Match::environment,
     &JobDescriptor::environment},
    {"namespace", Attribute::kNamespace, &v1::Match::has_namespace_, &v1::Match::namespace_,
     &JobDescriptor::namespace_name},
    {"queue", Attribute::kQueue, &v1::Match::has_queue, &v1::Match::queue, &JobDescriptor::queue},
    {"user", Attribute::kUser, &v1::Match::has_user, &v1::Match::user, &JobDescriptor::user},
    {"image", Attribute::kImage, &v1::Match::has_image, &v1::Match::image, &JobDescriptor::image},
    {"accelerator", Attribute::kAccelerator, &v1::Match::has_accelerator, &v1::Match::accelerator,
     &JobDescriptor::accelerator},
    {"requested_class", Attribute::kRequestedClass, &v1::Match::has_requested_class,
     &v1::Match::requested_class, &JobDescriptor::requested_class},
    {"kind", Attribute::kKind, &v1::Match::has_kind, &v1::Match::kind, &JobDescriptor::kind},
};

struct NumberAttribute {
  std::string_view name;  // of the field in Match or LineageMatch
  Number number;
  v1::ScaledAdd::Source source;
  // Exactly one pair is set: a field of Match or one of LineageMatch.
  bool (v1::Match::*has)() const;
  const v1::NumberMatch& (v1::Match::*get)() const;
  bool (v1::LineageMatch::*has_lineage)() const;
  const v1::NumberMatch& (v1::LineageMatch::*get_lineage)() const;

  // The constraint on this number in `match`, or null.
  const v1::NumberMatch* In(const v1::Match& match) const {
    if (has != nullptr) return (match.*has)() ? &(match.*get)() : nullptr;
    if (!match.has_lineage() || !(match.lineage().*has_lineage)()) return nullptr;
    return &(match.lineage().*get_lineage)();
  }
};

// The numbers of the time, which no job has.
struct TimeAttribute {
  std::string_view name;  // of the field in Match
  bool (v1::Match::*has)() const;
  const v1::NumberMatch& (v1::Match::*get)() const;
};

inline constexpr TimeAttribute kTimeAttributes[] = {
    {"wait_seconds", &v1::Match::has_wait_seconds, &v1::Match::wait_seconds},
    {"hour_of_day", &v1::Match::has_hour_of_day, &v1::Match::hour_of_day},
    {"day_of_week", &v1::Match::has_day_of_week, &v1::Match::day_of_week},
};

#define PRECEDENT_MATCH_NUMBER(field, kNumber, SOURCE)                                       \
  {                                                                                          \
    #field, Number::kNumber, v1::ScaledAdd::SOURCE, &v1::Match::has_##field,                 \
        &v1::Match::field, nullptr, nullptr                                                  \
  }
#define PRECEDENT_LINEAGE_NUMBER(field, kNumber, SOURCE)                                     \
  {                                                                                          \
    #field, Number::kNumber, v1::ScaledAdd::SOURCE, nullptr, nullptr,                        \
        &v1::LineageMatch::has_##field, &v1::LineageMatch::field                             \
  }

// All numbers that do not depend on the time, but metrics; in the order of Number.
inline constexpr NumberAttribute kNumberAttributes[] = {
    PRECEDENT_MATCH_NUMBER(gpu_count, kGpuCount, GPU_COUNT),
    PRECEDENT_MATCH_NUMBER(pod_count, kPodCount, POD_COUNT),
    PRECEDENT_MATCH_NUMBER(dataset_bytes, kDatasetBytes, DATASET_BYTES),
    PRECEDENT_MATCH_NUMBER(max_runtime_seconds, kMaxRuntimeSeconds, MAX_RUNTIME_SECONDS),
    PRECEDENT_MATCH_NUMBER(checkpoint_interval_seconds, kCheckpointIntervalSeconds,
                           CHECKPOINT_INTERVAL_SECONDS),
    PRECEDENT_LINEAGE_NUMBER(failure_count, kFailureCount, FAILURE_COUNT),
    PRECEDENT_LINEAGE_NUMBER(preemption_count, kPreemptionCount, PREEMPTION_COUNT),
    PRECEDENT_LINEAGE_NUMBER(infrastructure_failure_count, kInfrastructureFailureCount,
                             INFRASTRUCTURE_FAILURE_COUNT),
    PRECEDENT_LINEAGE_NUMBER(attempt, kAttempt, ATTEMPT),
    PRECEDENT_LINEAGE_NUMBER(depth, kDepth, DEPTH),
    PRECEDENT_LINEAGE_NUMBER(step, kStep, STEP),
    PRECEDENT_LINEAGE_NUMBER(predecessor_runtime_seconds, kPredecessorRuntimeSeconds,
                             PREDECESSOR_RUNTIME_SECONDS),
    PRECEDENT_LINEAGE_NUMBER(progress, kProgress, PROGRESS),
    PRECEDENT_LINEAGE_NUMBER(reported_priority, kReportedPriority, REPORTED_PRIORITY),
};

#undef PRECEDENT_MATCH_NUMBER
#undef PRECEDENT_LINEAGE_NUMBER

// The number that a ScaledAdd source names; nullopt for WAIT_SECONDS.
inline std::optional<Number> NumberOf(v1::ScaledAdd::Source source) {
  for (const NumberAttribute& attribute : kNumberAttributes)
    if (attribute.source == source) return attribute.number;
  return std::nullopt;
}

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_ATTRIBUTES_H_
