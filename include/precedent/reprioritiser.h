// Reprioritiser: priorities that change while jobs live.
//
//   precedent::LineageGraph graph;
//   precedent::LiveEvaluator live;
//   precedent::DescriptorStore jobs;             // or your own DescriptorSource
//   precedent::Reprioritiser reprioritiser(&graph, &live, &jobs);
//   std::vector<precedent::PriorityChange> changes;
//   reprioritiser.Submit(submission, descriptor, now, &changes);
//   reprioritiser.Apply(event, now, &changes);   // whatever happened
//   reprioritiser.Advance(now, &changes);        // whatever time did
//   for (const precedent::PriorityChange& change : changes) ...  // tell the platform
//
// It keeps, for every living job, the priority that the live policy gives it, and says
// exactly what changed, so that the changes applied to a copy are the whole state. A
// change comes of an event, of the job's own report, of time (Decision::valid_until:
// what cannot change yet costs nothing), of a more important job that waits for it, or
// of another policy.
//
// INHERITANCE (Policy.propagation). A living job's priority is the greatest of its own
// and, for each chain of 1 <= h <= max_hops DEPENDS_ON edges that living jobs alone
// make, the own priority of the job at its other end less h * decay_per_hop. It is an
// order in the queue and nothing else: class and right to evict (preemption_priority)
// are always the job's own. Inheritance, like aging, orders and never evicts. As no
// decay is negative, what is inherited is within the bounds of the policy that derived
// it.
//
// STABILITY (Policy.stability). What is published of a job differs from what is derived
// while a limit holds a change back: less than min_change since the last published
// priority (unless the class changes), less than min_interval_seconds since the last
// published change, or max_changes_per_hour of them in the hour before. A change that
// time holds back is published by the first Advance that may, if it still stands
// (kReleased). The first priority of a job is no change: it counts for no limit.
//
// POLICY. When another policy (by its fingerprint) is live, every job is derived anew,
// once: by Advance, at most `max_jobs` in a call, so that a scheduler can do other things
// in between; whatever else happens to a job meanwhile is decided by the new policy at
// once. Until pending() is 0, jobs not reached yet have the priority that the old policy
// gave them, and so it is inherited. Without a policy the LiveEvaluator's fallback
// decides, as it does everywhere.
//
// LINEAGE. The facts are the graph's: what the descriptor says of lineage is not looked
// at, and the graph's facts are never `claimed`. (Counts that travelled with a job go
// into Submission::carried.)
//
// TIME. Decisions are for the newest `now` that any call was given; one before it counts
// as that. The times in events and submissions are not looked at here, so a wrong one
// ages nobody. What time alone changes, Advance finds, and no other call.
//
// THREADS. One thread at a time; policies are published and the graph's facts are read
// by others meanwhile. All changes of the graph have to come through here.
//
// COST, besides the graph's own. Submit and Apply: one evaluation for each job whose
// facts changed, O(log jobs) for its timer, and for each ancestor whose inheritance
// changes O(parents * log(dependents)); nothing else is looked at. Advance: the same for
// each job that is due. Memory: some 100 bytes a job, 12 more for each edge to a job
// that waits, 20 for each timer, and what the DescriptorSource holds.
#ifndef PRECEDENT_REPRIORITISER_H_
#define PRECEDENT_REPRIORITISER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/job_descriptor.h"
#include "precedent/lineage.h"
#include "precedent/live_evaluator.h"
#include "precedent/time.h"

namespace precedent {

// Where descriptors come from: a copy that is kept (DescriptorStore), or the records of
// the scheduler that embeds this.
class DescriptorSource {
 public:
  virtual ~DescriptorSource() = default;

