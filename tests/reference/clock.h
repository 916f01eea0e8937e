// Time as a policy sees it: wait, local hour, local day, and a zone's transitions.
#ifndef PRECEDENT_TESTS_REFERENCE_CLOCK_H_
#define PRECEDENT_TESTS_REFERENCE_CLOCK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace precedent::reference {

// All times are microseconds since 1970-01-01 00:00 UTC.

// Absent where the submission is.
std::optional<double> WaitSeconds(std::optional<std::int64_t> submitted, std::int64_t now);

// A time zone as the times at which its offset changes, up to 2100-01-01. They are
// found by looking at the offset every three hours since 1840 and bisecting each change to
// the second: a zone that changes twice in three hours would be got wrong, none does.
class Zone {
 public:
  // Empty: UTC. Dies on an unknown name. The result lives for ever.
  static const Zone& Named(const std::string& name);

  // Seconds to add to UTC.
  std::int64_t OffsetAt(std::int64_t time) const;
  // The first change of offset after `time`.
  std::optional<std::int64_t> NextTransition(std::int64_t time) const;

  const std::vector<std::int64_t>& transitions() const { return times_; }

 private:
  explicit Zone(const std::string& name);
  std::int64_t first_offset_ = 0;
  std::vector<std::int64_t> times_;    // ascending
  std::vector<std::int64_t> offsets_;  // from times_[i] on
};

// Whole local seconds since midnight, 0 to 86399.
std::int64_t SecondOfDay(std::int64_t time, std::int64_t offset);
double HourOfDay(std::int64_t time, std::int64_t offset);
// 1 = Monday.
double DayOfWeek(std::int64_t time, std::int64_t offset);
// The last local midnight not after `time`, in a zone that always has `offset`.
std::int64_t Midnight(std::int64_t time, std::int64_t offset);

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_CLOCK_H_
