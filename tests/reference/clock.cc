#include "tests/reference/clock.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "absl/time/time.h"

namespace precedent::reference {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400;     // seconds
constexpr std::int64_t kStep = 3 * 3600;  // seconds between two looks at a zone

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

std::int64_t LocalSecond(std::int64_t time, std::int64_t offset) {
  return FloorDiv(time, kSecond) + offset;
}

}  // namespace

std::optional<double> WaitSeconds(std::optional<std::int64_t> submitted, std::int64_t now) {
  if (!submitted) return std::nullopt;
  // The difference of any two times fits in 128 bits, and no wait of a job that is
  // not made up needs more than 64.
  __int128 wait = static_cast<__int128>(now) - *submitted;
  if (wait < 0) wait = 0;
  return static_cast<double>(wait) / 1e6;
}

const Zone& Zone::Named(const std::string& name) {
  static auto& zones = *new std::map<std::string, std::unique_ptr<const Zone>>;
  std::unique_ptr<const Zone>& zone = zones[name];
  if (zone == nullptr) zone.reset(new Zone(name));
  return *zone;
}

Zone::Zone(const std::string& name) {
  absl::TimeZone zone = absl::UTCTimeZone();
  if (!name.empty() && !absl::LoadTimeZone(name, &zone)) {
    std::fprintf(stderr, "no time zone `%s` on this machine\n", name.c_str());
    std::exit(1);
  }
  const auto offset_at = [&](std::int64_t second) {
    return static_cast<std::int64_t>(zone.At(absl::FromUnixSeconds(second)).offset);
  };
  const std::int64_t begin =
      absl::ToUnixSeconds(absl::FromCivil(absl::CivilSecond(1840), absl::UTCTimeZone()));
  const std::int64_t end =
      absl::ToUnixSeconds(absl::FromCivil(absl::CivilSecond(2100), absl::UTCTimeZone()));
  first_offset_ = offset_at(begin);
  std::int64_t offset = first_offset_;
  for (std::int64_t second = begin; second < end; second += kStep) {
    const std::int64_t later = offset_at(second + kStep);
    if (later == offset) continue;
    std::int64_t before = second, after = second + kStep;
    while (after - before > 1) {
      const std::int64_t middle = before + (after - before) / 2;
      (offset_at(middle) == offset ? before : after) = middle;
    }
    times_.push_back(after * kSecond);
    offsets_.push_back(later);
    offset = later;
  }
}

std::int64_t Zone::OffsetAt(std::int64_t time) const {
  const auto next = std::upper_bound(times_.begin(), times_.end(), time);
  return next == times_.begin() ? first_offset_ : offsets_[next - times_.begin() - 1];
}

std::optional<std::int64_t> Zone::NextTransition(std::int64_t time) const {
  const auto next = std::upper_bound(times_.begin(), times_.end(), time);
  if (next == times_.end()) return std::nullopt;
  return *next;
}

std::int64_t SecondOfDay(std::int64_t time, std::int64_t offset) {
  const std::int64_t local = LocalSecond(time, offset);
  return local - FloorDiv(local, kDay) * kDay;
}

double HourOfDay(std::int64_t time, std::int64_t offset) {
  return static_cast<double>(SecondOfDay(time, offset)) / 3600;
}

double DayOfWeek(std::int64_t time, std::int64_t offset) {
  const std::int64_t day = FloorDiv(LocalSecond(time, offset), kDay) + 3;  // day 0 was a Thursday
  return static_cast<double>(day - FloorDiv(day, 7) * 7 + 1);
}

std::int64_t Midnight(std::int64_t time, std::int64_t offset) {
  return (FloorDiv(LocalSecond(time, offset), kDay) * kDay - offset) * kSecond;
}

}  // namespace precedent::reference
