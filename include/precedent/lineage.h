// LineageGraph: what came before each job, and what happens to it while it lives.
//
//   precedent::LineageGraph graph;
//   graph.Submit(submission);                       // id, owner, parents, key, time
//   graph.Apply(event);                             // it started, failed, was preempted
//   job.lineage = graph.Facts(retry_id).value_or(precedent::Lineage{});
//
// Target precedent::lineage. Nothing here throws, prints or aborts; nothing asks for
// the time: the newest time that Advance was told is the graph's clock. The times of
// submissions and events do not move it, so a wrong one makes nothing be forgotten.
//
// COUNTS. A job has attempts, numbered from 1. An attempt ends at most once: its first
// ending stands, except that a later one says what UNKNOWN left open. That a newer
// attempt is heard of ends the older ones as UNKNOWN. Of the endings, FAILED by OWN fault
// counts into failure_count, by INFRASTRUCTURE into infrastructure_failure_count,
// PREEMPTED into preemption_count, all others into none. A count of a job is the sum
// over its own attempts plus the greatest such count among the jobs that it retries:
// - its RETRY_OF parents, and
// - found by the graph, every job of the same owner and lineage_key, submitted before
//   it, that ended, other than by success, within Options::retry_window before it was
//   submitted (so leaving the parent out, or naming an old one, gains nothing), and
// - the counts that the submission carried: as of before its first attempt.
// What becomes known of such a job later reaches its retries too. A count never falls.
// `attempt` is inherited likewise. Where more than 32 jobs of a key lie between a retry
// and an ended job, the greatest counts of all ended jobs of that key stand for it.
//
// OTHER FACTS. depth: edges to the oldest ancestor when the job was submitted. step: what
// the job reported, else its number among the STEP_OF children of its parent.
// predecessor_runtime_seconds and retry_of_preempted tell of the attempt before the
// newest one: of the job's own, else of the last to end among its RETRY_OF parents, else
// among those found. Where no such attempt is known to have run, the runtime is that of
// the longest-running parent of another kind that ended.
//
// MEMORY. Jobs that ended, that no living job has for a parent, and that ended longer
// than Options::retention ago, or when the graph is full, are forgotten; living jobs
// never are. What was forgotten still counts for Options::retry_window at least: a
// summary of fixed size keeps counts by job id and by lineage key that may be too high
// where two share a cell, and are never too low. News about a job that is forgotten
// already reach nobody. A job with an id of at most 40 bytes takes about 250 bytes, and
// 20 for each parent more than one; longer ids, reports and keys that few jobs share cost
// extra.
//
// THREADS. Facts is for any number of threads at once and never waits: not for a writer,
// not even one that is stopped in the middle. Of the other functions, those that say so
// are for one writer at a time; the rest take one mutex.
#ifndef PRECEDENT_LINEAGE_H_
#define PRECEDENT_LINEAGE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

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
  Lineage carried;                // what travelled with the job; zeros: nothing
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
  // Of the hashes of ids, owners and keys, so that nobody can choose colliding ones; 0:
  // from where the system put the program's memory.
  std::uint64_t hash_seed = 0;
};

inline constexpr std::size_t kMaxIdBytes = 512;

// A job's place in the graph: dense, and given to another job after this one is
// forgotten. Below 2^30.
using JobSlot = std::uint32_t;

// Of its newest attempt. Ended: from kSucceeded on.
enum class JobState : std::uint8_t {
  kWaiting,  // no attempt was heard of
  kRunning,
  kSucceeded,
  kFailed,     // a newer attempt may follow, and makes the job run again
  kPreempted,  // likewise
  kCancelled,
};

namespace internal {
class LineageCore;
}  // namespace internal

// The other end of an edge.
struct LineageEdge {
  JobSlot job = 0;
  Relation relation = Relation::kDependsOn;
};

// A job's parents or children, for a range-based for. Valid until the graph changes.
class LineageEdges {
 public:
  class Iterator {
   public:
    LineageEdge operator*() const;
    Iterator& operator++();
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.edge_ != b.edge_; }

