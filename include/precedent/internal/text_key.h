// Texts as words: how the literals of a policy are found without comparing bytes.
//
// A text of 4 to 16 bytes is covered by four loads of 4 bytes at 0, q, n-4-q and n-4,
// where q is 0, 4 or 8. With its size they are the text: two words compare as the
// text does, and nothing outside it is read. Longer texts are hashed into the first
// word, and compared once that agrees.
#ifndef PRECEDENT_INTERNAL_TEXT_KEY_H_
#define PRECEDENT_INTERNAL_TEXT_KEY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "precedent/internal/hash.h"
#include "precedent/internal/layout_binding.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr std::size_t kShortText = 16;

inline std::uint64_t Load32(const char* p) noexcept {
  std::uint32_t word;
  std::memcpy(&word, p, 4);
  return word;
}

// The words of a text of at most kShortText bytes. Also safe, and then meaningless,
// for a longer one.
inline TextKey ShortKey(std::string_view text) noexcept {
  const std::size_t n = text.size();
  const char* p = text.data();
  TextKey key;
  key.size = static_cast<std::uint32_t>(n);
  if (n >= 4) {
    const std::size_t q = n >> 3 << 2;
    key.low = Load32(p) | Load32(p + q) << 32;
    key.high = Load32(p + n - 4 - q) | Load32(p + n - 4) << 32;
  } else if (n > 0) {
    key.low = static_cast<unsigned char>(p[0]) |
              static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
              static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1])) << 16;
  }
  return key;
}

inline TextKey MakeTextKey(std::string_view text) noexcept {
  if (text.size() <= kShortText) return ShortKey(text);
  TextKey key;
  key.low = HashBytes(text.data(), text.size(), 0);
  key.size = static_cast<std::uint32_t>(text.size());
  return key;
}

inline std::uint64_t HashKey(const TextKey& key, std::uint32_t dictionary) noexcept {
  constexpr std::uint64_t kLow = 0x9e3779b97f4a7c15u, kHigh = 0xd1b54a32d192ed03u;
  const std::uint64_t tag = (std::uint64_t{dictionary} << 32 | key.size) * kHigh;
  return Mix(key.low ^ tag, key.high ^ kLow) + key.low;
}

// The slot of a text in a perfect table: its hash picks a seed, which has bits all over,
// and both pick the slot. Any number of slots will do.
inline std::size_t SlotOf(std::uint64_t hash, std::uint32_t seed, std::uint32_t slots) noexcept {
  const std::uint64_t mixed = (hash ^ seed) * 0x9fb21c651e98df25u;
  return static_cast<std::size_t>((mixed >> 32) * slots >> 32);
}

// A bit by which most keys that are not in a small set are told at once.
inline std::uint64_t KeyFilterBit(std::string_view key) noexcept {
  if (key.empty()) return 1;
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(key[i]); };
  const std::size_t n = key.size();
  const unsigned mixed = static_cast<unsigned>(n) * 7 + byte(0) + byte(n - 1) * 13;
  return std::uint64_t{1} << (mixed % 64);
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_TEXT_KEY_H_
