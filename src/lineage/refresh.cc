// How news of a job reach the jobs that it concerns.
#include <algorithm>

#include "src/lineage/core.h"

namespace precedent::internal {
namespace {

// Of a group's jobs before a retry, how many are looked at one by one.
constexpr int kMostLookedAt = 32;

double Seconds(std::int64_t microseconds) {
  return microseconds < 0 ? kAbsent : static_cast<double>(microseconds) / 1e6;
}

// The attempt before a job's first one: the last of the jobs that it retries to end.
class Predecessor {
 public:
  void Consider(const Job& job) {
    if (job.moment < ended_) return;
    if (job.moment > ended_) {
      ended_ = job.moment;
      preempted_ = false;
      runtime_ = -1;
    }
    known_ = true;
    preempted_ |= job.Is(JobState::kPreempted);
    runtime_ = std::max(runtime_, job.Runtime());
  }
  bool known() const { return known_; }
  bool preempted() const { return preempted_; }
  std::int64_t runtime() const { return runtime_; }

 private:
  bool known_ = false;
  bool preempted_ = false;
  std::int64_t ended_ = kNoMoment;
  std::int64_t runtime_ = -1;
};

}  // namespace

void LineageCore::Touch(JobSlot slot, Touched* touched) {
  if (touched == nullptr || jobs[slot].touched != 0) return;
  jobs[slot].touched = 1;
  touched->push_back(slot);
}

void LineageCore::Untouch(std::size_t begin, Touched* touched) {
  if (touched == nullptr) return;
  for (std::size_t i = begin; i < touched->size(); ++i) jobs[(*touched)[i]].touched = 0;
}

bool LineageCore::Refresh(JobSlot slot, Touched* touched) {
  Job& job = jobs[slot];
  const lineage::Facts before = FactsOf(slot);
  Counts base = job.base;
  Predecessor named;
  Predecessor found;
  std::int64_t needed = -1;
  for (std::uint32_t e = job.parents; e != kNoEdge; e = edges[e].next_parent) {
    const Job& parent = jobs[edges[e].parent];
    if (static_cast<Relation>(edges[e].relation) == Relation::kRetryOf) {
      Raise(base, FactsOf(edges[e].parent).total);
      if (!parent.living()) named.Consider(parent);
    } else if (!parent.living()) {
      needed = std::max(needed, parent.Runtime());
    }
  }
  const Group& group = groups[job.group];
  if (group.keyed) {
    const std::int64_t window =
        std::chrono::duration_cast<std::chrono::microseconds>(options.retry_window).count();
    int looked_at = 0;
    for (JobSlot other = job.older; other != kNone; other = jobs[other].older) {
      if (++looked_at > kMostLookedAt) {
        Raise(base, group.greatest);
        break;
      }
      const Job& earlier = jobs[other];
      if (!earlier.Retried() || earlier.moment > job.submitted) continue;
      std::int64_t since;
      if (!__builtin_sub_overflow(job.submitted, earlier.moment, &since) && since > window) continue;
      Raise(base, FactsOf(other).total);
      found.Consider(earlier);
    }
  }

  lineage::Facts after = before;
  after.total.failure += base.failure - job.base.failure;
  after.total.preemption += base.preemption - job.base.preemption;
  after.total.infrastructure += base.infrastructure - job.base.infrastructure;
  after.total.attempt += base.attempt - job.base.attempt;
  job.base = base;
  if (after.total.attempt - base.attempt == 1) {
    const Predecessor& last = named.known() ? named : found;
    if (last.known()) after.retry_of_preempted = last.preempted();
    const std::int64_t runtime = last.runtime() >= 0 ? last.runtime() : needed;
    if (runtime >= 0) after.runtime = Seconds(runtime);
  }
  const bool totals_changed = after.total != before.total;
  if (totals_changed || after.retry_of_preempted != before.retry_of_preempted ||
      lineage::BitsOf(after.runtime) != lineage::BitsOf(before.runtime)) {
    StoreFacts(slot, after, ReportOf(slot, before));
    Touch(slot, touched);
  }
  if (totals_changed && job.Retried()) Raise(groups[job.group].greatest, after.total);
  return totals_changed;
}

void LineageCore::Spread(JobSlot from, std::int64_t from_since, Touched* touched) {
  const auto enqueue = [this](JobSlot slot) {
    if (jobs[slot].pending != 0) return;
    jobs[slot].pending = 1;
    pending_.push_back(slot);
  };
  const auto spread = [&](JobSlot slot, std::int64_t since, bool all_children) {
    for (std::uint32_t e = jobs[slot].children; e != kNoEdge; e = edges[e].next_child)
      if (all_children || static_cast<Relation>(edges[e].relation) == Relation::kRetryOf)
        enqueue(edges[e].child);
    if (since == kNoMoment) return;
    const Group& group = groups[jobs[slot].group];
    if (!group.keyed) return;
    for (JobSlot other = group.newest;
         other != kNone && other != slot && jobs[other].submitted >= since;
         other = jobs[other].older) {
      enqueue(other);
    }
  };
  spread(from, from_since, true);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const JobSlot slot = pending_[i];
    jobs[slot].pending = 0;
    if (Refresh(slot, touched))
      spread(slot, jobs[slot].Retried() ? jobs[slot].moment : kNoMoment, false);
  }
  pending_.clear();
}

}  // namespace precedent::internal
