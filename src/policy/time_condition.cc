#include "src/policy/time_condition.h"

#include <cstdint>
#include <limits>

#include "precedent/internal/number.h"

namespace precedent::internal {
namespace {

bool LowHolds(const v1::NumberMatch& match, double value) {
  return !(match.has_above() && value <= match.above()) &&
         !(match.has_at_least() && value < match.at_least());
}
bool HighHolds(const v1::NumberMatch& match, double value) {
  return !(match.has_below() && value >= match.below()) &&
         !(match.has_at_most() && value > match.at_most());
}

// The integers of [0, last] whose value satisfies the match: *low to *high, or an
// empty range. `value` is monotone.
template <typename ValueOf>
void FindRange(const v1::NumberMatch& match, std::int64_t last, ValueOf value, std::int64_t* low,
               std::int64_t* high) {
  // First integer for which `holds`, given that it holds from some point on; last + 1
  // if it never does.
  const auto first = [&](auto holds) {
    if (!holds(value(last))) return last + 1;
    std::int64_t no = -1, yes = last;
    while (yes - no > 1) {
      const std::int64_t middle = no + (yes - no) / 2;
      (holds(value(middle)) ? yes : no) = middle;
    }
    return yes;
  };
  *low = first([&](double v) { return LowHolds(match, v); });
  *high = first([&](double v) { return !HighHolds(match, v); }) - 1;
}

// In microseconds, rounded up: for whole microseconds t, t >= time is t >= the
// result, and t < time is t < the result.
std::int64_t CeilMicroseconds(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000'000 + (time.nanos() + 999) / 1000;
}

}  // namespace

TimeCondition MakeTimeCondition(const v1::Rule& rule, const v1::Match* match) {
  TimeCondition condition;
  if (rule.has_active_from() || rule.has_active_until()) {
    condition.flags |= TimeCondition::kActive;
    condition.from = rule.has_active_from() ? CeilMicroseconds(rule.active_from())
                                            : std::numeric_limits<std::int64_t>::min();
    condition.until = rule.has_active_until() ? CeilMicroseconds(rule.active_until())
                                              : std::numeric_limits<std::int64_t>::max();
  }
  if (match == nullptr) return condition;
  if (match->has_wait_seconds()) {
    const v1::NumberMatch& wait = match->wait_seconds();
    if (wait.has_present() && !wait.present()) {
      condition.flags |= TimeCondition::kWaitAbsent;
    } else {
      condition.flags |= TimeCondition::kWait;
      constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - 1;
      FindRange(wait, kLast, WaitSeconds, &condition.wait_low, &condition.wait_high);
      if (condition.wait_high == kLast)
        condition.wait_high = std::numeric_limits<std::int64_t>::max();
    }
  }
  constexpr std::int64_t kDay = 86400;
  if (match->has_hour_of_day()) {
    condition.flags |= TimeCondition::kHour;
    std::int64_t low = 1, high = 0;
    if (!match->hour_of_day().has_present() || match->hour_of_day().present())
      FindRange(
          match->hour_of_day(), kDay - 1, [](std::int64_t s) { return s / 3600.0; }, &low, &high);
    if (high < low) low = 1, high = 0;
    condition.second_low = static_cast<std::uint32_t>(low);
    condition.second_high = static_cast<std::uint32_t>(high);
  }
  if (match->has_day_of_week()) {
    condition.flags |= TimeCondition::kDay;
    const v1::NumberMatch& day = match->day_of_week();
    for (int d = 1; d <= 7 && (!day.has_present() || day.present()); ++d)
      if (LowHolds(day, d) && HighHolds(day, d)) condition.days |= 1u << (d - 1);
  }
  return condition;
}

}  // namespace precedent::internal
