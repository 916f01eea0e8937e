// Numbers: comparisons and scaled amounts that give the same answer however the
// embedding program was compiled.
//
// -ffast-math lets a compiler assume that there are no NaNs, reorder a division and
// a multiplication, and makes denormals zero. So comparisons are done on integers,
// and the one expression in double is fenced.
#ifndef PRECEDENT_INTERNAL_NUMBER_H_
#define PRECEDENT_INTERNAL_NUMBER_H_

#include <cstdint>
#include <cstring>

#include "precedent/internal/image.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline std::uint64_t BitsOf(double number) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

// An integer that orders as the number does, with one value for both zeros; the
// next larger number has the next larger key. Not for NaN.
inline std::int64_t NumberKey(double number) noexcept {
  const std::int64_t bits = static_cast<std::int64_t>(BitsOf(number));
  const std::int64_t sign = bits >> 63;  // 0 or -1
  return ((bits & 0x7fffffffffffffff) ^ sign) - sign;
}

// All ones, or 0: a mask instead of a branch. Compilers that see where a mask comes from
// make a branch of it again.
inline std::uint32_t Ones(bool condition) noexcept {
  std::uint32_t mask = std::uint32_t{0} - std::uint32_t{condition};
#if defined(__GNUC__)
  asm("" : "+r"(mask));
#endif
  return mask;
}

// The class of a number: 0 if it is absent, else 1 more than the number of `cuts`, which
// ascend, that are not above it. Its course does not depend on the data. REQUIRES: four
// INT64_MAX follow the cuts, which no number reaches.
inline std::uint32_t Rank(const std::int64_t* cuts, std::uint32_t count, double value) noexcept {
  const std::int64_t key = NumberKey(value);
  std::uint32_t rank = 0;
  for (; count > 4; count -= count / 2) {
    const std::uint32_t half = count / 2;
    rank += half & Ones(cuts[rank + half - 1] <= key);
  }
  // Those that are no longer asked for are above it, too.
  const std::int64_t* rest = cuts + rank;
  rank += std::uint32_t{rest[0] <= key};
  rank += std::uint32_t{rest[1] <= key};
  rank += std::uint32_t{rest[2] <= key};
  rank += std::uint32_t{rest[3] <= key};
  return (rank + 1) & ~Ones(IsAbsent(value));
}

inline constexpr std::uint32_t kCutPadding = 4;

// Keeps the compiler from moving arithmetic across: what goes in comes out, and it
// cannot know that.
inline double Fence(double number) noexcept {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__SSE2__))
  asm("" : "+x"(number));
  return number;
#elif defined(__GNUC__) && defined(__aarch64__)
  asm("" : "+w"(number));
  return number;
#else
  volatile double fenced = number;
  return fenced;
#endif
}

// What a ScaledAdd adds for `value`: divide, multiply, clamp to int32, truncate
// toward zero, then min and max; 0 for an absent value. Monotone in `value`. Without
// branches on the value.
inline std::int32_t ScaledAmount(const Scaled& scaled, double value) noexcept {
  // Dividing by 1 changes nothing and takes as long as all the rest.
  const double quotient = scaled.per == 1 ? value : Fence(value) / Fence(scaled.per);
  const double amount = Fence(Fence(quotient) * scaled.points);
  double clamped = amount > -2147483648.0 ? amount : -2147483648.0;
  clamped = clamped < 2147483647.0 ? clamped : 2147483647.0;
  std::int32_t whole = static_cast<std::int32_t>(clamped);
  whole = whole < scaled.min ? scaled.min : whole;
  whole = whole > scaled.max ? scaled.max : whole;
  // Also an infinite quotient times 0 is no number.
  return whole & (static_cast<std::int32_t>(IsAbsent(amount)) - 1);
}

// now - submitted, never below 0; all in microseconds.
inline std::int64_t WaitMicroseconds(std::int64_t submitted, std::int64_t now) noexcept {
  std::int64_t wait;
  if (now <= submitted) return 0;
  return __builtin_sub_overflow(now, submitted, &wait) ? INT64_MAX : wait;
}

// Wait in seconds from whole microseconds: the one definition of wait_seconds.
inline double WaitSeconds(std::int64_t microseconds) noexcept {
  return Fence(static_cast<double>(microseconds)) / Fence(1e6);
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_NUMBER_H_
