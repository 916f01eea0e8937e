// LineageGraph: what came before each job, and what happens to it while it lives.
//
//   precedent::LineageGraph graph;
//   auto status = graph.Submit({.id = uid, .owner = team, ...});
//   graph.Apply({.job = uid, .kind = EventKind::kFailed, .cause = Cause::kOwn, .time = t});
//   job.lineage = graph.Facts(retry_uid).value_or(Lineage{});
//
// Target precedent::lineage. Nothing here throws, prints or aborts; nothing asks for
// the time: the newest time that the graph was told (submission, event or Advance) is
// its clock.
//
// COUNTS. A job has attempts, numbered from 1. An attempt ends at most once. Of its
// endings, FAILED by OWN fault counts into failure_count, by INFRASTRUCTURE into
// infrastructure_failure_count, PREEMPTED into preemption_count, all others into none.
// A count of a job is the sum over its own attempts plus the greatest such count among
// the jobs that it retries: its RETRY_OF parents and, found by the graph, the ended job
// of the same owner and lineage_key with the greatest counts that was submitted within
// Options::retry_window (so leaving the parent out, or naming an old one, gains
// nothing). What becomes known of a parent later reaches its retries too. Counts that
// the submission carried are a lower bound. A count never falls.
//
// MEMORY. Jobs that ended, that no living job has for a parent, and that ended longer
// than Options::retention ago, or when the graph is full, are forgotten; living jobs
// never are. What was forgotten still counts for Options::retry_window: a summary of
// fixed size keeps counts by job id and by lineage key that may be too high where two
// share a cell, and are never too low.
//
// THREADS. Facts and find are for any number of threads at once and never wait: not
// for a writer, not even one that is stopped in the middle. All other functions are
// writers and take one mutex.
#ifndef PRECEDENT_LINEAGE_H_
#define PRECEDENT_LINEAGE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/job_descriptor.h"
#include "precedent/span.h"
#include "precedent/time.h"

namespace precedent {

// The numbers are those of precedent.v1.Parent.Relation.
enum class Relation : std::uint8_t { kRetryOf = 1, kDependsOn = 2, kStepOf = 3 };

struct ParentRef {
  std::string_view id;
  Relation relation = Relation::kDependsOn;
};

// See precedent.v1.Submission. Borrows for the call only.
struct Submission {
  std::string_view id;           // not empty; at most kMaxIdBytes
  std::string_view owner;        // verified; at most kMaxIdBytes
  std::string_view lineage_key;  // empty: none
  Span<const ParentRef> parents;
  TimePoint submitted = kNoTime;  // required
  Lineage carried;                // counts that travelled with the job; zeros: none
};

// The numbers are those of precedent.v1.JobEvent.Kind and Cause.
enum class EventKind : std::uint8_t {
  kStarted = 1,
  kCheckpointed,
  kProgress,
  kSucceeded,
  kFailed,
  kPreempted,
  kCancelled,
};
enum class Cause : std::uint8_t { kUnknown = 0, kOwn, kInfrastructure };

// See precedent.v1.JobEvent. Borrows for the call only.
struct JobEvent {
  std::string_view job;
  std::int32_t attempt = 0;  // from 1; 0: the newest one known
  EventKind kind = EventKind::kStarted;
  TimePoint time = kNoTime;  // required
  Cause cause = Cause::kUnknown;
  std::int64_t step = -1;                // below 0: not reported
  double progress = kAbsent;             // 0 to 1
  double reported_priority = kAbsent;    // finite
};

// What Submit and Apply did.
enum class Applied : std::uint8_t {
  kChanged,     // something is different now
  kNothingNew,  // a repetition, or about an attempt long superseded
  kKept,        // about a job that is not known yet: applied when it is submitted
};

struct LineageOptions {
  std::size_t max_jobs = 1 << 20;         // living and remembered together
  std::uint32_t max_depth = 64;           // edges to the oldest ancestor
  std::uint32_t max_children = 1 << 20;   // of one job
  std::uint32_t max_parents = 64;         // of one job
  std::size_t max_kept_events = 4096;     // about unknown jobs; 0: they are errors
  std::chrono::seconds keep_events{3600};       // for how long
  std::chrono::seconds retention{7 * 86400};    // of ended jobs
  std::chrono::seconds retry_window{7 * 86400};  // in which a resubmission is a retry
};

inline constexpr std::size_t kMaxIdBytes = 512;

class LineageGraph {
 public:
  explicit LineageGraph(const LineageOptions& options = {});
  ~LineageGraph();
  LineageGraph(const LineageGraph&) = delete;
  LineageGraph& operator=(const LineageGraph&) = delete;

  // Errors change nothing and name the job, the parent and the limit:
  // INVALID_ARGUMENT (empty id, no time, itself as parent, cycle, parent younger than
  // the child), NOT_FOUND (unknown parent), PERMISSION_DENIED (parent of another
  // owner), RESOURCE_EXHAUSTED (depth, children, parents, jobs), ALREADY_EXISTS (the
  // id with another owner or other parents). The same submission again: kNothingNew.
  absl::StatusOr<Applied> Submit(const Submission& submission);

  // INVALID_ARGUMENT: no job, no time, a number out of range. NOT_FOUND: unknown job,
  // where none are kept. Amortised O(1), plus one step per retry that inherits a count.
  absl::StatusOr<Applied> Apply(const JobEvent& event);

  // Moves the clock and forgets what is due. Work linear in what is forgotten.
  void Advance(TimePoint now);

  // The Lineage that a JobDescriptor takes; nothing: the job is not known. Wait-free
  // unless the same job changes twice during the call. Allocates nothing.
  std::optional<Lineage> Facts(std::string_view id) const noexcept;

  // ... (iteration over living dependents for propagation, memory report, snapshot)
};

}  // namespace precedent

#endif  // PRECEDENT_LINEAGE_H_
