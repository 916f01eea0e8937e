// Applying rules in order: what every loop over rules shares.
#ifndef PRECEDENT_BENCH_RIVALS_ORDERED_H_
#define PRECEDENT_BENCH_RIVALS_ORDERED_H_

#include <algorithm>
#include <cstdint>

#include "bench/workload/rule.h"

namespace precedent::bench {

inline std::int64_t Apply(Effect effect, std::int32_t points, std::int64_t score) {
  switch (effect) {
    case Effect::kAdd:
      return score + points;
    case Effect::kSet:
      return points;
    case Effect::kAtLeast:
      return std::max<std::int64_t>(score, points);
    case Effect::kAtMost:
      return std::min<std::int64_t>(score, points);
  }
  return score;
}

inline std::int32_t Bounded(std::int64_t score) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(score, kMinPriority, kMaxPriority));
}

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_RIVALS_ORDERED_H_
