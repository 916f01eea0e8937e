// What a plan's time makes of the jobs: what they would lose, and who may leave.
#ifndef PRECEDENT_SRC_PREEMPTION_FACTS_H_
#define PRECEDENT_SRC_PREEMPTION_FACTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "src/preemption/fleet.h"

namespace precedent::internal {

enum Rule : unsigned {
  kLeaves = 1,    // it may leave at all, and is no victim yet
  kConsents = 2,  // it has, or need not
  kWorked = 4,    // long enough
  kEvictable = kLeaves | kConsents | kWorked,
};

struct JobFacts {
  unsigned rules = 0;  // that it passes
  std::int32_t preemption_priority = 0;
  int rank = -1;
  bool gone = false;     // victim of this plan, or of a hold
  bool vacated = false;  // victim of this plan: its devices are free
  double lost = 0, cost = 0;
  std::int64_t started = 0, legal_from = 0;
};

// Of those who ask for room, what decides whom they may evict. Equal ones have the same
// candidates.
struct Kind {
  std::int64_t below = 0;  // victims' preemption priority is at most this
  int rank = -1;
  bool never = false;  // must not evict

  friend bool operator==(const Kind& a, const Kind& b) {
    return a.below == b.below && a.rank == b.rank && a.never == b.never;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Kind& kind) {
    return H::combine(std::move(h), kind.below, kind.rank, kind.never);
  }
};

// Victims of one who asks.
struct Choice {
  bool found = false;
  double cost = 0;
  absl::InlinedVector<int, 6> victims;
};

class Facts {
 public:
  Facts(const Fleet& fleet, const v1::PreemptionPolicy& policy, std::int64_t now);

  const JobFacts& operator[](int job) const { return jobs_[static_cast<std::size_t>(job)]; }
  JobFacts& operator[](int job) { return jobs_[static_cast<std::size_t>(job)]; }

  Kind KindOf(int job) const;
  // By the rules named, of those that it must pass.
  bool MayEvict(const JobFacts& victim, const Kind& kind, unsigned rules) const {
    return (victim.rules & rules) == rules && victim.preemption_priority <= kind.below &&
           !kind.never && (victim.rank < 0 || kind.rank < 0 || victim.rank > kind.rank);
  }

  // A choice of these victims, each once.
  Choice Make(absl::InlinedVector<int, 6> victims) const;
  // Costs less, or as much and: has fewer victims, that started later, by ids.
  bool Better(const Choice& a, const Choice& b) const;

  std::int64_t now() const { return now_; }
  std::int64_t gap() const { return gap_; }

 private:
  const Fleet& fleet_;
  const std::int64_t now_, gap_;
  std::vector<JobFacts> jobs_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_FACTS_H_
