// The part of an evaluation that depends on the time: waits, local hours and days,
// temporary rules, and when each of them changes next. All in whole microseconds
// or seconds, so that "the earliest time at which it changes" is exact.
#ifndef PRECEDENT_INTERNAL_CLOCK_H_
#define PRECEDENT_INTERNAL_CLOCK_H_

#include <algorithm>
#include <cstdint>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/image.h"
#include "precedent/internal/number.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr std::int64_t kNever = INT64_MAX;

inline std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

class Clock {
 public:
  // Times in microseconds since 1970.
  Clock(Image image, std::int64_t submitted, std::int64_t now) noexcept
      : image_(image),
        now_(now),
        submitted_(submitted),
        wait_(submitted == kAbsentTime ? 0 : WaitMicroseconds(submitted, now)) {}

  bool has_wait() const noexcept { return submitted_ != kAbsentTime; }
  double wait_seconds() const noexcept { return WaitSeconds(wait_); }

  // The earliest time after now at which anything noted so far changes.
  std::int64_t valid_until() const noexcept { return valid_until_; }

  // Whether `condition` holds now; notes when any part of it changes next.
  bool Holds(const TimeCondition& condition) noexcept {
    bool holds = true;
    if ((condition.flags & TimeCondition::kActive) != 0) {
      // A rule can be active between two microseconds, and so never.
      if (condition.from < condition.until) {
        if (now_ < condition.from) Note(condition.from);
        if (now_ < condition.until) Note(condition.until);
      }
      holds &= condition.from <= now_ && now_ < condition.until;
    }
    if ((condition.flags & TimeCondition::kWaitAbsent) != 0) holds &= !has_wait();
    if ((condition.flags & TimeCondition::kWait) != 0) {
      if (has_wait()) {
        holds &= condition.wait_low <= wait_ && wait_ <= condition.wait_high;
        NoteWait(condition.wait_low, condition.wait_high);
      } else {
        holds = false;
      }
    }
    if ((condition.flags & (TimeCondition::kHour | TimeCondition::kDay)) != 0)
      holds &= LocalHolds(condition);
    return holds;
  }

  // What `scaled` adds for the wait.
  std::int32_t WaitAmount(const Scaled& scaled) const noexcept {
    if (!has_wait()) return 0;
    const Step* step = FindStep(scaled);
    return step != nullptr ? static_cast<std::int32_t>(step->amount)
                           : ScaledAmount(scaled, wait_seconds());
  }

  // Notes when the amount that `scaled` adds for the wait changes next.
  void NoteScaledWait(const Scaled& scaled) noexcept {
    if (has_wait()) NoteNextStep(scaled, FindStep(scaled));
  }

  // Both at once; notes only if `noted`.
  std::int32_t AddForWait(const Scaled& scaled, bool noted) noexcept {
    if (!has_wait()) return 0;
    const Step* step = FindStep(scaled);
    if (noted) NoteNextStep(scaled, step);
    return step != nullptr ? static_cast<std::int32_t>(step->amount)
                           : ScaledAmount(scaled, wait_seconds());
  }

 private:
  void Note(std::int64_t time) noexcept { valid_until_ = std::min(valid_until_, time); }

  void NoteWait(std::int64_t low, std::int64_t high) noexcept {
    // No whole microsecond satisfies the bounds, or none before the end of time.
    if (low > high || low == INT64_MAX) return;
    if (wait_ < low) {
      Note(SaturatingAdd(submitted_, low));
    } else if (wait_ <= high && high != INT64_MAX) {
      Note(SaturatingAdd(submitted_, high + 1));
    }
  }

  const Step* Steps(const Scaled& scaled) const noexcept {
    return image_.begin(image_.header().steps) + scaled.step_begin;
  }

  void NoteNextStep(const Scaled& scaled, const Step* step) noexcept {
    if (step != nullptr) {
      if (step + 1 != Steps(scaled) + scaled.step_count)
        Note(SaturatingAdd(submitted_, step[1].wait));
      return;
    }
    const std::int64_t next = NextStep(scaled, wait_);
    if (next != kNever) Note(SaturatingAdd(submitted_, next));
  }

  // The step that the wait is in; null where the table of steps does not say. The
  // product only guesses, within a step or two; the table decides.
  const Step* FindStep(const Scaled& scaled) const noexcept {
    if (scaled.step_count == 0) return nullptr;
    const Step* steps = Steps(scaled);
    const double last = static_cast<double>(scaled.step_count - 1);
    double guess = static_cast<double>(wait_) * scaled.steps_per_microsecond -
                   static_cast<double>(scaled.first_step);
    guess = guess < last ? guess : last;
    std::uint32_t i = guess > 0 ? static_cast<std::uint32_t>(guess) : 0;
    while (steps[i].wait > wait_) --i;  // the first is at 0
    while (i + 1 < scaled.step_count && steps[i + 1].wait <= wait_) ++i;
    return i + 1 == scaled.step_count && scaled.last_step == 0 ? nullptr : steps + i;
  }

