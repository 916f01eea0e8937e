// Four 32-bit numbers, or two of 64 bits, at once. The machines are those of lanes.h.
#ifndef PRECEDENT_INTERNAL_QUAD_H_
#define PRECEDENT_INTERNAL_QUAD_H_

#include <cstdint>
#include <cstring>

#include "precedent/internal/abi.h"
#include "precedent/internal/lanes.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// The functions of a Quad:
//   LoadQuad(p)        four numbers from memory, of any alignment
//   FourOf(x)          four times x
//   TwoOf(p)           twice the 64-bit number at p, of any alignment
//   TopHalves(p)       the upper halves of the four 64-bit numbers at p, of any alignment
//   a & b, a | b, a + b
//   Same(a, b)         of each 32 bits all ones where they are equal, else 0
//   Reached(a, b)      the same of each 64 bits, where a >= b; both are not negative
//   AnyNegative(a)     whether any of the four is
//   Sum(a)             of the four, modulo 2^32
#if defined(__SSE2__) && !defined(PRECEDENT_PORTABLE_LANES)

struct Quad {
  __m128i v;
};

inline Quad LoadQuad(const void* p) noexcept {
  return {_mm_loadu_si128(static_cast<const __m128i*>(p))};
}
inline Quad FourOf(std::uint32_t x) noexcept { return {_mm_set1_epi32(static_cast<int>(x))}; }
inline Quad TwoOf(const void* p) noexcept {
  return {_mm_shuffle_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p)), 0x44)};
}
inline Quad TopHalves(const void* p) noexcept {
  const __m128i* numbers = static_cast<const __m128i*>(p);
  return {_mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(_mm_loadu_si128(numbers)),
                                          _mm_castsi128_ps(_mm_loadu_si128(numbers + 1)), 0xdd))};
}
inline Quad operator&(Quad a, Quad b) noexcept { return {_mm_and_si128(a.v, b.v)}; }
inline Quad operator|(Quad a, Quad b) noexcept { return {_mm_or_si128(a.v, b.v)}; }
inline Quad operator+(Quad a, Quad b) noexcept { return {_mm_add_epi32(a.v, b.v)}; }
inline Quad Same(Quad a, Quad b) noexcept { return {_mm_cmpeq_epi32(a.v, b.v)}; }
inline Quad Reached(Quad a, Quad b) noexcept {
  // The sign of the difference, all over.
  const __m128i top = _mm_shuffle_epi32(_mm_sub_epi64(a.v, b.v), 0xf5);
  return {_mm_cmpgt_epi32(top, _mm_set1_epi32(-1))};
}
inline bool AnyNegative(Quad a) noexcept { return _mm_movemask_ps(_mm_castsi128_ps(a.v)) != 0; }
inline std::uint32_t Sum(Quad a) noexcept {
  const __m128i pair = _mm_add_epi32(a.v, _mm_shuffle_epi32(a.v, 0x4e));
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32(pair, 0xb1))));
}

#elif defined(__ARM_NEON) && !defined(PRECEDENT_PORTABLE_LANES)

struct Quad {
  uint32x4_t v;
};

inline Quad LoadQuad(const void* p) noexcept {
  return {vreinterpretq_u32_u8(vld1q_u8(static_cast<const std::uint8_t*>(p)))};
}
inline Quad FourOf(std::uint32_t x) noexcept { return {vdupq_n_u32(x)}; }
inline Quad TwoOf(const void* p) noexcept {
  std::uint64_t number;
  std::memcpy(&number, p, sizeof number);
  return {vreinterpretq_u32_u64(vdupq_n_u64(number))};
}
inline Quad TopHalves(const void* p) noexcept {
  const std::uint8_t* bytes = static_cast<const std::uint8_t*>(p);
  return {vuzpq_u32(vreinterpretq_u32_u8(vld1q_u8(bytes)),
                    vreinterpretq_u32_u8(vld1q_u8(bytes + 16)))
              .val[1]};
}
inline Quad operator&(Quad a, Quad b) noexcept { return {vandq_u32(a.v, b.v)}; }
inline Quad operator|(Quad a, Quad b) noexcept { return {vorrq_u32(a.v, b.v)}; }
inline Quad operator+(Quad a, Quad b) noexcept { return {vaddq_u32(a.v, b.v)}; }
inline Quad Same(Quad a, Quad b) noexcept { return {vceqq_u32(a.v, b.v)}; }
inline Quad Reached(Quad a, Quad b) noexcept {
  const int64x2_t difference =
      vsubq_s64(vreinterpretq_s64_u32(a.v), vreinterpretq_s64_u32(b.v));
  return {vmvnq_u32(vreinterpretq_u32_s64(vshrq_n_s64(difference, 63)))};
}
inline bool AnyNegative(Quad a) noexcept {
  const uint32x2_t half = vorr_u32(vget_low_u32(a.v), vget_high_u32(a.v));
  return (vget_lane_u32(half, 0) | vget_lane_u32(half, 1)) >> 31 != 0;
}
inline std::uint32_t Sum(Quad a) noexcept {
  const uint32x2_t half = vadd_u32(vget_low_u32(a.v), vget_high_u32(a.v));
  return vget_lane_u32(half, 0) + vget_lane_u32(half, 1);
}

#else

struct Quad {
  std::uint32_t v[4];
};

template <typename F>
Quad EachOfFour(F f) noexcept {
  return {{f(0), f(1), f(2), f(3)}};
}
inline std::int64_t Number64(const void* numbers, int i) noexcept {
  std::int64_t number;
  std::memcpy(&number, static_cast<const char*>(numbers) + 8 * i, sizeof number);
  return number;
}
inline Quad LoadQuad(const void* p) noexcept {
  Quad result;
  std::memcpy(result.v, p, sizeof result.v);
  return result;
}
inline Quad FourOf(std::uint32_t x) noexcept { return {{x, x, x, x}}; }
inline Quad TwoOf(const void* p) noexcept {
  Quad result;
  std::memcpy(result.v, p, 8);
  std::memcpy(result.v + 2, p, 8);
  return result;
}
inline Quad TopHalves(const void* p) noexcept {
  return EachOfFour([&](int i) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(Number64(p, i)) >> 32);
  });
}
inline Quad operator&(Quad a, Quad b) noexcept {
  return EachOfFour([&](int i) { return a.v[i] & b.v[i]; });
}
inline Quad operator|(Quad a, Quad b) noexcept {
  return EachOfFour([&](int i) { return a.v[i] | b.v[i]; });
}
inline Quad operator+(Quad a, Quad b) noexcept {
  return EachOfFour([&](int i) { return a.v[i] + b.v[i]; });
}
inline Quad Same(Quad a, Quad b) noexcept {
  return EachOfFour([&](int i) { return std::uint32_t{0} - std::uint32_t{a.v[i] == b.v[i]}; });
}
inline Quad Reached(Quad a, Quad b) noexcept {
  return EachOfFour([&](int i) {
    return std::uint32_t{0} - std::uint32_t{Number64(a.v, i / 2) >= Number64(b.v, i / 2)};
  });
}
inline bool AnyNegative(Quad a) noexcept { return (a.v[0] | a.v[1] | a.v[2] | a.v[3]) >> 31 != 0; }
inline std::uint32_t Sum(Quad a) noexcept { return a.v[0] + a.v[1] + a.v[2] + a.v[3]; }

#endif

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_QUAD_H_
