#include "src/lineage/publication.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace precedent::lineage {
namespace {

constexpr std::chrono::hours kHour{1};

// kNoTime and times near the end of all times stay in range.
TimePoint Later(TimePoint time, std::chrono::microseconds by) {
  return time > kForever - by ? kForever : time + by;
}

}  // namespace

TimePoint Limits::AllowedAt(JobSlot job, const Published& published, const Rank& rank) const {
  if (rank == published.rank) return kForever;
  const std::int64_t change =
      std::abs(std::int64_t{rank.priority} - std::int64_t{published.rank.priority});
  if (rank.klass == published.rank.klass && change < rules_.min_change) return kForever;
  TimePoint allowed = kNoTime;
  if (published.changed != kNoTime)
    allowed = Later(published.changed, std::chrono::seconds(rules_.min_interval_seconds));
  const auto limit = static_cast<std::size_t>(rules_.max_changes_per_hour);
  if (limit > 0) {
    const auto it = history_.find(job);
    if (it != history_.end() && it->second.size() >= limit)
      allowed = std::max(allowed, Later(it->second[it->second.size() - limit], kHour));
  }
  return allowed;
}

void Limits::Note(JobSlot job, TimePoint now) {
  const auto limit = static_cast<std::size_t>(rules_.max_changes_per_hour);
  if (limit == 0) return;
  std::vector<TimePoint>& times = history_[job];
  times.push_back(now);
  // An hour ago counts no more; nor does what lies before the newest `limit`.
  const auto old = std::find_if(times.begin(), times.end(),
                                [&](TimePoint at) { return Later(at, kHour) > now; });
  const std::size_t drop =
      std::max<std::size_t>(static_cast<std::size_t>(old - times.begin()),
                            times.size() > limit ? times.size() - limit : 0);
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(drop));
}

}  // namespace precedent::lineage
