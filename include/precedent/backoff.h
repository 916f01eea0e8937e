// Backoff: when a job that was preempted, or lost its host, may come back.
//
//   precedent::Backoff backoff;
//   precedent::RequeueOrder order;  // of the jobs that were preempted together
//   if (auto wanted = backoff.Delay(job_id, attempt)) {
//     Requeue(job_id, order.Place(decision.priority, *wanted));
//   }
//
// The delay grows with the attempt, and is spread by a hash of job and attempt, so that
// jobs which were preempted together do not come back together. It is a function of its
// arguments alone: whoever computes it again, anywhere, gets the same.
//
// Header only, part of precedent::preemption. Throws nothing but std::bad_alloc.
#ifndef PRECEDENT_BACKOFF_H_
#define PRECEDENT_BACKOFF_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

namespace precedent {

struct BackoffOptions {
  std::chrono::milliseconds initial{30'000};   // after the first attempt; above 0
  double factor = 2;                           // from attempt to attempt; at least 1
  std::chrono::milliseconds max{3'600'000};    // of every delay; not below initial
  double jitter = 0.5;                         // part of the delay, 0 to 1, that the hash may take off
  std::int32_t attempts = 10;                  // attempts in all, at least 1; then it is given up
};

// A plain value; thread-safe.
class Backoff {
 public:
  // What is out of its range is taken for the nearest value that is not.
  explicit Backoff(const BackoffOptions& options = {}) noexcept : options_(options) {
    options_.initial = std::max(options.initial, std::chrono::milliseconds(1));
    options_.factor = options.factor >= 1 ? options.factor : 1;  // NaN: 1
    options_.max = std::max(options.max, options_.initial);
    options_.jitter = options.jitter >= 0 ? std::min(options.jitter, 1.0) : 0;
    options_.attempts = std::max(options.attempts, 1);
  }

  // How long `job` waits after its attempt number `attempt` (from 1) ended; nothing where
  // that was the last. O(min(attempt, 64)).
  std::optional<std::chrono::milliseconds> Delay(std::string_view job,
                                                 std::int32_t attempt) const noexcept {
    if (attempt >= options_.attempts) return std::nullopt;
    const double max = static_cast<double>(options_.max.count());
    double delay = static_cast<double>(options_.initial.count());
    for (std::int32_t i = 1; i < attempt && delay < max && options_.factor > 1; ++i) {
      delay *= options_.factor;
    }
    delay = std::min(delay, max);
    delay -= delay * options_.jitter * Fraction(job, attempt);
    return std::chrono::milliseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(delay)));
  }

  const BackoffOptions& options() const noexcept { return options_; }

 private:
  // 0 to 1, without 1: FNV-1a over the text and the number, then a finalizer that
  // spreads it to all bits. Stored delays depend on it: it never changes.
  static double Fraction(std::string_view job, std::int32_t attempt) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (const char c : job) add(static_cast<unsigned char>(c));
    for (int shift = 0; shift < 32; shift += 8) {
      add(static_cast<unsigned char>(static_cast<std::uint32_t>(attempt) >> shift));
    }
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((hash ^ (hash >> 31)) >> 11) * 0x1p-53;
  }

  BackoffOptions options_;
};

// Keeps the order of importance among jobs that were preempted at the same time: none
// waits longer than a less important one, in whatever order they are placed. A job that
// comes late is moved between those that were placed; they stay.
//
// Not thread-safe.
class RequeueOrder {
 public:
  // The delay nearest to `wanted` that keeps the order. O(log placed).
  std::chrono::milliseconds Place(std::int32_t importance, std::chrono::milliseconds wanted) {
    // What was placed is in order, so the nearest on each side bound it.
    const auto above = placed_.upper_bound(importance);
    if (above != placed_.end()) wanted = std::max(wanted, above->second.longest);
    const auto not_below = placed_.lower_bound(importance);
    if (not_below != placed_.begin()) {
      wanted = std::min(wanted, std::prev(not_below)->second.shortest);
    }
    const auto [place, added] = placed_.try_emplace(importance, Delays{wanted, wanted});
    if (!added) {
      place->second.shortest = std::min(place->second.shortest, wanted);
      place->second.longest = std::max(place->second.longest, wanted);
    }
    return wanted;
  }

  // For storing: calls visit(importance, shortest, longest) in ascending importance;
  // placing both again restores it.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& [importance, delays] : placed_) {
      visit(importance, delays.shortest, delays.longest);
    }
  }

 private:
  struct Delays {
    std::chrono::milliseconds shortest;
    std::chrono::milliseconds longest;
  };
  std::map<std::int32_t, Delays> placed_;
};

// Who can carry a message for that long.
enum class DelayCarrier : std::uint8_t {
  kDelaySeconds,       // SQS: DelaySeconds of SendMessage, up to 900 s
  kVisibilityTimeout,  // SQS: ChangeMessageVisibility, up to 12 h from its receipt
  kScheduler,          // longer: a schedule of EventBridge Scheduler
};

// Source: SQS API reference, SendMessage and ChangeMessageVisibility.
constexpr DelayCarrier CarrierOf(std::chrono::milliseconds delay) noexcept {
  return delay <= std::chrono::seconds(900)  ? DelayCarrier::kDelaySeconds
         : delay <= std::chrono::hours(12) ? DelayCarrier::kVisibilityTimeout
                                             : DelayCarrier::kScheduler;
}

}  // namespace precedent

#endif  // PRECEDENT_BACKOFF_H_
