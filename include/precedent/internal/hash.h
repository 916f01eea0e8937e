// Hash of texts: for the dictionary of an image and for its checksum.
//
// The same on every machine of one byte order, and part of the image format.
#ifndef PRECEDENT_INTERNAL_HASH_H_
#define PRECEDENT_INTERNAL_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "precedent/internal/abi.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline std::uint64_t Mix(std::uint64_t a, std::uint64_t b) noexcept {
  // Multiply and fold: both halves of the product depend on all bits of both.
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t HashBytes(const void* data, std::size_t size, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15u;
  constexpr std::uint64_t kOdd2 = 0xd1b54a32d192ed03u;
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t hash = seed ^ Mix(size + kOdd1, kOdd2);
  std::uint64_t word;
  for (; size >= 8; p += 8, size -= 8) {
    std::memcpy(&word, p, 8);
    hash = Mix(hash ^ word, kOdd1);
  }
  if (size != 0) {
    word = 0;
    if (size >= 4) {
      // Two overlapping loads cover 4 to 7 bytes.
      std::uint32_t low, high;
      std::memcpy(&low, p, 4);
      std::memcpy(&high, p + size - 4, 4);
      word = low | static_cast<std::uint64_t>(high) << 32;
    } else {
      word = p[0] | static_cast<std::uint64_t>(p[size / 2]) << 8 |
             static_cast<std::uint64_t>(p[size - 1]) << 16;
    }
    hash = Mix(hash ^ word, kOdd2);
  }
  return Mix(hash, kOdd1);
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_HASH_H_
