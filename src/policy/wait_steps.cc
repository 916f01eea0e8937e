#include "src/policy/wait_steps.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "precedent/internal/number.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kMaxSteps = 256;
constexpr std::int64_t kLastWait = std::numeric_limits<std::int64_t>::max() - 1;

std::int32_t AmountAt(const Scaled& scaled, std::int64_t wait) {
  return ScaledAmount(scaled, WaitSeconds(wait));
}

// The least wait above `wait` with another amount; -1 if there is none. The amount is
// monotone in the wait, so bisecting with the evaluator's own expression is exact.
std::int64_t NextChange(const Scaled& scaled, std::int64_t wait) {
  const std::int32_t amount = AmountAt(scaled, wait);
  if (wait >= kLastWait || AmountAt(scaled, kLastWait) == amount) return -1;
  std::int64_t low = wait, high = kLastWait;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (AmountAt(scaled, middle) == amount ? low : high) = middle;
  }
  return high;
}

}  // namespace

void WriteWaitSteps(Scaled* scaled, Rows<Step>* steps) {
  Rows<Step> found = {{0, AmountAt(*scaled, 0)}};
  std::int64_t next = 0;
  while (found.size() < kMaxSteps && (next = NextChange(*scaled, found.back().wait)) >= 0)
    found.push_back({next, AmountAt(*scaled, next)});

  // Step i is found as trunc(wait * rate) - first: within one, or not at all.
  const double rate = std::fabs(scaled->points) / scaled->per / 1e6;
  std::int64_t first = 0;
  if (found.size() > 1) {
    const double at = static_cast<double>(found[1].wait) * rate;
    if (!(at < 4e9)) return;
    first = static_cast<std::int64_t>(std::floor(at + 0.5)) - 1;
    for (std::size_t i = 1; i < found.size(); ++i) {
      const double guess =
          static_cast<double>(found[i].wait) * rate - static_cast<double>(first);
      if (!(std::fabs(guess - static_cast<double>(i)) <= 1)) return;
    }
  }
  scaled->step_begin = SizeOf(*steps);
  scaled->step_count = static_cast<std::uint32_t>(found.size());
  scaled->last_step = next < 0 ? 1 : 0;
  scaled->steps_per_microsecond = rate;
  scaled->first_step = first;
  steps->insert(steps->end(), found.begin(), found.end());
}

}  // namespace precedent::internal
