// What the tests publish: values that know whether they are alive.
#ifndef PRECEDENT_TESTS_UNIT_LIVE_CHECKED_VALUE_H_
#define PRECEDENT_TESTS_UNIT_LIVE_CHECKED_VALUE_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "precedent/internal/published.h"

namespace precedent::internal {

// Eight words that say the same while it lives and something else afterwards. Plain
// words: ThreadSanitizer sees a reader that is not ordered before the destructor.
class CheckedValue {
 public:
  explicit CheckedValue(std::uint64_t number) : number_(number) {
    Fill(number);
    alive().fetch_add(1, std::memory_order_relaxed);
  }
  CheckedValue(CheckedValue&& other) noexcept : CheckedValue(other.number_) {}
  CheckedValue& operator=(CheckedValue&&) = delete;
  ~CheckedValue() {
    Fill(~number_);
    alive().fetch_sub(1, std::memory_order_relaxed);
  }

  std::uint64_t number() const { return number_; }
  bool ok() const {
    for (const volatile std::uint64_t& word : words_)
      if (word != number_) return false;
    return true;
  }

  // Values of all kinds that exist now.
  static std::atomic<std::int64_t>& alive() {
    static std::atomic<std::int64_t> count{0};
    return count;
  }

 private:
  void Fill(std::uint64_t word) {
    for (volatile std::uint64_t& w : words_) w = word;
  }
  std::uint64_t number_;
  volatile std::uint64_t words_[8];
};

using Cell = Published<CheckedValue>;

inline Publication Publish(Cell& cell, std::uint64_t number) {
  return cell.Publish(CheckedValue(number), [](const CheckedValue*) { return true; });
}

// Looks once.
inline bool AllFreed(Cell& cell) {
  return cell.Synchronize(std::chrono::steady_clock::time_point::min());
}

// A reader that announced itself and goes no further.
struct PublishedPeer {
  static Claim Enter(Cell& cell) { return cell.slots_.Enter(cell.epoch_); }
  static void Leave(Cell& cell, const Claim& claim) { cell.slots_.Leave(claim); }
  static const ClaimedSlots& slots(const Cell& cell) { return cell.slots_; }
};

// A number from the environment, so that a run can be made longer.
inline std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace precedent::internal

#endif  // PRECEDENT_TESTS_UNIT_LIVE_CHECKED_VALUE_H_
