// What only the writer knows of a job, and the lists that jobs are in.
#ifndef PRECEDENT_SRC_LINEAGE_JOB_H_
#define PRECEDENT_SRC_LINEAGE_JOB_H_

#include <cstdint>

#include "precedent/lineage.h"
#include "src/lineage/counts.h"

namespace precedent::lineage {

inline constexpr std::uint32_t kNone = 0xffffffff;
// Microseconds since 1970; of a time that is not known.
inline constexpr std::int64_t kNoMoment = INT64_MIN;

// A parent and a child, in the parent's list of children and the child's of parents.
struct Edge {
  std::uint32_t parent;
  std::uint32_t child;
  std::uint32_t next_parent;  // of the child
  std::uint32_t next_child;   // of the parent; doubly linked, since a parent has many
  std::uint32_t previous_child : 30;
  std::uint32_t relation : 2;
};
inline constexpr std::uint32_t kNoEdge = (1u << 30) - 1;

// Attempts are numbered from 1 by the platform; `newest` is the greatest that anything
// was said about, at least 1. It is not stored: facts.total.attempt - base.attempt.
// Likewise a job's own counts are its totals less `base`.
struct Job {
  std::int64_t submitted;
  std::int64_t started;        // of the newest attempt
  std::int64_t prior_started;  // of the attempt before it
  // Of an ended job: when it ended. Of a living one: what the newest report tells of.
  std::int64_t moment;
  std::int64_t checkpoint;  // the last

  Counts base;  // inherited; never falls

  std::uint32_t fingerprint;  // of the submission's key and parents
  // Bit i: the attempt `newest - 1 - i` has a known ending.
  std::uint32_t older_known;

  std::uint32_t state : 3;  // JobState
  // Whether the newest attempt has an ending that is known; an ended job's may not be.
  std::uint32_t newest_known : 1;
  // Whether the runtime of the attempt before the newest is settled.
  std::uint32_t prior_ended : 1;
  std::uint32_t queued : 1;   // may be forgotten
  std::uint32_t touched : 1;  // in the list of the current call
  std::uint32_t pending : 1;  // to be refreshed by the current call
  std::uint32_t step_reported : 1;
  std::uint32_t steps : 23;  // STEP_OF children so far

  std::uint32_t group;
  std::uint32_t parents;   // edges
  std::uint32_t children;
  std::uint32_t child_count;
  std::uint32_t living_children;
  // In the group, by time of submission.
  std::uint32_t newer;
  std::uint32_t older;
  // Among those that may be forgotten, the next to go first.
  std::uint32_t queue_next;
  std::uint32_t queue_previous;

  bool living() const { return state < static_cast<std::uint32_t>(JobState::kSucceeded); }
  bool Is(JobState s) const { return state == static_cast<std::uint32_t>(s); }
  // Of the newest attempt, in microseconds; below 0: not known.
  std::int64_t Runtime() const {
    if (living() || started == kNoMoment || moment < started) return -1;
    std::int64_t runtime;
    return __builtin_sub_overflow(moment, started, &runtime) ? INT64_MAX : runtime;
  }
  // Whether a job of the same group that is submitted later is a retry of it. After a
  // success the same work again is a new run.
  bool Retried() const { return !living() && !Is(JobState::kSucceeded); }
};
static_assert(sizeof(Job) == 104);

// The jobs of one owner that have one lineage key, or none.
struct Group {
  std::uint64_t owner;   // keyed hashes: see Core
  std::uint64_t key[2];  // of owner and lineage key
  std::uint32_t newest;  // job, by time of submission
  std::uint32_t members : 31;
  std::uint32_t keyed : 1;  // by more than its owner
  Counts greatest;  // of jobs that were ever retried, while the group lasts
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_JOB_H_
