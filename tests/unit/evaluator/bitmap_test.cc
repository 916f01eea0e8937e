// RuleBitmap beside a std::set.
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/internal/rule_bitmap.h"

namespace precedent::internal {
namespace {

std::vector<std::uint32_t> Read(const RuleBitmap& bitmap) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = bitmap.Next(0); i != kWindow; i = bitmap.Next(i + 1))
    members.push_back(i);
  return members;
}

TEST(RuleBitmap, MirrorsASet) {
  std::mt19937 random(5);
  auto bitmap = std::make_unique<RuleBitmap>();
  for (int round = 0; round < 300; ++round) {
    // Cleared, not made anew: what an earlier round left must not show.
    bitmap->Clear();
    std::set<std::uint32_t> twin;
    const int count = round % 3 == 0 ? 3 : round % 3 == 1 ? 100 : 5000;
    const std::uint32_t range = round % 2 == 0 ? 200 : kWindow;
    for (int i = 0; i < count; ++i) {
      const std::uint32_t member = random() % range;
      bitmap->Insert(member);
      twin.insert(member);
    }
    ASSERT_EQ(Read(*bitmap), std::vector<std::uint32_t>(twin.begin(), twin.end())) << round;
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t from = random() % (kWindow + 2);
      const auto expected = twin.lower_bound(from);
      ASSERT_EQ(bitmap->Next(from), expected == twin.end() ? kWindow : *expected) << from;
    }
  }
}

TEST(RuleBitmap, EndsOfTheWindow) {
  auto bitmap = std::make_unique<RuleBitmap>();
  bitmap->Clear();
  EXPECT_EQ(bitmap->Next(0), kWindow);
  EXPECT_EQ(bitmap->Next(kWindow - 1), kWindow);
  EXPECT_EQ(bitmap->Next(kWindow), kWindow);
  bitmap->Insert(kWindow - 1);
  EXPECT_EQ(bitmap->Next(0), kWindow - 1);
  bitmap->Insert(0);
  EXPECT_EQ(Read(*bitmap), (std::vector<std::uint32_t>{0, kWindow - 1}));
}

}  // namespace
}  // namespace precedent::internal
