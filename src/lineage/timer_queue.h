// TimerQueue: at most one time for each job, the earliest first.
//
// A heap of four children a node, which a binary heap's two levels fit into: half the
// depth, and the children of one node lie on one or two cache lines. Every job knows its
// place, so that a time is moved or taken out without a search and no dead entry stays
// behind: aging jobs move theirs at every step.
#ifndef PRECEDENT_SRC_LINEAGE_TIMER_QUEUE_H_
#define PRECEDENT_SRC_LINEAGE_TIMER_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "precedent/lineage.h"
#include "precedent/time.h"

namespace precedent::lineage {

class TimerQueue {
 public:
  struct Timer {
    TimePoint at;
    JobSlot job;
    bool operator<(const Timer& other) const {
      return at != other.at ? at < other.at : job < other.job;
    }
  };

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // REQUIRES: !empty().
  const Timer& top() const { return heap_.front(); }
  TimePoint next() const { return heap_.empty() ? kForever : heap_.front().at; }

  // kForever takes it out. O(log n).
  void Set(JobSlot job, TimePoint at) {
    if (at == kForever) return Remove(job);
    if (job >= place_.size()) place_.resize(std::max<std::size_t>(job + 1, place_.size() * 2), kNone);
    std::uint32_t place = place_[job];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({at, job});
    }
    Sift(place, {at, job});
  }

  void Remove(JobSlot job) {
    if (job >= place_.size() || place_[job] == kNone) return;
    const std::uint32_t place = place_[job];
    place_[job] = kNone;
    const Timer last = heap_.back();
    heap_.pop_back();
    if (last.job != job) Sift(place, last);
  }

  // How many are due at `now`: looks at those alone and their children.
  std::size_t CountDue(TimePoint now) const { return CountDue(0, now); }

  std::size_t bytes() const {
    return heap_.capacity() * sizeof(Timer) + place_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kFan = 4;

  // Puts `timer` at `place`, or where it belongs above or below it.
  void Sift(std::size_t place, const Timer& timer) {
    while (place > 0 && timer < heap_[(place - 1) / kFan]) {
      Put(place, heap_[(place - 1) / kFan]);
      place = (place - 1) / kFan;
    }
    for (;;) {
      const std::size_t first = place * kFan + 1;
      if (first >= heap_.size()) break;
      const std::size_t end = std::min(first + kFan, heap_.size());
      std::size_t least = first;
      for (std::size_t i = first + 1; i < end; ++i)
        if (heap_[i] < heap_[least]) least = i;
      if (!(heap_[least] < timer)) break;
      Put(place, heap_[least]);
      place = least;
    }
    Put(place, timer);
  }

  void Put(std::size_t place, const Timer& timer) {
    heap_[place] = timer;
    place_[timer.job] = static_cast<std::uint32_t>(place);
  }

  // Recursion is as deep as the heap.
  std::size_t CountDue(std::size_t place, TimePoint now) const {
    if (place >= heap_.size() || heap_[place].at > now) return 0;
    std::size_t count = 1;
    for (std::size_t i = 1; i <= kFan; ++i) count += CountDue(place * kFan + i, now);
    return count;
  }

  std::vector<Timer> heap_;
  std::vector<std::uint32_t> place_;  // by job
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_TIMER_QUEUE_H_
