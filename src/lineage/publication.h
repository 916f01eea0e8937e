// Publication: what of a job's priority was told, and when more of it may be.
#ifndef PRECEDENT_SRC_LINEAGE_PUBLICATION_H_
#define PRECEDENT_SRC_LINEAGE_PUBLICATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "precedent/lineage.h"
#include "precedent/lineage_rules.h"
#include "precedent/time.h"

namespace precedent::lineage {

// A priority and its class, by the number that the Reprioritiser gave its name.
struct Rank {
  std::int32_t priority = 0;
  std::uint32_t klass = 0;
  bool operator==(const Rank& other) const {
    return priority == other.priority && klass == other.klass;
  }
  bool operator!=(const Rank& other) const { return !(*this == other); }
};

// What was published of one job last.
struct Published {
  Rank rank;
  TimePoint changed = kNoTime;  // kNoTime: never since the first
};

// The limits of Policy.stability. Times that it is told never fall.
class Limits {
 public:
  void SetRules(const Stability& rules) { rules_ = rules; }

  // The earliest time at which `rank` may be published instead of what was: at most
  // `now`: at once. kForever: not before it or the rules change.
  TimePoint AllowedAt(JobSlot job, const Published& published, const Rank& rank) const;

  // It was. Remembered for an hour where changes are counted: one list for each job that
  // changed, of at most max_changes_per_hour times.
  void Note(JobSlot job, TimePoint now);
  void Forget(JobSlot job) { history_.erase(job); }

  std::size_t bytes() const {
    return history_.capacity() * (sizeof(History::value_type) + 1);
  }

 private:
  using History = absl::flat_hash_map<JobSlot, std::vector<TimePoint>>;
  Stability rules_;
  History history_;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_PUBLICATION_H_
