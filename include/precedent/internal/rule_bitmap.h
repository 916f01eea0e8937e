// A set of rules of one window, in policy order.
#ifndef PRECEDENT_INTERNAL_RULE_BITMAP_H_
#define PRECEDENT_INTERNAL_RULE_BITMAP_H_

#include <cstdint>

#include "precedent/internal/abi.h"
#include "precedent/internal/layout_matching.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// A set of rules of one window. Clearing costs 16 words; words are zeroed when they
// are first written.
class RuleBitmap {
 public:
  void Clear() noexcept {
    // A zero that compilers cannot see: they would call for a string instruction.
    std::uint64_t zero = 0;
#if defined(__GNUC__)
    asm("" : "+r"(zero));
#endif
    for (std::uint64_t& word : summary_) word = zero;
  }
  // REQUIRES: i < kWindow.
  void Insert(std::uint32_t i) noexcept {
    const std::uint32_t word = i / 64;
    std::uint64_t& used = summary_[word / 64];
    const std::uint64_t bit = std::uint64_t{1} << (word % 64);
    const std::uint64_t before = (used & bit) != 0 ? words_[word] : 0;
    words_[word] = before | std::uint64_t{1} << (i % 64);
    used |= bit;
  }
  // The least member that is not below `i`; kWindow if there is none.
  std::uint32_t Next(std::uint32_t i) const noexcept {
    if (i >= kWindow) return kWindow;
    const std::uint32_t word = i / 64;
    if ((summary_[word / 64] >> (word % 64) & 1) != 0) {
      const std::uint64_t rest = words_[word] >> (i % 64);
      if (rest != 0) return i + static_cast<std::uint32_t>(__builtin_ctzll(rest));
    }
    // The next word in use, which is never empty.
    std::uint32_t group = (word + 1) / 64;
    if (group == kGroups) return kWindow;
    std::uint64_t used = summary_[group] >> ((word + 1) % 64) << ((word + 1) % 64);
    while (used == 0) {
      if (++group == kGroups) return kWindow;
      used = summary_[group];
    }
    const std::uint32_t next = group * 64 + static_cast<std::uint32_t>(__builtin_ctzll(used));
    return next * 64 + static_cast<std::uint32_t>(__builtin_ctzll(words_[next]));
  }

 private:
  static constexpr std::uint32_t kGroups = kWindow / 64 / 64;
  std::uint64_t summary_[kGroups];    // bit w: words_[w] is in use and not empty
  std::uint64_t words_[kWindow / 64];  // meaningful only where the summary says so
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_RULE_BITMAP_H_
