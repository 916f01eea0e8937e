#include "tests/reference/valid_until.h"

#include "gtest/gtest.h"
#include "tests/reference/test_policies.h"

namespace precedent::reference {
namespace {

// The time after `now` at which a policy with one rule is to be asked again.
std::optional<std::int64_t> Until(const std::string& rule, std::int64_t now,
                                  const std::string& job = "", const std::string& zone = "") {
  const v1::Policy policy =
      PolicyOf("time_zone: '" + zone + "' stages { rules { id: 'r' " + rule + " } }");
  return ValidUntil(policy, Conditions(policy), JobOf(job), now);
}

constexpr char kSubmittedAt100[] = "submitted { seconds: 100 }";

TEST(ReferenceValidUntilTest, NothingTimedIsForEver) {
  EXPECT_EQ(Until("add: 1", 0), std::nullopt);
  EXPECT_EQ(Until("when { team { in: 'a' } } add: 1", 0), std::nullopt);
}

TEST(ReferenceValidUntilTest, WaitBounds) {
  const char* above = "when { wait_seconds { above: 60 } }";
  EXPECT_EQ(Until(above, 100'000'000, kSubmittedAt100), 160'000'001);
  EXPECT_EQ(Until(above, 160'000'000, kSubmittedAt100), 160'000'001);
  EXPECT_EQ(Until(above, 160'000'001, kSubmittedAt100), std::nullopt);
  EXPECT_EQ(Until("when { wait_seconds { at_least: 60 } }", 0, kSubmittedAt100), 160'000'000);
  EXPECT_EQ(Until("when { wait_seconds { below: 60 } }", 0, kSubmittedAt100), 160'000'000);
  EXPECT_EQ(Until("when { wait_seconds { at_most: 60 } }", 0, kSubmittedAt100), 160'000'001);
  EXPECT_EQ(Until(above, 0), std::nullopt);  // absent for ever
  EXPECT_EQ(Until("when { wait_seconds { present: true } }", 0, kSubmittedAt100), std::nullopt);
}

TEST(ReferenceValidUntilTest, ANumberMatchIsOneConstraint) {
  const char* range = "when { wait_seconds { at_least: 60 below: 90 } }";
  EXPECT_EQ(Until(range, 0, kSubmittedAt100), 160'000'000);
  EXPECT_EQ(Until(range, 160'000'000, kSubmittedAt100), 190'000'000);
  EXPECT_EQ(Until(range, 190'000'000, kSubmittedAt100), std::nullopt);
  // `above: 10` turns true without the whole turning true.
  EXPECT_EQ(Until("when { wait_seconds { above: 10 at_least: 60 } }", 0, kSubmittedAt100),
            160'000'000);
}

TEST(ReferenceValidUntilTest, OtherConstraintsMustHoldButTimedOnesNeedNot) {
  EXPECT_EQ(Until("when { team { in: 'a' } wait_seconds { above: 60 } }", 0, kSubmittedAt100),
            std::nullopt);
  EXPECT_EQ(
      Until("when { hour_of_day { above: 22 } wait_seconds { at_least: 60 } }", 0, kSubmittedAt100),
      160'000'000);
  // The rule is over, and its amount still counts.
  EXPECT_EQ(Until("active_until { seconds: 50 } add_scaled { of: WAIT_SECONDS points: 1 }",
                  100'000'000, kSubmittedAt100),
            101'000'000);
}

TEST(ReferenceValidUntilTest, Activity) {
  const char* rule =
      "active_from { seconds: 10 nanos: 1 } active_until { seconds: 20 nanos: 999000000 }";
  EXPECT_EQ(Until(rule, 0), 10'000'001);
  EXPECT_EQ(Until(rule, 10'000'001), 20'999'000);
  EXPECT_EQ(Until(rule, 20'999'000), std::nullopt);
  EXPECT_EQ(Until("active_from { seconds: 20 } active_until { seconds: 10 }", 0), std::nullopt);
}

TEST(ReferenceValidUntilTest, ScaledWaitStepsUpAndDown) {
  EXPECT_EQ(
      Until("add_scaled { of: WAIT_SECONDS points: 1 per: 1800 max: 40 }", 0, kSubmittedAt100),
      1'900'000'000);
  EXPECT_EQ(
      Until("add_scaled { of: WAIT_SECONDS points: -1 per: 60 }", 160'000'000, kSubmittedAt100),
      220'000'000);
  EXPECT_EQ(Until("add_scaled { of: WAIT_SECONDS points: 1 min: 5 }", 100'000'000, kSubmittedAt100),
            106'000'000);
  EXPECT_EQ(Until("add_scaled { of: GPU_COUNT points: 1 }", 0, kSubmittedAt100), std::nullopt);
  EXPECT_EQ(Until("add_scaled { of: WAIT_SECONDS points: 0 }", 0, kSubmittedAt100), std::nullopt);
  // 0.3 points a second: the 3rd point comes where 10.0 / 1 * 0.3 >= 3 in double.
  EXPECT_EQ(Until("add_scaled { of: WAIT_SECONDS points: 0.3 }", 108'000'000, kSubmittedAt100),
            110'000'000);
}

TEST(ReferenceValidUntilTest, HoursInUtc) {
  const char* night = "when { hour_of_day { at_least: 22 } } when { hour_of_day { below: 6 } }";
  EXPECT_EQ(Until(night, At("2024-05-01T12:00:00Z")), At("2024-05-01T22:00:00Z"));
  EXPECT_EQ(Until(night, At("2024-05-01T22:00:00Z")), At("2024-05-02T00:00:00Z"));
  EXPECT_EQ(Until(night, At("2024-05-02T00:00:00Z")), At("2024-05-02T06:00:00Z"));
  EXPECT_EQ(Until("when { hour_of_day { above: 22 } }", At("2024-05-01T12:00:00.5Z")),
            At("2024-05-01T22:00:01Z"));
  EXPECT_EQ(Until("when { hour_of_day { below: 30 } }", At("2024-05-01T12:00:00Z")), std::nullopt);
}

TEST(ReferenceValidUntilTest, DaysInUtc) {
  const char* weekend = "when { day_of_week { at_least: 6 } }";
  EXPECT_EQ(Until(weekend, At("2024-05-01T12:00:00Z")), At("2024-05-04T00:00:00Z"));
  EXPECT_EQ(Until(weekend, At("2024-05-04T00:00:00Z")), At("2024-05-06T00:00:00Z"));
}

TEST(ReferenceValidUntilTest, LocalHoursStopAtTheNextTransition) {
  const char* rule = "when { hour_of_day { at_least: 6 } }";
  const auto until = [&](const std::string& now) {
    return Until(rule, At(now), "", "Europe/Berlin");
  };
  EXPECT_EQ(until("2024-03-30T12:00:00+01:00"), At("2024-03-31T00:00:00+01:00"));
  // The clocks go forward at 02:00 local time: looked at again there.
  EXPECT_EQ(until("2024-03-31T00:00:00+01:00"), At("2024-03-31T02:00:00+01:00"));
  EXPECT_EQ(until("2024-03-31T03:00:00+02:00"), At("2024-03-31T06:00:00+02:00"));
  EXPECT_EQ(until("2024-10-27T00:00:00+02:00"), At("2024-10-27T03:00:00+02:00"));
  EXPECT_EQ(until("2024-10-27T02:00:00+01:00"), At("2024-10-27T06:00:00+01:00"));
}

TEST(ReferenceValidUntilTest, TheTransitionCapsTheWholeMatch) {
  // Always true, and yet bounded by the transition; so is the wait beside it.
  EXPECT_EQ(
      Until("when { hour_of_day { below: 24 } }", At("2024-05-01T12:00:00Z"), "", "Europe/Berlin"),
      At("2024-10-27T01:00:00Z"));
  EXPECT_EQ(Until("when { day_of_week { below: 24 } wait_seconds { above: 1e9 } }",
                  At("2024-05-01T12:00:00Z"), kSubmittedAt100, "Europe/Berlin"),
            At("2024-10-27T01:00:00Z"));
  EXPECT_EQ(Until("when { wait_seconds { above: 1e9 } }", At("2000-05-01T12:00:00Z"),
                  kSubmittedAt100, "Europe/Berlin"),
            At("2001-09-09T01:48:20.000001Z"));
  // After the last known transition there are none.
  EXPECT_EQ(
      Until("when { hour_of_day { below: 24 } }", At("2099-12-01T12:00:00Z"), "", "Europe/Berlin"),
      std::nullopt);
}

}  // namespace
}  // namespace precedent::reference
