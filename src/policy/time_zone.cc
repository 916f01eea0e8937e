#include "time_zone.h"

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace precedent::internal {

std::optional<ZoneTransitions> ExpandTimeZone(const std::string& name) {
  ZoneTransitions result;
  if (name.empty()) return result;
  if (name == "localtime" || name.find(':') != std::string::npos || name.front() == '/' ||
      name.find("..") != std::string::npos)
    return std::nullopt;
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(name, &zone)) return std::nullopt;

  absl::Time time = absl::UnixEpoch();
  const absl::Time end = absl::FromCivil(absl::CivilSecond(2100, 1, 1), absl::UTCTimeZone());
  result.initial_offset = zone.At(time).offset;
  std::int64_t offset = result.initial_offset;
  absl::TimeZone::CivilTransition change;
  while (zone.NextTransition(time, &change)) {
    // `to` is the local time right after the change, so that this is its instant
    // whether an hour was skipped or repeated.
    time = zone.At(change.to).trans;
    if (time >= end) break;
    const std::int64_t after = zone.At(time).offset;
    if (after != offset) result.transitions.push_back({absl::ToUnixSeconds(time), after});
    offset = after;
  }
  return result;
}

}  // namespace precedent::internal
