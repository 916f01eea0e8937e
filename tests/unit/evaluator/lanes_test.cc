// The lanes of blocks, as whichever variant this file is compiled for (the build does
// it for each): against plain arithmetic.
#include "precedent/internal/lanes.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace precedent::internal {
namespace {

constexpr int kCount = 8;
using Numbers = std::vector<std::uint16_t>;

// What a vector of lanes holds, read through the functions that are there: lane i is
// x where it differs from x by nothing.
bool Holds(Lanes lanes, const Numbers& expected) {
  return Mask(IsZero(Minus(lanes, Load(expected.data())))) == 0xff;
}

template <typename F>
Numbers Each(const Numbers& a, const Numbers& b, F f) {
  Numbers result;
  for (int i = 0; i < kCount; ++i) result.push_back(static_cast<std::uint16_t>(f(a[i], b[i])));
  return result;
}

class Inputs {
 public:
  // The numbers around which 16 bits, signed or not, go wrong, and any other.
  Numbers Next() {
    static constexpr std::uint16_t kEdges[] = {0,      1,      2,      0x7ffe, 0x7fff,
                                               0x8000, 0x8001, 0xfffe, 0xffff};
    Numbers numbers;
    for (int i = 0; i < kCount; ++i)
      numbers.push_back(random_() % 2 == 0 ? kEdges[random_() % 9]
                                           : static_cast<std::uint16_t>(random_()));
    return numbers;
  }
  std::uint64_t Any() { return random_(); }

 private:
  std::mt19937_64 random_{7};
};

TEST(Lanes, IsTheVariantThatItIsCompiledFor) {
#if defined(PRECEDENT_PORTABLE_LANES)
  EXPECT_EQ(sizeof(Sums), 4u);
#else
  EXPECT_EQ(sizeof(Sums), 16u);
#endif
  EXPECT_EQ(sizeof(Lanes), 16u);
}

TEST(Lanes, MaskHasTheBitOfEachLane) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    Numbers numbers;
    for (int i = 0; i < kCount; ++i)
      numbers.push_back((bits >> i & 1) != 0 ? 0 : static_cast<std::uint16_t>(1u << (2 * i)));
    ASSERT_EQ(Mask(IsZero(Load(numbers.data()))), bits);
  }
}

TEST(Lanes, OnlyZeroIsZero) {
  for (std::uint32_t x = 0; x < 0x10000; ++x) {
    ASSERT_EQ(Mask(IsZero(Splat(x))), x == 0 ? 0xffu : 0u) << x;
    // Only the low 16 bits count.
    ASSERT_TRUE(Holds(Splat(x | 0xabcd0000u), Numbers(kCount, static_cast<std::uint16_t>(x)))) << x;
  }
}

TEST(Lanes, ComputeWhatTheirNamesSay) {
  Inputs inputs;
  for (int round = 0; round < 20'000; ++round) {
    const Numbers x = inputs.Next(), y = inputs.Next();
    const Lanes a = Load(x.data()), b = Load(y.data());
    ASSERT_TRUE(Holds(a | b, Each(x, y, [](int i, int j) { return i | j; })));
    ASSERT_TRUE(Holds(AndNot(a, b), Each(x, y, [](int i, int j) { return ~i & j; })));
    ASSERT_TRUE(Holds(Minus(a, b), Each(x, y, [](int i, int j) { return i - j; })));
    ASSERT_TRUE(Holds(Excess(a, b), Each(x, y, [](int i, int j) { return i > j ? i - j : 0; })));
  }
}

TEST(Lanes, LoadFromAnyAddress) {
  alignas(16) std::uint16_t memory[24];
  for (int i = 0; i < 24; ++i) memory[i] = static_cast<std::uint16_t>(i * 2749);
  for (int from = 0; from <= 16; ++from)
    ASSERT_TRUE(Holds(Load(memory + from), Numbers(memory + from, memory + from + kCount)));
}

TEST(Lanes, SumsAddWhatTheirLanesSay) {
  Inputs inputs;
  for (int round = 0; round < 2000; ++round) {
    Sums sums;
    std::uint32_t expected = 0;  // modulo 2^32
    EXPECT_EQ(Total(sums), 0);
    for (std::uint64_t n = 1 + inputs.Any() % 5; n > 0; --n) {
      Numbers numbers;
      std::int32_t points[kCount];
      for (int i = 0; i < kCount; ++i) {
        numbers.push_back(static_cast<std::uint16_t>(inputs.Any() % 2));
        points[i] = static_cast<std::int32_t>(inputs.Any());
        if (numbers.back() == 0) expected += static_cast<std::uint32_t>(points[i]);
      }
      AddWhere(IsZero(Load(numbers.data())), points, &sums);
    }
    ASSERT_EQ(Total(sums), static_cast<std::int32_t>(expected));
  }
}

}  // namespace
}  // namespace precedent::internal
