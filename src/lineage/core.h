// The graph behind precedent::LineageGraph. One writer at a time, under `mutex`;
// the store's Read for anybody at any time.
#ifndef PRECEDENT_SRC_LINEAGE_CORE_H_
#define PRECEDENT_SRC_LINEAGE_CORE_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/lineage.h"
#include "src/lineage/chunks.h"
#include "src/lineage/job.h"
#include "src/lineage/store.h"
#include "src/lineage/summary.h"

namespace precedent::internal {

using lineage::Counts;
using lineage::Edge;
using lineage::Group;
using lineage::Job;
using lineage::kNoEdge;
using lineage::kNoMoment;
using lineage::kNone;
using lineage::Record;
using lineage::Report;
using Touched = std::vector<JobSlot>;

// An event about a job that was not submitted yet.
struct KeptEvent {
  std::string job;
  std::uint64_t hash;  // of the job: IdHash
  JobEvent event;      // its `job` is not set
  std::int64_t until;
};

class LineageCore : public lineage::RecordStore {
 public:
  explicit LineageCore(const LineageOptions& options);
  ~LineageCore();

  // submit.cc, apply.cc, forget.cc: the writer's.
  absl::StatusOr<Applied> Submit(const Submission& submission, Touched* touched);
  absl::StatusOr<Applied> Apply(const JobEvent& event, Touched* touched);
  void Advance(TimePoint now, Touched* forgotten);

  // core.cc: the writer's.
  std::size_t bytes() const;

  // All but the store's is the writer's alone.
  const LineageOptions options;
  mutable std::mutex mutex;
  lineage::Chunks<Job, 12> jobs;  // by the same slots as records
  lineage::Pool<Edge, 12> edges;
  lineage::Pool<Group, 8> groups;
  std::size_t job_count = 0;
  std::size_t living_count = 0;

  std::deque<KeptEvent> kept;
  std::int64_t clock = kNoMoment;

  lineage::Summary summary;
  std::int64_t summary_turned = kNoMoment;  // when the summary was rotated

  // Nobody who does not know the seeds can choose texts whose hashes meet. Stored with
  // what they hash, unlike the store's.
  std::array<std::uint64_t, 2> seeds;

  // core.cc
  // Of texts by a stored seed; keeps `a` and `b` apart.
  std::uint64_t StoredHash(std::string_view a, std::string_view b, unsigned seed) const;
  std::uint64_t OwnerHash(std::string_view owner) const { return StoredHash(owner, {}, 0); }
  // Under which the summary keeps a job, and a group.
  std::uint64_t JobHash(std::uint64_t owner, std::string_view id) const;
  std::uint64_t GroupHash(const Group& group) const { return group.key[0] ^ ~group.key[1]; }
  // A record and a job for it.
  JobSlot NewJob(std::string_view id, std::uint32_t depth, const lineage::Facts& facts,
                 const Report::Values& values);

  // submit.cc
  struct Found;
  std::uint32_t Fingerprint(const Submission& submission) const;
  bool IsAncestor(JobSlot wanted, JobSlot of) const;
  absl::StatusOr<Applied> Resubmit(JobSlot slot, const Submission& submission) const;
  absl::Status FindParents(const Submission& submission, std::vector<Found>& found, Counts& base,
                           std::uint32_t& depth) const;
  absl::Status MakeRoom(const Submission& submission, const std::vector<Found>& found);

  // group.cc
  // The number of the group; a new one if `create`, else kNone where there is none.
  std::uint32_t FindGroup(std::string_view owner, std::string_view key, bool create);
  std::uint32_t FindGroup(const std::array<std::uint64_t, 2>& hashes, std::uint64_t owner,
                          bool keyed, bool create);
  void EnterGroup(JobSlot slot);
  void LeaveGroup(JobSlot slot);
  void AddEdge(JobSlot parent, JobSlot child, Relation relation);
  // Takes an edge out of both lists.
  void RemoveEdge(std::uint32_t edge);

  // apply.cc
  bool ApplyTo(JobSlot slot, const JobEvent& event, Touched* touched);

  // refresh.cc
  void Touch(JobSlot slot, Touched* touched);
  // Ends the call for `touched`.
  void Untouch(std::size_t begin, Touched* touched);
  // Refreshes what depends on `slot`; `since`: jobs of its group that were submitted
  // then or later are its retries (kNoMoment: none is).
  void Spread(JobSlot slot, std::int64_t since, Touched* touched);
  // What a job's parents and its group tell of it; true if its totals changed.
  bool Refresh(JobSlot slot, Touched* touched);

  // forget.cc
  void Forget(JobSlot slot);
  // The state of `slot` became another: its parents' and its own right to be forgotten.
  void BecomeLiving(JobSlot slot);
  void BecomeEnded(JobSlot slot);
  void Enqueue(JobSlot slot);
  void Dequeue(JobSlot slot);
  std::uint32_t queue_first = kNone;
  std::uint32_t queue_last = kNone;

 private:
  // Numbers of groups, found by Group::key.
  using GroupKey = std::array<std::uint64_t, 2>;
  struct GroupHasher {
    using is_transparent = void;
    const lineage::Pool<Group, 8>* groups;
    std::size_t operator()(const GroupKey& key) const { return key[0]; }
    std::size_t operator()(std::uint32_t number) const { return (*groups)[number].key[0]; }
  };
  struct GroupEqual {
    using is_transparent = void;
    const lineage::Pool<Group, 8>* groups;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t a, const GroupKey& b) const {
      const Group& group = (*groups)[a];
      return group.key[0] == b[0] && group.key[1] == b[1];
    }
    bool operator()(const GroupKey& a, std::uint32_t b) const { return (*this)(b, a); }
  };
  absl::flat_hash_set<std::uint32_t, GroupHasher, GroupEqual> group_by_key_;
  std::vector<JobSlot> pending_;  // Spread's; empty between calls
};

// Shared by messages: `job` in backticks, cut if it is long.
std::string Quoted(std::string_view text);

inline std::int64_t Micros(TimePoint time) { return time.time_since_epoch().count(); }

// A moment so much later; the end of time where there is none.
inline std::int64_t SaturatingSum(std::int64_t moment, std::chrono::seconds later) {
  std::int64_t micros;
  std::int64_t sum;
  if (__builtin_mul_overflow(later.count(), std::int64_t{1'000'000}, &micros) ||
      __builtin_add_overflow(moment, micros, &sum)) {
    return INT64_MAX;
  }
  return sum;
}

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_LINEAGE_CORE_H_
