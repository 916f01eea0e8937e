// Inheritance: what living jobs get from the more important ones that wait for them.
//
// A job's own priority o, and the jobs at the other end of chains of h DEPENDS_ON edges,
// give the reach of a job: for each h the greatest value over chains of at most h edges,
//
//   reach(j, 0) = own(j)
//   reach(j, h) = max(reach(j, 0), max over dependents d of reach(d, h - 1) - decay)
//
// and its priority is reach(j, max_hops). Kept are the steps of this function of h,
// which for nearly every job are none: only where a longer chain brings more is there
// one.
//
// A job offers each of its steps (h, value) to the jobs that it waits for. These keep the
// offers in heaps, one for each h, and take the greatest. Nothing is ever taken out of
// the middle of a heap: an offer holds only as long as its job lives and has that step,
// and one that does not is dropped when it comes to the top. So a priority that falls
// costs no search through the other dependents, and it does not matter in which order a
// hundred thousand dependents end.
//
// INVARIANT: between two calls of Settle, the heaps of a living job that was built hold
// every step of every living dependent that is not queued.
#ifndef PRECEDENT_SRC_LINEAGE_INHERITANCE_H_
#define PRECEDENT_SRC_LINEAGE_INHERITANCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "precedent/lineage.h"
#include "precedent/lineage_rules.h"

namespace precedent::lineage {

class Inheritance {
 public:
  explicit Inheritance(const LineageGraph* graph) : graph_(*graph) {}

  // From now on; what was computed by other rules stays until Build.
  void SetRules(const Propagation& rules) { rules_ = rules; }

  // The job lives and has this priority of its own. Takes effect with Settle.
  void Set(JobSlot job, std::int32_t own);
  // The job does not live any more.
  void Remove(JobSlot job);
  // Forgets what was offered to the job and looks at its dependents instead: after
  // other rules.
  void Build(JobSlot job);

  // Brings everything up to date, dependents before what they wait for, and appends the
  // jobs whose priority is another now, in that order.
  void Settle(std::vector<JobSlot>* changed);

  // Of a living job, after Settle.
  std::int32_t priority(JobSlot job) const {
    const Job& j = jobs_[job];
    return j.steps.empty() ? j.own : j.steps.back().value;
  }
  bool lives(JobSlot job) const { return job < jobs_.size() && jobs_[job].lives; }
  // As of the last Set; REQUIRES lives(job), for all below.
  std::int32_t own(JobSlot job) const { return jobs_[job].own; }
  bool inherits(JobSlot job) const { return !jobs_[job].steps.empty(); }
  // The job that the priority comes from: itself, unless it is inherited. Linear in the
  // length of the chain.
  JobSlot Source(JobSlot job) const;

  std::size_t bytes() const { return jobs_.capacity() * sizeof(Job) + heap_bytes_; }

 private:
  struct Step {
    std::int32_t hops;
    std::int32_t value;
    bool operator==(const Step& other) const {
      return hops == other.hops && value == other.value;
    }
  };
  struct Offer {
    std::int32_t value;
    JobSlot from;
    std::uint32_t life;  // of the job that made it
    // The greatest value first, of equals the lowest slot: never the order of events.
    bool operator<(const Offer& other) const {
      return value != other.value ? value < other.value
             : from != other.from ? from > other.from
                                  : life < other.life;
    }
  };
  struct Offers {
    std::int32_t hops = 0;
    std::vector<Offer> heap;
    std::size_t tidy_at = 64;  // that many: stale ones and twins are thrown out
  };
  struct Job {
    std::int32_t own = 0;
    std::int32_t offered = 0;  // own as of the last Settle
    std::uint32_t life = 0;  // counts the lives that this slot has seen
    bool lives = false;
    bool queued = false;
    bool is_new = false;  // offers nothing yet
    std::vector<Step> steps;  // beyond own; both members ascend
    std::unique_ptr<std::vector<Offers>> offers;  // by hops; null: nobody waits for it
  };

  Job& At(JobSlot job);
  void Enqueue(JobSlot job);
  void EnqueueParents(JobSlot job);
  void MakeOffer(JobSlot to, const Step& step, JobSlot from);
  bool Holds(const Offer& offer, std::int32_t hops) const;
  void DropStale(Offers& offers);
  void Tidy(Offers& offers);
  std::vector<Step> Compute(JobSlot job);

  const LineageGraph& graph_;
  Propagation rules_;
  std::vector<Job> jobs_;
  // Dependents are deeper than what they wait for.
  std::priority_queue<std::pair<std::int64_t, JobSlot>> queue_;
  std::size_t heap_bytes_ = 0;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_INHERITANCE_H_
