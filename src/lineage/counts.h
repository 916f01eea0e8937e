// The counts that retries inherit.
#ifndef PRECEDENT_SRC_LINEAGE_COUNTS_H_
#define PRECEDENT_SRC_LINEAGE_COUNTS_H_

#include <algorithm>
#include <cstdint>

namespace precedent::lineage {

// No inherited count is above it, and no attempt within one job above kMaxAttempt, so
// that their sum needs no care.
inline constexpr std::uint32_t kMaxCount = 1u << 30;
inline constexpr std::uint32_t kMaxAttempt = 1u << 24;

struct Counts {
  std::uint32_t failure = 0;
  std::uint32_t preemption = 0;
  std::uint32_t infrastructure = 0;
  std::uint32_t attempt = 0;

  friend bool operator==(const Counts& a, const Counts& b) {
    return a.failure == b.failure && a.preemption == b.preemption &&
           a.infrastructure == b.infrastructure && a.attempt == b.attempt;
  }
  friend bool operator!=(const Counts& a, const Counts& b) { return !(a == b); }
};

// Each count of `counts` becomes the greater one.
inline void Raise(Counts& counts, const Counts& other) {
  counts.failure = std::max(counts.failure, std::min(other.failure, kMaxCount));
  counts.preemption = std::max(counts.preemption, std::min(other.preemption, kMaxCount));
  counts.infrastructure =
      std::max(counts.infrastructure, std::min(other.infrastructure, kMaxCount));
  counts.attempt = std::max(counts.attempt, std::min(other.attempt, kMaxCount));
}

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_COUNTS_H_
