#include "src/adapter/attributes.h"

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/json/duration.h"
#include "src/json/path.h"
#include "src/json/quantity.h"

namespace precedent::adapter {
namespace {

using Job = v1::JobDescriptor;

template <auto Set>
absl::Status ReadDuration(std::string_view text, Job& job) {
  const absl::StatusOr<std::int64_t> seconds = json::ParseDuration(text);
  if (!seconds.ok()) return seconds.status();
  (job.*Set)(static_cast<double>(*seconds));
  return absl::OkStatus();
}

template <auto Set>
absl::Status ReadLineageCount(std::string_view text, Job& job) {
  const absl::StatusOr<std::int64_t> count = json::ParseWholeNumber(text);
  if (!count.ok()) return count.status();
  (job.mutable_lineage()->*Set)(*count);
  return absl::OkStatus();
}

absl::Status ReadBytes(std::string_view text, Job& job) {
  const absl::StatusOr<double> bytes = json::ParseBytes(text);
  if (!bytes.ok()) return bytes.status();
  job.set_dataset_bytes(*bytes);
  return absl::OkStatus();
}

absl::Status ReadPreemptible(std::string_view text, Job& job) {
  const absl::StatusOr<bool> value = json::ParseBool(text);
  if (!value.ok()) return value.status();
  job.set_preemptible(*value);
  return absl::OkStatus();
}

absl::Status ReadRetryOfPreempted(std::string_view text, Job& job) {
  const absl::StatusOr<bool> value = json::ParseBool(text);
  if (!value.ok()) return value.status();
  job.mutable_lineage()->set_retry_of_preempted(*value);
  return absl::OkStatus();
}

absl::Status ReadPredecessorRuntime(std::string_view text, Job& job) {
  const absl::StatusOr<std::int64_t> seconds = json::ParseDuration(text);
  if (!seconds.ok()) return seconds.status();
  job.mutable_lineage()->set_predecessor_runtime_seconds(static_cast<double>(*seconds));
  return absl::OkStatus();
}

absl::Status ReadProgress(std::string_view text, Job& job) {
  const absl::StatusOr<double> value = json::ParseNumber(text);
  if (!value.ok()) return value.status();
  if (!(*value >= 0 && *value <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", json::Printable(text), "` is not between 0 and 1"));
  }
  job.mutable_lineage()->set_progress(*value + 0.0);  // no negative zero
  return absl::OkStatus();
}

absl::Status ReadReportedPriority(std::string_view text, Job& job) {
  const absl::StatusOr<double> value = json::ParseNumber(text);
  if (!value.ok()) return value.status();
  job.mutable_lineage()->set_reported_priority(*value);
  return absl::OkStatus();
}

// The relation stays open: metadata tell which job came before, not why.
absl::Status ReadParent(std::string_view text, Job& job) {
  job.add_parents()->set_id(std::string(text));
  return absl::OkStatus();
}

// A macro, since protobuf's text setters are templates that no parameter can name.
#define PRECEDENT_TEXT_READER(Name, setter)            \
  absl::Status Name(std::string_view text, Job& job) { \
    job.setter(std::string(text));                     \
    return absl::OkStatus();                           \
  }
PRECEDENT_TEXT_READER(ReadTeam, set_team)
PRECEDENT_TEXT_READER(ReadWorkloadType, set_workload_type)
PRECEDENT_TEXT_READER(ReadEnvironment, set_environment)
PRECEDENT_TEXT_READER(ReadQueue, set_queue)
PRECEDENT_TEXT_READER(ReadAccelerator, set_accelerator)
PRECEDENT_TEXT_READER(ReadRequestedClass, set_requested_class)
#undef PRECEDENT_TEXT_READER

constexpr AttributeRow kRows[] = {
    {"team", v1::TEAM, {"team"}, {}, true, ReadTeam},
    {"workload_type", v1::WORKLOAD_TYPE, {"workload-type", "workload"}, {}, true, ReadWorkloadType},
    {"environment", v1::ENVIRONMENT, {"environment", "env"}, {}, true, ReadEnvironment},
    {"queue", v1::QUEUE, {}, "kueue.x-k8s.io/queue-name", true, ReadQueue},
    {"accelerator", v1::ACCELERATOR, {}, {}, true, ReadAccelerator},
    {"requested_class", v1::REQUESTED_CLASS, {}, {}, true, ReadRequestedClass},
    {"dataset_bytes", v1::DATASET_BYTES, {"dataset-size"}, {}, false, ReadBytes},
    {"max_runtime_seconds",
     v1::MAX_RUNTIME_SECONDS,
     {"max-duration"},
     {},
     false,
     ReadDuration<&Job::set_max_runtime_seconds>},
    {"checkpoint_interval_seconds",
     v1::CHECKPOINT_INTERVAL_SECONDS,
     {"checkpoint-interval"},
     {},
     false,
     ReadDuration<&Job::set_checkpoint_interval_seconds>},
    {"preemptible", v1::PREEMPTIBLE, {"preemptible"}, {}, false, ReadPreemptible},
    {"parent_job_id", v1::LINEAGE, {"parent-job-id"}, {}, true, ReadParent},
    {"failure_count",
     v1::LINEAGE,
     {"failure-count"},
     {},
     false,
     ReadLineageCount<&v1::Lineage::set_failure_count>},
    {"preemption_count",
     v1::LINEAGE,
     {"preemption-count"},
     {},
     false,
     ReadLineageCount<&v1::Lineage::set_preemption_count>},
    {"infrastructure_failure_count",
     v1::LINEAGE,
     {},
     {},
     false,
     ReadLineageCount<&v1::Lineage::set_infrastructure_failure_count>},
    {"attempt", v1::LINEAGE, {}, {}, false, ReadLineageCount<&v1::Lineage::set_attempt>},
    {"depth", v1::LINEAGE, {}, {}, false, ReadLineageCount<&v1::Lineage::set_depth>},
    {"step", v1::LINEAGE, {}, {}, false, ReadLineageCount<&v1::Lineage::set_step>},
    {"predecessor_runtime_seconds", v1::LINEAGE, {}, {}, false, ReadPredecessorRuntime},
    {"progress", v1::LINEAGE, {}, {}, false, ReadProgress},
    {"reported_priority", v1::LINEAGE, {}, {}, false, ReadReportedPriority},
    {"retry_of_preempted", v1::LINEAGE, {}, {}, false, ReadRetryOfPreempted},
};

}  // namespace

Span<const AttributeRow> Attributes() { return {kRows, std::size(kRows)}; }

}  // namespace precedent::adapter
