// ClassSet against std::set: every set over a small range.
#include "src/policy/class_set.h"

#include <cstdint>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace precedent::internal {
namespace {

constexpr std::uint32_t kCount = 7;

std::set<std::uint32_t> Members(unsigned mask) {
  std::set<std::uint32_t> members;
  for (std::uint32_t i = 0; i < kCount; ++i)
    if ((mask >> i & 1) != 0) members.insert(i);
  return members;
}

ClassSet Make(unsigned mask) {
  ClassSet::Intervals intervals;
  // From the last to the first: Union sorts.
  for (std::uint32_t i = kCount; i-- > 0;)
    if ((mask >> i & 1) != 0) intervals.push_back({i, i});
  return ClassSet::Union(intervals);
}

std::set<std::uint32_t> Members(const ClassSet& set) {
  std::set<std::uint32_t> members;
  std::int64_t last = -2;
  for (const Interval& i : set.intervals()) {
    EXPECT_GT(i.low, last + 1) << "intervals touch";
    for (std::uint32_t k = i.low; k <= i.high; ++k) members.insert(k);
    last = i.high;
  }
  return members;
}

TEST(ClassSet, EverySetAndComplement) {
  for (unsigned mask = 0; mask < 1u << kCount; ++mask) {
    const ClassSet set = Make(mask);
    EXPECT_EQ(Members(set), Members(mask));
    EXPECT_EQ(set.size(), Members(mask).size());
    EXPECT_EQ(set.empty(), mask == 0);
    EXPECT_EQ(set.IsAll(kCount), mask == (1u << kCount) - 1);
    EXPECT_EQ(Members(set.Complement(kCount)), Members(~mask));
    if (mask != 0) {
      EXPECT_EQ(set.lowest(), *Members(mask).begin());
    }
  }
}

TEST(ClassSet, EveryIntersection) {
  for (unsigned a = 0; a < 1u << kCount; ++a)
    for (unsigned b = 0; b < 1u << kCount; ++b)
      ASSERT_EQ(Members(Make(a).Intersect(Make(b))), Members(a & b)) << a << " " << b;
}

TEST(ClassSet, UnionJoinsWhatOverlaps) {
  EXPECT_EQ(Members(ClassSet::Union({{4, 6}, {0, 2}, {1, 1}, {5, 6}})), Members(0b1110111u));
  EXPECT_TRUE(ClassSet::Range(3, 2).empty());
}

}  // namespace
}  // namespace precedent::internal
