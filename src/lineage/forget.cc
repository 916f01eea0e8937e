// Jobs that ended are remembered for a while, and then only their counts.
#include <algorithm>

#include "src/lineage/core.h"

namespace precedent::internal {

void LineageCore::Enqueue(JobSlot slot) {
  Job& job = jobs[slot];
  if (job.queued != 0) return;
  job.queued = 1;
  job.queue_next = kNone;
  job.queue_previous = queue_last;
  (queue_last == kNone ? queue_first : jobs[queue_last].queue_next) = slot;
  queue_last = slot;
}

void LineageCore::Dequeue(JobSlot slot) {
  Job& job = jobs[slot];
  if (job.queued == 0) return;
  job.queued = 0;
  (job.queue_previous == kNone ? queue_first : jobs[job.queue_previous].queue_next) =
      job.queue_next;
  (job.queue_next == kNone ? queue_last : jobs[job.queue_next].queue_previous) =
      job.queue_previous;
}

void LineageCore::BecomeLiving(JobSlot slot) {
  ++living_count;
  Dequeue(slot);
  for (std::uint32_t e = jobs[slot].parents; e != kNoEdge; e = edges[e].next_parent) {
    ++jobs[edges[e].parent].living_children;
    Dequeue(edges[e].parent);
  }
}

void LineageCore::BecomeEnded(JobSlot slot) {
  --living_count;
  if (jobs[slot].living_children == 0) Enqueue(slot);
  for (std::uint32_t e = jobs[slot].parents; e != kNoEdge; e = edges[e].next_parent) {
    const JobSlot parent = edges[e].parent;
    if (--jobs[parent].living_children == 0 && !jobs[parent].living()) Enqueue(parent);
  }
}

void LineageCore::Forget(JobSlot slot) {
  Job& job = jobs[slot];
  const Group& group = groups[job.group];
  const Counts total = FactsOf(slot).total;
  summary.Note(JobHash(group.owner, id(slot)), total);
  if (group.keyed && job.Retried()) summary.Note(GroupHash(group), total);
  Dequeue(slot);
  while (job.parents != kNoEdge) RemoveEdge(job.parents);
  // All children ended too; what they inherited stays theirs.
  while (job.children != kNoEdge) RemoveEdge(job.children);
  LeaveGroup(slot);
  FreeRecord(slot);
  --job_count;
}

void LineageCore::Advance(TimePoint now, Touched* forgotten) {
  if (Micros(now) <= clock) return;
  clock = Micros(now);
  // Only one turn at a time, however late: what was noted since the last one has to last
  // for another window.
  if (summary_turned == kNoMoment) {
    summary_turned = clock;
  } else if (SaturatingSum(summary_turned, options.retry_window) <= clock) {
    summary.Rotate();
    summary_turned = clock;
  }
  while (!kept.empty() && kept.front().until <= clock) kept.pop_front();
  while (queue_first != kNone &&
         SaturatingSum(jobs[queue_first].moment, options.retention) <= clock) {
    if (forgotten != nullptr) forgotten->push_back(queue_first);
    Forget(queue_first);
  }
}

}  // namespace precedent::internal
