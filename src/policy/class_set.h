// ClassSet: which classes of a column a constraint allows.
#ifndef PRECEDENT_SRC_POLICY_CLASS_SET_H_
#define PRECEDENT_SRC_POLICY_CLASS_SET_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "precedent/internal/image.h"

namespace precedent::internal {

// Sorted, disjoint intervals that do not touch each other; both ends included.
class ClassSet {
 public:
  // Nearly all sets have one.
  using Intervals = absl::InlinedVector<Interval, 2>;

  ClassSet() = default;
  static ClassSet Range(std::uint32_t low, std::uint32_t high) {
    ClassSet set;
    if (low <= high) set.intervals_.push_back({low, high});
    return set;
  }
  // The union of intervals in any order.
  static ClassSet Union(Intervals intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.low < b.low; });
    ClassSet set;
    for (const Interval& i : intervals) {
      if (!set.intervals_.empty() && i.low <= set.intervals_.back().high + 1) {
        set.intervals_.back().high = std::max(set.intervals_.back().high, i.high);
      } else {
        set.intervals_.push_back(i);
      }
    }
    return set;
  }

  // Everything below `class_count` that is not in the set.
  ClassSet Complement(std::uint32_t class_count) const {
    ClassSet result;
    std::uint32_t next = 0;
    for (const Interval& i : intervals_) {
      if (next < i.low) result.intervals_.push_back({next, i.low - 1});
      next = i.high + 1;
    }
    if (next < class_count) result.intervals_.push_back({next, class_count - 1});
    return result;
  }

  ClassSet Intersect(const ClassSet& other) const {
    ClassSet result;
    for (std::size_t i = 0, j = 0; i < intervals_.size() && j < other.intervals_.size();) {
      const Interval& a = intervals_[i];
      const Interval& b = other.intervals_[j];
      const std::uint32_t low = std::max(a.low, b.low), high = std::min(a.high, b.high);
      if (low <= high) result.intervals_.push_back({low, high});
      a.high < b.high ? ++i : ++j;
    }
    return result;
  }

  bool empty() const { return intervals_.empty(); }
  std::uint64_t size() const {
    std::uint64_t size = 0;
    for (const Interval& i : intervals_) size += i.high - i.low + std::uint64_t{1};
    return size;
  }
  // Whether it is all of [0, class_count).
  bool IsAll(std::uint32_t class_count) const { return size() == class_count; }
  std::uint32_t lowest() const { return intervals_.front().low; }  // REQUIRES: not empty
  const Intervals& intervals() const { return intervals_; }

 private:
  Intervals intervals_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CLASS_SET_H_
