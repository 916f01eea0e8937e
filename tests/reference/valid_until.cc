#include "tests/reference/valid_until.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/reference/clock.h"
#include "tests/reference/scaled_add.h"

namespace precedent::reference {
namespace {

// In microseconds.
constexpr std::int64_t kMicrosecondsASecond = 1'000'000;
constexpr std::int64_t kMicrosecondsADay = 86'400 * kMicrosecondsASecond;

// The least integer in (begin, end] at which `f` differs from f(begin). REQUIRES: `f`
// leaves its first value at most once.
template <typename F>
std::optional<std::int64_t> FirstChange(std::int64_t begin, std::int64_t end, F f) {
  const auto first = f(begin);
  if (f(end) == first) return std::nullopt;
  std::int64_t same = begin, other = end;
  while (static_cast<__int128>(other) - same > 1) {
    const std::int64_t middle =
        static_cast<std::int64_t>((static_cast<__int128>(other) + same) >> 1);
    (f(middle) == first ? same : other) = middle;
  }
  return other;
}

// `match` as one match per bound: each of these changes truth at most once as the
// number grows.
std::vector<v1::NumberMatch> Bounds(const v1::NumberMatch& match) {
  std::vector<v1::NumberMatch> bounds;
  if (match.has_above()) bounds.emplace_back().set_above(match.above());
  if (match.has_at_least()) bounds.emplace_back().set_at_least(match.at_least());
  if (match.has_below()) bounds.emplace_back().set_below(match.below());
  if (match.has_at_most()) bounds.emplace_back().set_at_most(match.at_most());
  return bounds;
}

// Of `times`, the first after `now` at which `f` differs from f(now).
template <typename F>
std::optional<std::int64_t> FirstOf(std::vector<std::int64_t> times, std::int64_t now, F f) {
  std::sort(times.begin(), times.end());
  for (std::int64_t time : times)
    if (time > now && f(time) != f(now)) return time;
  return std::nullopt;
}

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - 1;

std::optional<std::int64_t> WaitChange(const v1::NumberMatch& match, const Job& job,
                                       std::int64_t now) {
  const auto holds = [&](const v1::NumberMatch& bound, std::int64_t time) {
    return NumberHolds(bound, WaitSeconds(job.submitted_us, time));
  };
  std::vector<std::int64_t> times;
  for (const v1::NumberMatch& bound : Bounds(match)) {
    const auto time = FirstChange(now, kLast, [&](std::int64_t t) { return holds(bound, t); });
    if (time) times.push_back(*time);
  }
  return FirstOf(times, now, [&](std::int64_t t) { return holds(match, t); });
}

// As if the zone's offset never changed again.
std::optional<std::int64_t> HourChange(const v1::NumberMatch& match, std::int64_t offset,
                                       std::int64_t now) {
  const std::int64_t midnight = Midnight(now, offset);
  std::vector<std::int64_t> times;
  for (int day = 0; day < 3; ++day) times.push_back(midnight + day * kMicrosecondsADay);
  for (const v1::NumberMatch& bound : Bounds(match)) {
    const auto second = FirstChange(0, 86'399, [&](std::int64_t s) {
      return NumberHolds(bound, HourOfDay(midnight + s * kMicrosecondsASecond, offset));
    });
    if (!second) continue;
    for (int day = 0; day < 3; ++day) times.push_back(midnight + day * kMicrosecondsADay + *second * kMicrosecondsASecond);
  }
  return FirstOf(times, now,
                 [&](std::int64_t t) { return NumberHolds(match, HourOfDay(t, offset)); });
}

std::optional<std::int64_t> DayChange(const v1::NumberMatch& match, std::int64_t offset,
                                      std::int64_t now) {
  std::vector<std::int64_t> times;
  for (int day = 0; day < 9; ++day) times.push_back(Midnight(now, offset) + day * kMicrosecondsADay);
  return FirstOf(times, now,
                 [&](std::int64_t t) { return NumberHolds(match, DayOfWeek(t, offset)); });
}

std::optional<std::int64_t> ActivityChange(const v1::Rule& rule, std::int64_t now) {
  std::vector<std::int64_t> times;
  v1::Rule from, until;
  if (rule.has_active_from()) *from.mutable_active_from() = rule.active_from();
  if (rule.has_active_until()) *until.mutable_active_until() = rule.active_until();
  for (const v1::Rule& side : {from, until}) {
    const auto time = FirstChange(now, kLast, [&](std::int64_t t) { return IsActive(side, t); });
    if (time) times.push_back(*time);
  }
  return FirstOf(times, now, [&](std::int64_t t) { return IsActive(rule, t); });
}

// For one Match whose timeless constraints hold.
std::optional<std::int64_t> MatchChange(const v1::Rule& rule, const v1::Match& match,
                                        const Zone& zone, const Job& job, std::int64_t now) {
  std::vector<std::int64_t> times;
  const auto add = [&](std::optional<std::int64_t> time) {
    if (time) times.push_back(*time);
  };
  const std::int64_t offset = zone.OffsetAt(now);
  if (match.has_wait_seconds()) add(WaitChange(match.wait_seconds(), job, now));
  if (match.has_hour_of_day()) add(HourChange(match.hour_of_day(), offset, now));
  if (match.has_day_of_week()) add(DayChange(match.day_of_week(), offset, now));
  if (match.has_hour_of_day() || match.has_day_of_week()) add(zone.NextTransition(now));
  if (rule.has_active_from() || rule.has_active_until()) add(ActivityChange(rule, now));
  if (rule.has_add_scaled() && rule.add_scaled().source_case() == v1::ScaledAdd::kOf &&
      rule.add_scaled().of() == v1::ScaledAdd::WAIT_SECONDS) {
    add(FirstChange(now, kLast,
                    [&](std::int64_t t) { return ScaledAmount(rule.add_scaled(), job, t); }));
  }
  if (times.empty()) return std::nullopt;
  return *std::min_element(times.begin(), times.end());
}

}  // namespace

std::optional<std::int64_t> ValidUntil(const v1::Policy& policy, const Conditions& conditions,
                                       const Job& job, std::int64_t now) {
  std::optional<std::int64_t> earliest;
  const auto consider = [&](const v1::Rule& rule, const v1::Match& match) {
    if (!conditions.TimelessHolds(match, job)) return;
    const auto time = MatchChange(rule, match, conditions.zone(), job, now);
    if (time && (!earliest || *time < *earliest)) earliest = time;
  };
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      for (const v1::Match& match : rule.when()) consider(rule, match);
      if (rule.when().empty()) consider(rule, v1::Match::default_instance());
    }
  }
  return earliest;
}

}  // namespace precedent::reference