  // `job` was submitted with `descriptor`, which borrows for the call only. `slot` is
  // the graph's, and is the job's until Drop or the next Keep for it.
  virtual void Keep(JobSlot slot, std::string_view job, const JobDescriptor& descriptor) = 0;
  // The graph forgot the job.
  virtual void Drop(JobSlot slot) = 0;
  // Fills `*descriptor`; its lineage is not looked at. What it borrows must stay until
  // the next call of any function here. False: nothing is known of the job, and the
  // policy's fallback decides until Refresh or the job's next event asks again.
  virtual bool Describe(JobSlot slot, std::string_view job, JobDescriptor* descriptor) = 0;
};

// Keeps a copy of every descriptor, in one block of memory a job: its texts, labels and
// metrics, and some 90 bytes.
class DescriptorStore final : public DescriptorSource {
 public:
  DescriptorStore();
  ~DescriptorStore() override;
  void Keep(JobSlot slot, std::string_view job, const JobDescriptor& descriptor) override;
  void Drop(JobSlot slot) override;
  bool Describe(JobSlot slot, std::string_view job, JobDescriptor* descriptor) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Why a priority changed. Few and stable: fit for a metric label. The numbers are those
// of precedent.v1.PriorityChange.Reason.
enum class ChangeReason : std::uint8_t {
  kSubmitted = 1,  // the job's first priority
  kLineage,        // its counts or state changed: a failure, a preemption, of it or its chain
  kProgress,       // what the job reported of itself
  kAging,          // time alone
  kPropagation,    // a job that waits for it; or no longer does
  kPolicy,         // another policy is live
  kReleased,       // a limit of Policy.stability held it back until now
  kRefreshed,      // Refresh: its descriptor changed
};

// `SUBMITTED`, `LINEAGE`, ...: the names of precedent.v1.PriorityChange.Reason.
std::string_view ChangeReasonName(ChangeReason reason) noexcept;

// One published change. Priorities are those of Decision::priority, inheritance
// included. `job` and `cause` borrow from the graph and are good until the next call of
// the Reprioritiser; class names for as long as the Reprioritiser.
struct PriorityChange {
  std::string_view job;
  std::int32_t old_priority = 0;  // of kSubmitted: as the new one
  std::int32_t new_priority = 0;
  std::string_view old_class;  // of kSubmitted: as the new one
  std::string_view new_class;
  ChangeReason reason = ChangeReason::kSubmitted;
  // kPropagation: the job whose priority is inherited, or was until now.
  std::string_view cause;
};

class Reprioritiser {
 public:
  static constexpr std::size_t kAllJobs = static_cast<std::size_t>(-1);

  // Borrows all three: they must outlive it. The graph may hold jobs already (restored
  // from a snapshot): they are derived as after a change of the policy, and published
  // with kSubmitted.
  Reprioritiser(LineageGraph* graph, LiveEvaluator* live, DescriptorSource* descriptors);
  ~Reprioritiser();
  Reprioritiser(const Reprioritiser&) = delete;
  Reprioritiser& operator=(const Reprioritiser&) = delete;

  // These append to `*changes` (null: nobody wants them) at most one change a job.
  // Errors are the graph's and change nothing.

  // `descriptor` goes to DescriptorSource::Keep, unless the submission was known.
  absl::StatusOr<Applied> Submit(const Submission& submission, const JobDescriptor& descriptor,
                                 TimePoint now, std::vector<PriorityChange>* changes);
  absl::StatusOr<Applied> Apply(const JobEvent& event, TimePoint now,
                                std::vector<PriorityChange>* changes);

  // Time passes: publishes what that changes and what limits allow now, derives jobs
  // anew after a change of the policy, and lets the graph forget. Evaluates at most
  // `max_jobs` jobs, those that are due first; what is left is for the next call.
  // Returns pending(). A time before the newest one told counts as that.
  std::size_t Advance(TimePoint now, std::vector<PriorityChange>* changes,
                      std::size_t max_jobs = kAllJobs);

  // The embedder's own numbers about a job (a metric, a queue) changed: asks for its
  // descriptor again. NOT_FOUND: the graph does not know the job.
  absl::Status Refresh(std::string_view job, TimePoint now, std::vector<PriorityChange>* changes);

  // What was published last about a living job; nothing: there is no such job, or it
  // was not reached since the Reprioritiser was made.
  struct Published {
    std::int32_t priority = 0;
    std::string_view priority_class;
  };
  std::optional<Published> published(std::string_view job) const;

  // Jobs that Advance has still to evaluate: not derived since the policy changed, or
  // due and left by `max_jobs`. The first part is known after the first call that saw
  // the new policy. 0: nothing to do until time passes.
  std::size_t pending() const noexcept;

  // The earliest time at which Advance can have something to do; kForever: none is known.
  TimePoint next_due() const noexcept;

  struct Counts {
    std::uint64_t evaluations = 0;
    std::uint64_t changes = 0;
    std::uint64_t held_back = 0;     // times that a limit of Policy.stability did
    std::uint64_t undescribed = 0;   // times that the DescriptorSource knew nothing
    std::uint64_t bytes = 0;         // held, without graph and DescriptorSource
  };
  Counts counts() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace precedent

#endif  // PRECEDENT_REPRIORITISER_H_
