#include "precedent/backoff.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace precedent {
namespace {

using std::chrono::milliseconds;

BackoffOptions Options(std::int64_t initial, double factor, std::int64_t max, double jitter,
                       std::int32_t attempts) {
  BackoffOptions options;
  options.initial = milliseconds(initial);
  options.factor = factor;
  options.max = milliseconds(max);
  options.jitter = jitter;
  options.attempts = attempts;
  return options;
}

TEST(Backoff, GrowsToItsMaximumAndEnds) {
  const Backoff backoff(Options(1000, 2, 10'000, 0, 7));
  std::vector<std::int64_t> delays;
  for (std::int32_t attempt = 0; attempt < 7; ++attempt) {
    delays.push_back(backoff.Delay("job", attempt)->count());
  }
  EXPECT_THAT(delays, testing::ElementsAre(1000, 1000, 2000, 4000, 8000, 10'000, 10'000));
  EXPECT_FALSE(backoff.Delay("job", 7));
  EXPECT_FALSE(backoff.Delay("job", std::numeric_limits<std::int32_t>::max()));
}

// Written down: stored delays of an older release are computed again by a newer one.
TEST(Backoff, DelaysAreForEver) {
  const Backoff backoff(Options(30'000, 2, 3'600'000, 0.5, 10));
  EXPECT_EQ(backoff.Delay("a1b2", 1)->count(), 28'328);
  EXPECT_EQ(backoff.Delay("a1b2", 2)->count(), 45'474);
  EXPECT_EQ(backoff.Delay("", 9)->count(), 1'863'183);
}

TEST(Backoff, JitterSpreadsEvenlyWithinItsBounds) {
  const Backoff backoff(Options(10'000, 3, 1'000'000, 0.4, 5));
  int tenths[10] = {};
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t delay = backoff.Delay("job-" + std::to_string(i), 2)->count();
    ASSERT_GT(delay, 18'000 - 1);
    ASSERT_LE(delay, 30'000);
    ++tenths[std::min<std::int64_t>(9, (delay - 18'000) / 1200)];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 1000, 150);
}

TEST(Backoff, OptionsOutOfRangeAreTheNearest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Backoff backoff(Options(-5, nan, -7, nan, -1));
  EXPECT_EQ(backoff.options().initial.count(), 1);
  EXPECT_EQ(backoff.options().factor, 1);
  EXPECT_EQ(backoff.options().max.count(), 1);
  EXPECT_EQ(backoff.options().jitter, 0);
  EXPECT_FALSE(backoff.Delay("job", 1));
  EXPECT_EQ(backoff.Delay("job", 0)->count(), 1);
  const Backoff wild(Options(1, 1e300, std::int64_t{1} << 60, 5, 1 << 30));
  for (const std::int32_t attempt : {-1, 1, 2, 3, 1 << 29}) {
    const std::int64_t delay = wild.Delay("job", attempt)->count();
    EXPECT_GE(delay, 1);
    EXPECT_LE(delay, std::int64_t{1} << 60);
  }
}

// Bursts in any order, some placed after the state was stored and restored.
TEST(RequeueOrder, AMoreImportantJobNeverWaitsLonger) {
  std::mt19937_64 random(7);
  const Backoff backoff;
  int moved = 0;
  for (int burst = 0; burst < 2000; ++burst) {
    RequeueOrder order;
    struct Placed {
      std::int32_t importance;
      milliseconds wanted, delay;
    };
    std::vector<Placed> placed;
    const int jobs = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < jobs; ++i) {
      if (random() % 16 == 0) {
        RequeueOrder restored;
        order.ForEach([&](std::int32_t importance, milliseconds shortest, milliseconds longest) {
          EXPECT_EQ(restored.Place(importance, longest), longest);
          EXPECT_EQ(restored.Place(importance, shortest), shortest);
        });
        order = restored;
      }
      const auto importance = static_cast<std::int32_t>(random() % 20) - 10;
      const milliseconds wanted = *backoff.Delay(std::to_string(random()), 1 + random() % 9);
      placed.push_back({importance, wanted, order.Place(importance, wanted)});
      moved += placed.back().delay != wanted;
    }
    for (const Placed& a : placed) {
      for (const Placed& b : placed) {
        if (a.importance > b.importance) {
          ASSERT_LE(a.delay, b.delay);
        }
      }
    }
  }
  EXPECT_GT(moved, 1000);
}

TEST(RequeueOrder, MovesNoFurtherThanItMust) {
  RequeueOrder order;
  EXPECT_EQ(order.Place(5, milliseconds(100)), milliseconds(100));
  EXPECT_EQ(order.Place(5, milliseconds(300)), milliseconds(300));  // equals are free
  EXPECT_EQ(order.Place(4, milliseconds(200)), milliseconds(300));
  EXPECT_EQ(order.Place(6, milliseconds(200)), milliseconds(100));
  EXPECT_EQ(order.Place(3, milliseconds(900)), milliseconds(900));
}

TEST(DelayCarrier, LimitsOfTheServices) {
  EXPECT_EQ(CarrierOf(milliseconds(900'000)), DelayCarrier::kDelaySeconds);
  EXPECT_EQ(CarrierOf(milliseconds(900'001)), DelayCarrier::kVisibilityTimeout);
  EXPECT_EQ(CarrierOf(std::chrono::hours(12)), DelayCarrier::kVisibilityTimeout);
  EXPECT_EQ(CarrierOf(std::chrono::hours(12) + milliseconds(1)), DelayCarrier::kScheduler);
}

}  // namespace
}  // namespace precedent