   private:
    friend class LineageEdges;
    Iterator(const internal::LineageCore* core, std::uint32_t edge, bool up)
        : core_(core), edge_(edge), up_(up) {}
    const internal::LineageCore* core_;
    std::uint32_t edge_;
    bool up_;
  };
  Iterator begin() const { return Iterator(core_, first_, up_); }
  Iterator end() const;

 private:
  friend class LineageGraph;
  LineageEdges(const internal::LineageCore* core, std::uint32_t first, bool up)
      : core_(core), first_(first), up_(up) {}
  const internal::LineageCore* core_;
  std::uint32_t first_;
  bool up_;
};

class LineageGraph {
 public:
  explicit LineageGraph(const LineageOptions& options = {});
  ~LineageGraph();
  LineageGraph(const LineageGraph&) = delete;
  LineageGraph& operator=(const LineageGraph&) = delete;

  // Errors change nothing and name the job, the parent and the limit:
  // INVALID_ARGUMENT (empty id, no time, a number out of range, itself as parent,
  // cycle, parent younger than the child), NOT_FOUND (unknown parent),
  // PERMISSION_DENIED (parent of another owner), RESOURCE_EXHAUSTED (depth, children,
  // parents, jobs), ALREADY_EXISTS (the id with another owner, lineage key or other
  // parents). The same submission again: kNothingNew; times and carried counts are
  // those of the first.
  //
  // A parent that was forgotten and that the summary knows is accepted: one that is
  // retried with its counts, any other without effect.
  //
  // `touched`: gets every job whose Facts, JobState or being there changed, each once:
  // the job first, then retries that inherit. A full graph forgets one ended job, and
  // the new one takes its slot.
  absl::StatusOr<Applied> Submit(const Submission& submission,
                                 std::vector<JobSlot>* touched = nullptr);

  // INVALID_ARGUMENT: no job, no time, a number out of range. NOT_FOUND: unknown job,
  // where none are kept; RESOURCE_EXHAUSTED: where max_kept_events are. Amortised O(1),
  // plus one step per child and per later job of the same lineage key whose facts the
  // event may change. `touched`: as with Submit.
  absl::StatusOr<Applied> Apply(const JobEvent& event, std::vector<JobSlot>* touched = nullptr);

  // Moves the clock (never back) and forgets what is due. Work linear in what is
  // forgotten, plus once per retry_window the summary's size. `forgotten`: gets the
  // slots of the jobs that are gone.
  void Advance(TimePoint now, std::vector<JobSlot>* forgotten = nullptr);

  // The Lineage that a JobDescriptor takes; nothing: the job is not known. Wait-free
  // unless the same job changes twice during the call. Allocates nothing.
  std::optional<Lineage> Facts(std::string_view id) const noexcept;

  // FOR THE WRITER. Not beside any call that changes the graph; what they return is
  // valid until the next one. Each O(1), without allocation.
  std::optional<JobSlot> Find(std::string_view id) const;
  // REQUIRES, for all below: a job has the slot.
  std::string_view id(JobSlot job) const;
  Lineage facts(JobSlot job) const;
  JobState state(JobSlot job) const;
  bool living(JobSlot job) const { return state(job) < JobState::kSucceeded; }
  TimePoint submitted(JobSlot job) const;
  TimePoint started(JobSlot job) const;          // its newest attempt; kNoTime: not known
  TimePoint ended(JobSlot job) const;            // kNoTime: it has not
  TimePoint last_checkpoint(JobSlot job) const;  // of any attempt; kNoTime: none
  LineageEdges parents(JobSlot job) const;       // those that are not forgotten
  LineageEdges children(JobSlot job) const;      // its dependents are those by kDependsOn
  // All slots are below it.
  JobSlot slot_limit() const;
  bool used(JobSlot slot) const;  // whether a job has it; `slot` is any below slot_limit

  // Any thread; they wait for a writer.
  std::size_t jobs() const;    // living and remembered
  std::size_t living_jobs() const;
  std::size_t bytes() const;   // memory that the graph holds

 private:
  // lineage_journal.h
  friend absl::Status SaveLineage(const LineageGraph& graph, std::ostream& out);
  friend absl::StatusOr<std::unique_ptr<LineageGraph>> RestoreLineage(
      std::istream& in, const LineageOptions& options);

  const std::unique_ptr<internal::LineageCore> core_;
};

}  // namespace precedent

#endif  // PRECEDENT_LINEAGE_H_
