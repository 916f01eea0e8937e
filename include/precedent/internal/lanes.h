// Eight 16-bit numbers at once, in one register where the machine has them.
//
// SSE2 and NEON by what the compiler gives for its baseline; plain loops elsewhere, and
// wherever PRECEDENT_PORTABLE_LANES is defined (in all of a program or nowhere in it).
#ifndef PRECEDENT_INTERNAL_LANES_H_
#define PRECEDENT_INTERNAL_LANES_H_

#include <cstdint>
#include <cstring>

#if defined(PRECEDENT_PORTABLE_LANES)
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "precedent/internal/abi.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// The functions of a Lanes type:
//   Load(p)             eight numbers from memory, of any alignment
//   Splat(x)            eight times x
//   a | b, AndNot(a, b) bitwise; the latter is ~a & b
//   Minus(a, b)         a - b modulo 2^16
//   Excess(a, b)        a - b, or 0 where b is larger
//   IsZero(a)           all ones where a is 0, else 0
//   Mask(a)             bit i: lane i of an IsZero result
//   LanesOf(mask)       the inverse of Mask
//   AddWhere(z, p, s)   adds to the four sums of s the int32 p[i] where lane i of the
//                       IsZero result z is set
#if defined(__SSE2__) && !defined(PRECEDENT_PORTABLE_LANES)

struct Lanes {
  __m128i v;
};
struct Sums {
  __m128i v = _mm_setzero_si128();
};

inline Lanes Load(const std::uint16_t* p) noexcept {
  return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
}
inline Lanes Splat(std::uint32_t x) noexcept {
  return {_mm_set1_epi16(static_cast<short>(static_cast<std::uint16_t>(x)))};
}
inline Lanes operator|(Lanes a, Lanes b) noexcept { return {_mm_or_si128(a.v, b.v)}; }
inline Lanes AndNot(Lanes a, Lanes b) noexcept { return {_mm_andnot_si128(a.v, b.v)}; }
inline Lanes Minus(Lanes a, Lanes b) noexcept { return {_mm_sub_epi16(a.v, b.v)}; }
inline Lanes Excess(Lanes a, Lanes b) noexcept { return {_mm_subs_epu16(a.v, b.v)}; }
inline Lanes IsZero(Lanes a) noexcept { return {_mm_cmpeq_epi16(a.v, _mm_setzero_si128())}; }
inline std::uint32_t Mask(Lanes a) noexcept {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(a.v, _mm_setzero_si128())));
}
inline Lanes LanesOf(std::uint32_t mask) noexcept {
  const __m128i weights = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
  const __m128i all = _mm_set1_epi16(static_cast<short>(mask));
  return {_mm_cmpeq_epi16(_mm_and_si128(all, weights), weights)};
}
inline void AddWhere(Lanes z, const std::int32_t* p, Sums* s) noexcept {
  const __m128i* points = reinterpret_cast<const __m128i*>(p);
  const __m128i low = _mm_and_si128(_mm_unpacklo_epi16(z.v, z.v), _mm_loadu_si128(points));
  const __m128i high = _mm_and_si128(_mm_unpackhi_epi16(z.v, z.v), _mm_loadu_si128(points + 1));
  s->v = _mm_add_epi32(s->v, _mm_add_epi32(low, high));
}
inline std::int32_t Total(Sums s) noexcept {
  const __m128i pair = _mm_add_epi32(s.v, _mm_shuffle_epi32(s.v, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32(pair, 0xb1)));
}

#elif defined(__ARM_NEON) && !defined(PRECEDENT_PORTABLE_LANES)

struct Lanes {
  uint16x8_t v;
};
struct Sums {
  int32x4_t v = vdupq_n_s32(0);
};

