// JobDescriptor: everything that a rule may see of one GPU job.
//
// It is a view. Fill it from your own job record on the stack: texts and lists
// borrow, nothing is copied, nothing is allocated. What it borrows must live until
// Evaluate or Bind has returned; a bound job and a Decision keep nothing of it.
//
//   precedent::JobDescriptor job;
//   job.team = record.account;
//   job.workload_type = "inference";
//   job.gpu_count = record.gpus;
//   job.submitted = record.submit_time;
//
// Thread-safety: a plain value.
#ifndef PRECEDENT_JOB_DESCRIPTOR_H_
#define PRECEDENT_JOB_DESCRIPTOR_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "precedent/internal/abi.h"
#include "precedent/span.h"
#include "precedent/time.h"

namespace precedent {
inline namespace PRECEDENT_ABI {

// An absent number. Absent is not 0: an absent number satisfies only
// `present: false` and adds nothing.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// True for every NaN. Looks at the bits, so it is right under -ffast-math, where
// `x != x` is not.
inline bool IsAbsent(double number) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

// Attributes, as bits of JobDescriptor::claimed: bit 1 << kTeam, and so on. The
// numbers are those of precedent.v1.Attribute.
enum class Attribute : std::uint8_t {
  kTeam = 1,
  kWorkloadType,
  kEnvironment,
  kNamespace,
  kQueue,
  kUser,
  kImage,
  kAccelerator,
  kRequestedClass,
  kKind,
  kGpuCount,
  kPodCount,
  kDatasetBytes,
  kMaxRuntimeSeconds,
  kCheckpointIntervalSeconds,
  kWaitSeconds,  // the time of submission
  kPreemptible,
  kLineage,  // all of JobDescriptor::lineage
  kLabels,   // all labels together
  kMetrics,  // all metrics together
};

// The bit of `attribute` in a claimed mask.
constexpr std::uint32_t Bit(Attribute attribute) noexcept {
  return std::uint32_t{1} << static_cast<unsigned>(attribute);
}

struct Label {
  std::string_view key;
  std::string_view value;  // present even where empty
};

struct Metric {
  std::string_view name;
  double value = kAbsent;  // NaN: absent; may be negative; not infinite
};

// What came before a job, along its chain of retries. Counts are never negative
// and never absent.
struct Lineage {
  std::int64_t failure_count = 0;                 // attempts that failed by the job's own fault
  std::int64_t preemption_count = 0;              // attempts that were preempted
  std::int64_t infrastructure_failure_count = 0;  // attempts that a host or the platform lost
  std::int64_t attempt = 0;                       // number of this attempt; 0 where nobody counts
  std::int64_t depth = 0;                         // edges to the oldest ancestor
  std::int64_t step = 0;                          // step number within an agent's run
  double predecessor_runtime_seconds = kAbsent;   // seconds
  double progress = kAbsent;                      // 0 to 1, as the job reported it
  double reported_priority = kAbsent;             // as the job reported it; may be negative
  bool retry_of_preempted = false;                // the attempt before this one was preempted
};

// REQUIRES: numbers are finite or kAbsent, and not negative (metrics and
// reported_priority may be); otherwise the decision is the policy's fallback with
// Reason::kFallbackInvalidInput.
struct JobDescriptor {
  Span<const Label> labels;    // in any order; of duplicate keys the first counts
  Span<const Metric> metrics;  // in any order; of duplicate names the first counts

  TimePoint submitted = kNoTime;  // kNoTime: wait_seconds is absent
  // Bits of Attribute whose values were claimed and not verified. A policy's
  // require_verified makes such values count as absent (preemptible: as false,
  // lineage: as zeros). 0: everything is verified.
  std::uint32_t claimed = 0;
  bool preemptible = false;  // the job's consent to being evicted

  // What every evaluation reads stands together, from `metrics` on: the numbers are
  // checked and the first texts are those that most policies ask for.
  double gpu_count = kAbsent;  // over all pods at once; fractions are fine
  double pod_count = kAbsent;
  double dataset_bytes = kAbsent;
  double max_runtime_seconds = kAbsent;
  double checkpoint_interval_seconds = kAbsent;
  Lineage lineage;

  // Texts in UTF-8; empty means absent.
  std::string_view team;
  std::string_view workload_type;  // training, inference, batch, ... : the fleet's own words
  std::string_view environment;    // production, staging, ...
  std::string_view namespace_name;  // `namespace` in a policy
  std::string_view queue;          // Batch or Kueue queue, Slurm partition
  std::string_view user;           // as the platform authenticated them
  std::string_view image;
  std::string_view accelerator;      // device model
  std::string_view requested_class;  // priority class that the user asked for
  std::string_view kind;             // Pod, Job, ...
};

}  // namespace PRECEDENT_ABI
}  // namespace precedent

#endif  // PRECEDENT_JOB_DESCRIPTOR_H_