  static std::int64_t FloorDiv(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
  }

  bool LocalHolds(const TimeCondition& condition) noexcept {
    constexpr std::int64_t kDay = 86400;
    if (!local_known_) FindLocalTime();
    const std::int64_t day = FloorDiv(local_second_, kDay);
    const std::int64_t second = local_second_ - day * kDay;
    bool holds = true;
    std::int64_t change = kNever;  // seconds from now's whole second
    if ((condition.flags & TimeCondition::kHour) != 0) {
      const std::int64_t low = condition.second_low, high = condition.second_high;
      const bool inside = low <= second && second <= high;
      holds &= inside;
      if (inside && high < kDay - 1) {
        change = high + 1 - second;
      } else if (inside && low > 0) {
        change = kDay - second;  // true until midnight
      } else if (!inside && low <= high) {
        change = (second < low ? 0 : kDay) + low - second;
      }
    }
    if ((condition.flags & TimeCondition::kDay) != 0) {
      const std::int64_t weekday = ((day % 7) + 10) % 7;  // 0 = Monday; day 0 was a Thursday
      const auto is_in = [&](std::int64_t d) { return (condition.days >> (d % 7) & 1) != 0; };
      const bool inside = is_in(weekday);
      holds &= inside;
      for (std::int64_t d = 1; d < 7; ++d) {
        if (is_in(weekday + d) == inside) continue;
        change = std::min(change, d * kDay - second);
        break;
      }
    }
    // Beyond the next transition the local time is another: look again then.
    Note(transition_);
    if (change != kNever) {
      // Far from the years that a microsecond clock can tell there is nothing to note.
      std::int64_t time;
      if (!__builtin_mul_overflow(utc_second_ + change, std::int64_t{1'000'000}, &time)) Note(time);
    }
    return holds;
  }

  void FindLocalTime() noexcept {
    const Header& h = image_.header();
    utc_second_ = FloorDiv(now_, 1'000'000);
    const Transition* begin = image_.begin(h.transitions);
    const Transition* end = begin + h.transitions.count;
    const Transition* next = std::upper_bound(
        begin, end, utc_second_,
        [](std::int64_t second, const Transition& t) { return second < t.at; });
    local_second_ = utc_second_ + (next == begin ? h.initial_offset : next[-1].offset);
    transition_ = next == end ? kNever : next->at * 1'000'000;
    local_known_ = true;
  }

  // The least wait above `wait` with another amount, in microseconds; kNever if
  // there is none. The closed form only guesses; what counts is the amount itself,
  // which is monotone in the wait.
  std::int64_t NextStep(const Scaled& scaled, std::int64_t wait) const noexcept {
    const auto amount = [&](std::int64_t w) { return ScaledAmount(scaled, WaitSeconds(w)); };
    const std::int64_t now_amount = amount(wait);
    const bool rising = scaled.points > 0;
    if (scaled.points == 0 || now_amount == (rising ? scaled.max : scaled.min)) return kNever;
    // Past this the time of the change is past the end of time.
    std::int64_t high = kNever - 1;
    if (submitted_ > 0) high -= submitted_;
    if (wait >= high) return kNever;

    const double level = static_cast<double>(rising ? now_amount + 1 : now_amount - 1);
    const double guess = Fence(Fence(level) / scaled.points) * scaled.per * 1e6;
    if (guess > static_cast<double>(wait) && guess < 4e18) {
      const std::int64_t g = static_cast<std::int64_t>(guess);
      for (std::int64_t w = g - 1; w <= g + 2; ++w) {
        if (w > wait && w <= high && amount(w) != now_amount) {
          if (w - 1 == wait || amount(w - 1) == now_amount) return w;
          break;
        }
      }
    }
    if (amount(high) == now_amount) return kNever;
    std::int64_t low = wait;  // amount(low) == now_amount, amount(high) is not
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (amount(middle) == now_amount ? low : high) = middle;
    }
    return high;
  }

  const Image image_;
  const std::int64_t now_;
  const std::int64_t submitted_;
  const std::int64_t wait_;  // microseconds, never below 0
  std::int64_t valid_until_ = kNever;

  bool local_known_ = false;
  std::int64_t utc_second_ = 0;
  std::int64_t local_second_ = 0;
  std::int64_t transition_ = kNever;  // microseconds
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_CLOCK_H_