inline Lanes Load(const std::uint16_t* p) noexcept { return {vld1q_u16(p)}; }
inline Lanes Splat(std::uint32_t x) noexcept {
  return {vdupq_n_u16(static_cast<std::uint16_t>(x))};
}
inline Lanes operator|(Lanes a, Lanes b) noexcept { return {vorrq_u16(a.v, b.v)}; }
inline Lanes AndNot(Lanes a, Lanes b) noexcept { return {vbicq_u16(b.v, a.v)}; }
inline Lanes Minus(Lanes a, Lanes b) noexcept { return {vsubq_u16(a.v, b.v)}; }
inline Lanes Excess(Lanes a, Lanes b) noexcept { return {vqsubq_u16(a.v, b.v)}; }
inline Lanes IsZero(Lanes a) noexcept { return {vceqq_u16(a.v, vdupq_n_u16(0))}; }
inline std::uint32_t Mask(Lanes a) noexcept {
  // Each byte keeps the bit of its lane; folding adds them up.
  const std::uint8_t weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  uint8x8_t bits = vand_u8(vmovn_u16(a.v), vld1_u8(weights));
  bits = vpadd_u8(bits, bits);
  bits = vpadd_u8(bits, bits);
  bits = vpadd_u8(bits, bits);
  return vget_lane_u8(bits, 0);
}
inline Lanes LanesOf(std::uint32_t mask) noexcept {
  const std::uint16_t weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint16x8_t each = vld1q_u16(weights);
  const uint16x8_t bits = vandq_u16(vdupq_n_u16(static_cast<std::uint16_t>(mask)), each);
  return {vceqq_u16(bits, each)};
}
inline void AddWhere(Lanes z, const std::int32_t* p, Sums* s) noexcept {
  const int16x8_t all = vreinterpretq_s16_u16(z.v);
  const int32x4_t low = vandq_s32(vmovl_s16(vget_low_s16(all)), vld1q_s32(p));
  const int32x4_t high = vandq_s32(vmovl_s16(vget_high_s16(all)), vld1q_s32(p + 4));
  s->v = vaddq_s32(s->v, vaddq_s32(low, high));
}
inline std::int32_t Total(Sums s) noexcept {
  const int32x2_t pair = vadd_s32(vget_low_s32(s.v), vget_high_s32(s.v));
  return vget_lane_s32(vpadd_s32(pair, pair), 0);
}

#else

struct Lanes {
  std::uint16_t v[8];
};
struct Sums {
  std::uint32_t v = 0;  // modulo 2^32, as the others
};

template <typename F>
Lanes EachLane(F f) noexcept {
  Lanes result;
  for (int i = 0; i < 8; ++i) result.v[i] = static_cast<std::uint16_t>(f(i));
  return result;
}
inline Lanes Load(const std::uint16_t* p) noexcept {
  Lanes result;
  std::memcpy(result.v, p, sizeof result.v);
  return result;
}
inline Lanes Splat(std::uint32_t x) noexcept {
  return EachLane([&](int) { return x; });
}
inline Lanes operator|(Lanes a, Lanes b) noexcept {
  return EachLane([&](int i) { return a.v[i] | b.v[i]; });
}
inline Lanes AndNot(Lanes a, Lanes b) noexcept {
  return EachLane([&](int i) { return ~a.v[i] & b.v[i]; });
}
inline Lanes Minus(Lanes a, Lanes b) noexcept {
  return EachLane([&](int i) { return a.v[i] - b.v[i]; });
}
inline Lanes Excess(Lanes a, Lanes b) noexcept {
  return EachLane([&](int i) { return a.v[i] > b.v[i] ? a.v[i] - b.v[i] : 0; });
}
inline Lanes IsZero(Lanes a) noexcept {
  return EachLane([&](int i) { return a.v[i] == 0 ? 0xffff : 0; });
}
inline std::uint32_t Mask(Lanes a) noexcept {
  std::uint32_t mask = 0;
  for (int i = 0; i < 8; ++i) mask |= (a.v[i] & 1u) << i;
  return mask;
}
inline Lanes LanesOf(std::uint32_t mask) noexcept {
  return EachLane([&](int i) { return (mask >> i & 1) != 0 ? 0xffff : 0; });
}
inline void AddWhere(Lanes z, const std::int32_t* p, Sums* s) noexcept {
  for (int i = 0; i < 8; ++i)
    s->v += static_cast<std::uint32_t>(p[i]) & (std::uint32_t{0} - (z.v[i] & 1u));
}
inline std::int32_t Total(Sums s) noexcept { return static_cast<std::int32_t>(s.v); }

#endif

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_LANES_H_
