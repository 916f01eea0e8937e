// The NEON functions that lanes.h uses, in plain C++ by Arm's description of them: so
// that this variant is tested on any machine. Not for anything but lanes_neon_test.
#ifndef PRECEDENT_TESTS_UNIT_EVALUATOR_NEON_ARM_NEON_H_
#define PRECEDENT_TESTS_UNIT_EVALUATOR_NEON_ARM_NEON_H_

#include <cstdint>

namespace neon {

template <typename T, int kLanes>
struct Vector {
  T lane[kLanes];
};

template <typename T, int kLanes, typename F>
Vector<T, kLanes> Make(F f) {
  Vector<T, kLanes> v{};
  for (int i = 0; i < kLanes; ++i) v.lane[i] = static_cast<T>(f(i));
  return v;
}

}  // namespace neon

using uint16x8_t = neon::Vector<std::uint16_t, 8>;
using int16x8_t = neon::Vector<std::int16_t, 8>;
using int16x4_t = neon::Vector<std::int16_t, 4>;
using uint8x8_t = neon::Vector<std::uint8_t, 8>;
using int32x4_t = neon::Vector<std::int32_t, 4>;
using int32x2_t = neon::Vector<std::int32_t, 2>;

inline uint16x8_t vld1q_u16(const std::uint16_t* p) {
  return neon::Make<std::uint16_t, 8>([&](int i) { return p[i]; });
}
inline int32x4_t vld1q_s32(const std::int32_t* p) {
  return neon::Make<std::int32_t, 4>([&](int i) { return p[i]; });
}
inline uint8x8_t vld1_u8(const std::uint8_t* p) {
  return neon::Make<std::uint8_t, 8>([&](int i) { return p[i]; });
}
inline uint16x8_t vdupq_n_u16(std::uint16_t x) {
  return neon::Make<std::uint16_t, 8>([&](int) { return x; });
}
inline int32x4_t vdupq_n_s32(std::int32_t x) {
  return neon::Make<std::int32_t, 4>([&](int) { return x; });
}
inline uint16x8_t vorrq_u16(uint16x8_t a, uint16x8_t b) {
  return neon::Make<std::uint16_t, 8>([&](int i) { return a.lane[i] | b.lane[i]; });
}
// Bit clear: a & ~b.
inline uint16x8_t vbicq_u16(uint16x8_t a, uint16x8_t b) {
  return neon::Make<std::uint16_t, 8>([&](int i) { return a.lane[i] & ~b.lane[i]; });
}
inline uint16x8_t vsubq_u16(uint16x8_t a, uint16x8_t b) {
  return neon::Make<std::uint16_t, 8>([&](int i) { return a.lane[i] - b.lane[i]; });
}
// Saturating.
inline uint16x8_t vqsubq_u16(uint16x8_t a, uint16x8_t b) {
  return neon::Make<std::uint16_t, 8>(
      [&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] - b.lane[i] : 0; });
}
inline uint16x8_t vandq_u16(uint16x8_t a, uint16x8_t b) {
  return neon::Make<std::uint16_t, 8>([&](int i) { return a.lane[i] & b.lane[i]; });
}
inline uint16x8_t vceqq_u16(uint16x8_t a, uint16x8_t b) {
  return neon::Make<std::uint16_t, 8>([&](int i) { return a.lane[i] == b.lane[i] ? 0xffff : 0; });
}
// The low halves.
inline uint8x8_t vmovn_u16(uint16x8_t a) {
  return neon::Make<std::uint8_t, 8>([&](int i) { return a.lane[i] & 0xff; });
}
inline uint8x8_t vand_u8(uint8x8_t a, uint8x8_t b) {
  return neon::Make<std::uint8_t, 8>([&](int i) { return a.lane[i] & b.lane[i]; });
}
// Sums of neighbours, those of a first.
inline uint8x8_t vpadd_u8(uint8x8_t a, uint8x8_t b) {
  return neon::Make<std::uint8_t, 8>([&](int i) {
    const uint8x8_t& from = i < 4 ? a : b;
    return from.lane[i % 4 * 2] + from.lane[i % 4 * 2 + 1];
  });
}
inline std::uint8_t vget_lane_u8(uint8x8_t a, int i) { return a.lane[i]; }
inline int16x8_t vreinterpretq_s16_u16(uint16x8_t a) {
  return neon::Make<std::int16_t, 8>([&](int i) { return a.lane[i]; });
}
inline int16x4_t vget_low_s16(int16x8_t a) {
  return neon::Make<std::int16_t, 4>([&](int i) { return a.lane[i]; });
}
inline int16x4_t vget_high_s16(int16x8_t a) {
  return neon::Make<std::int16_t, 4>([&](int i) { return a.lane[i + 4]; });
}
inline int32x4_t vmovl_s16(int16x4_t a) {
  return neon::Make<std::int32_t, 4>([&](int i) { return a.lane[i]; });
}
inline int32x4_t vandq_s32(int32x4_t a, int32x4_t b) {
  return neon::Make<std::int32_t, 4>([&](int i) { return a.lane[i] & b.lane[i]; });
}
inline int32x4_t vaddq_s32(int32x4_t a, int32x4_t b) {
  return neon::Make<std::int32_t, 4>([&](int i) {
    return static_cast<std::uint32_t>(a.lane[i]) + static_cast<std::uint32_t>(b.lane[i]);
  });
}
inline int32x2_t vget_low_s32(int32x4_t a) {
  return neon::Make<std::int32_t, 2>([&](int i) { return a.lane[i]; });
}
inline int32x2_t vget_high_s32(int32x4_t a) {
  return neon::Make<std::int32_t, 2>([&](int i) { return a.lane[i + 2]; });
}
inline int32x2_t vadd_s32(int32x2_t a, int32x2_t b) {
  return neon::Make<std::int32_t, 2>([&](int i) {
    return static_cast<std::uint32_t>(a.lane[i]) + static_cast<std::uint32_t>(b.lane[i]);
  });
}
inline int32x2_t vpadd_s32(int32x2_t a, int32x2_t b) {
  return neon::Make<std::int32_t, 2>([&](int i) {
    const int32x2_t& from = i < 1 ? a : b;
    return static_cast<std::uint32_t>(from.lane[0]) + static_cast<std::uint32_t>(from.lane[1]);
  });
}
inline std::int32_t vget_lane_s32(int32x2_t a, int i) { return a.lane[i]; }

#endif  // PRECEDENT_TESTS_UNIT_EVALUATOR_NEON_ARM_NEON_H_
