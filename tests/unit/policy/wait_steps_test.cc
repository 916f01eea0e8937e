// The table of the waits at which an amount changes.
#include "src/policy/wait_steps.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "precedent/internal/number.h"

namespace precedent::internal {
namespace {

constexpr std::int64_t kLastWait = std::numeric_limits<std::int64_t>::max() - 1;

Scaled Make(double points, double per, std::int32_t min = std::numeric_limits<std::int32_t>::min(),
            std::int32_t max = std::numeric_limits<std::int32_t>::max()) {
  Scaled scaled;
  scaled.points = points;
  scaled.per = per;
  scaled.min = min;
  scaled.max = max;
  return scaled;
}

std::int32_t AmountAt(const Scaled& scaled, std::int64_t wait) {
  return ScaledAmount(scaled, WaitSeconds(wait));
}

// Everything that clock.h takes for granted.
void ExpectRight(Scaled scaled) {
  SCOPED_TRACE(::testing::Message() << scaled.points << " per " << scaled.per << " from "
                                    << scaled.min << " to " << scaled.max);
  Rows<Step> steps(3);  // those of other rules
  WriteWaitSteps(&scaled, &steps);
  if (scaled.step_count == 0) {
    EXPECT_EQ(steps.size(), 3u);
    return;
  }
  ASSERT_EQ(scaled.step_begin, 3u);
  ASSERT_EQ(steps.size(), 3u + scaled.step_count);
  const Step* step = steps.data() + scaled.step_begin;
  EXPECT_EQ(step[0].wait, 0);
  for (std::uint32_t i = 0; i < scaled.step_count; ++i) {
    ASSERT_EQ(step[i].amount, AmountAt(scaled, step[i].wait)) << i;
    if (i == 0) continue;
    ASSERT_GT(step[i].wait, step[i - 1].wait) << i;
    // The amount is monotone: equal at both ends, it is equal between.
    ASSERT_NE(step[i].amount, step[i - 1].amount) << i;
    ASSERT_EQ(step[i - 1].amount, AmountAt(scaled, step[i].wait - 1)) << i;
    const double guess = static_cast<double>(step[i].wait) * scaled.steps_per_microsecond -
                         static_cast<double>(scaled.first_step);
    ASSERT_LE(std::fabs(guess - i), 1.0) << i;
  }
  const bool ends = step[scaled.step_count - 1].amount == AmountAt(scaled, kLastWait);
  // A full table does not say whether it ends: what is after it is computed.
  EXPECT_EQ(scaled.last_step != 0, ends && scaled.step_count < 256);
}

TEST(WaitSteps, AreWhereTheAmountChanges) {
  for (const double points : {1.0, -1.0, 0.5, -0.3, 3.0, 10.0, 0.1, 1e6, -1e9, 1e-9, 4.9e-324,
                              1e300, 0.0, 1.0 / 3})
    for (const double per : {1.0, 60.0, 1800.0, 0.7, 1e-6, 1e-3, 86400.0, 1e9, 1e300}) {
      ExpectRight(Make(points, per));
      ExpectRight(Make(points, per, -5, 5));
      ExpectRight(Make(points, per, 3));
      ExpectRight(Make(points, per, -1000, -3));
      ExpectRight(Make(points, per, 7, 7));
      ExpectRight(Make(points, per, 0, 254));
      ExpectRight(Make(points, per, 0, 255));
      ExpectRight(Make(points, per, 0, 256));
    }
}

TEST(WaitSteps, AreAtMost256) {
  for (const std::int32_t max : {254, 255, 256, 1000}) {
    Scaled scaled = Make(1, 60, 0, max);
    Rows<Step> steps;
    WriteWaitSteps(&scaled, &steps);
    EXPECT_EQ(scaled.step_count, max == 254 ? 255u : 256u);
    EXPECT_EQ(scaled.last_step, max == 254 ? 1u : 0u) << max;
  }
}

TEST(WaitSteps, OfAConstantAreOne) {
  for (const Scaled& constant : {Make(0, 1), Make(1, 60, 7, 7), Make(4.9e-324, 1e300)}) {
    Scaled scaled = constant;
    Rows<Step> steps;
    WriteWaitSteps(&scaled, &steps);
    EXPECT_EQ(scaled.step_count, 1u);
    EXPECT_EQ(scaled.last_step, 1u);
  }
}

TEST(WaitSteps, ThereAreNoneWhereAMicrosecondPassesSeveral) {
  Scaled scaled = Make(1e9, 1);
  Rows<Step> steps;
  WriteWaitSteps(&scaled, &steps);
  EXPECT_EQ(scaled.step_count, 0u);
  EXPECT_TRUE(steps.empty());
}

}  // namespace
}  // namespace precedent::internal
