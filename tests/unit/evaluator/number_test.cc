#include "precedent/internal/number.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/job_descriptor.h"

namespace precedent::internal {
namespace {

using Limits = std::numeric_limits<double>;

TEST(NumberKey, OrdersAsTheNumbersDo) {
  const std::vector<double> ascending = {
      -Limits::infinity(), Limits::lowest(), -1e300, -2,  -1, -Limits::min(),
      -Limits::denorm_min(), 0, Limits::denorm_min(), Limits::min(), 0.5, 1,
      std::nextafter(1, 2), 4, 1e12, Limits::max(), Limits::infinity()};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t k = 0; k < ascending.size(); ++k)
      EXPECT_EQ(NumberKey(ascending[i]) < NumberKey(ascending[k]), i < k)
          << ascending[i] << " " << ascending[k];
  EXPECT_EQ(NumberKey(-0.0), NumberKey(0.0));
}

TEST(NumberKey, TheNextNumberHasTheNextKey) {
  for (double number : {0.0, 1.0, 4.0, 0.1, 1e12, -1.0, -0.1, Limits::denorm_min(), Limits::max()})
    EXPECT_EQ(NumberKey(std::nextafter(number, Limits::infinity())), NumberKey(number) + 1)
        << number;
}

TEST(IsAbsent, EveryNanAndNothingElse) {
  EXPECT_TRUE(IsAbsent(kAbsent));
  EXPECT_TRUE(IsAbsent(-kAbsent));
  EXPECT_TRUE(IsAbsent(Limits::signaling_NaN()));
  for (double number : {0.0, -0.0, 1.0, Limits::infinity(), -Limits::infinity(), Limits::max()})
    EXPECT_FALSE(IsAbsent(number)) << number;
}

Scaled Make(double points, double per) {
  Scaled scaled;
  scaled.points = points;
  scaled.per = per;
  scaled.min = INT32_MIN;
  scaled.max = INT32_MAX;
  return scaled;
}

TEST(ScaledAmount, TruncatesTowardZero) {
  EXPECT_EQ(ScaledAmount(Make(1, 1800), 3599), 1);
  EXPECT_EQ(ScaledAmount(Make(1, 1800), 3600), 2);
  EXPECT_EQ(ScaledAmount(Make(-1, 2), 3), -1);
  EXPECT_EQ(ScaledAmount(Make(-10, 1), 3), -30);
}

TEST(ScaledAmount, DividesBeforeItMultiplies) {
  // 49 / 49 * 49 is 49; 49 * (1 / 49) * 49 is not.
  for (int i = 1; i < 2000; ++i) {
    volatile double quotient = i / 49.0;
    EXPECT_EQ(ScaledAmount(Make(49, 49), i), static_cast<std::int32_t>(quotient * 49)) << i;
  }
}

TEST(ScaledAmount, ClampsToInt32ThenToMinAndMax) {
  EXPECT_EQ(ScaledAmount(Make(1, 1), 1e300), INT32_MAX);
  EXPECT_EQ(ScaledAmount(Make(-1, 1), 1e300), INT32_MIN);
  EXPECT_EQ(ScaledAmount(Make(1, 1e-300), 1e300), INT32_MAX);
  EXPECT_EQ(ScaledAmount(Make(1, 1), 2147483647.5), INT32_MAX);
  EXPECT_EQ(ScaledAmount(Make(-1, 1), 2147483648.5), INT32_MIN);
  EXPECT_EQ(ScaledAmount(Make(1, 1), 2147483646.9), INT32_MAX - 1);
  Scaled limited = Make(1, 1);
  limited.min = 3;
  limited.max = 7;
  EXPECT_EQ(ScaledAmount(limited, 0), 3);
  EXPECT_EQ(ScaledAmount(limited, 5), 5);
  EXPECT_EQ(ScaledAmount(limited, 1e300), 7);
  // Contradicting limits: max is applied last. (The compiler refuses them.)
  limited.min = 9;
  EXPECT_EQ(ScaledAmount(limited, 5), 7);
}

TEST(ScaledAmount, AnInfiniteQuotientTimesZeroAddsNothing) {
  Scaled scaled = Make(0, 1e-300);
  scaled.min = 5;
  EXPECT_EQ(ScaledAmount(scaled, 1e300), 0);
}

TEST(Wait, NeverBelowZeroAndNeverOverflows) {
  EXPECT_EQ(WaitMicroseconds(10, 25), 15);
  EXPECT_EQ(WaitMicroseconds(25, 10), 0);
  EXPECT_EQ(WaitMicroseconds(INT64_MIN + 1, INT64_MAX), INT64_MAX);
  EXPECT_EQ(WaitSeconds(1500000), 1.5);
}

}  // namespace
}  // namespace precedent::internal
