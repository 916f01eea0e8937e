// Policy.stability: what is held back, for how long, and what of it comes in the end.
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/reprioritise/fleet.h"

namespace precedent {
namespace {

std::string PolicyWith(const std::string& stability) {
  return R"(stages { rules { id: "reported" add_scaled { of: REPORTED_PRIORITY points: 1 } } }
    priority_classes { name: "high" at_least: 100 } priority_classes { name: "low" at_least: 0 }
    stability { )" + stability + " }";
}

class Stability : public ::testing::Test {
 protected:
  // The job reports a priority of its own, which is all that counts.
  void Report(double priority) {
    JobEvent event = Event("a", EventKind::kProgress, fleet.now);
    event.reported_priority = priority;
    fleet.Apply(event);
  }
  void Start(const std::string& stability) {
    fleet.Publish(PolicyWith(stability));
    fleet.Submit(Job("a", 0));
  }
  Fleet fleet;
};

TEST_F(Stability, SmallChangesAddUp) {
  Start("min_change: 10");
  Report(4);
  EXPECT_EQ(fleet.Told(), "");
  Report(9);
  EXPECT_EQ(fleet.Told(), "");
  Report(10);
  EXPECT_EQ(fleet.Told(), "a: 0.low -> 10.low PROGRESS\n");
  fleet.Advance(1'000'000);
  EXPECT_EQ(fleet.Told(), "");
}

TEST_F(Stability, AChangeOfClassIsNeverTooSmall) {
  Start("min_change: 50");
  Report(98);
  Report(101);
  EXPECT_EQ(fleet.Told(), "a: 98.low -> 101.high PROGRESS\n");
}

TEST_F(Stability, WaitsForTheIntervalAndPublishesWhatStandsThen) {
  Start("min_interval_seconds: 60");
  fleet.Advance(10);
  Report(1);
  EXPECT_EQ(fleet.Told(), "a: 0.low -> 1.low PROGRESS\n") << "the first is no change";
  fleet.Advance(30);
  Report(2);
  Report(3);
  EXPECT_EQ(fleet.Told(), "");
  EXPECT_EQ(fleet.reprioritiser.next_due(), At(70));
  fleet.Advance(69);
  EXPECT_EQ(fleet.Told(), "");
  fleet.Advance(70);
  EXPECT_EQ(fleet.Told(), "a: 1.low -> 3.low RELEASED\n");
  EXPECT_EQ(fleet.reprioritiser.counts().held_back, 2u);
}

TEST_F(Stability, WhatStandsNoMoreIsNotPublished) {
  Start("min_interval_seconds: 60");
  Report(1);
  Report(2);
  Report(1);
  EXPECT_EQ(fleet.reprioritiser.next_due(), kForever);
  fleet.Advance(1000);
  EXPECT_EQ(fleet.Told(), "");
}

TEST_F(Stability, AnHourHasOnlySoManyChanges) {
  Start("max_changes_per_hour: 2");
  Report(1);
  fleet.Advance(1000);
  Report(2);
  fleet.Advance(2000);
  Report(3);
  EXPECT_EQ(fleet.Told(), "");
  fleet.Advance(3599);
  EXPECT_EQ(fleet.Told(), "");
  fleet.Advance(3600);
  EXPECT_EQ(fleet.Told(), "a: 2.low -> 3.low RELEASED\n");
  Report(4);
  EXPECT_EQ(fleet.reprioritiser.next_due(), At(4600));
}

TEST_F(Stability, AtTheEndOfAllTimesNothingIsReleased) {
  Start("min_interval_seconds: 60");
  fleet.reprioritiser.Advance(kForever - std::chrono::seconds(1), nullptr);
  Report(1);
  EXPECT_EQ(fleet.Told(), "a: 0.low -> 1.low PROGRESS\n");
  Report(2);
  EXPECT_EQ(fleet.Told(), "");
  EXPECT_EQ(fleet.reprioritiser.next_due(), kForever);
}

TEST_F(Stability, AnEndedJobReleasesNothing) {
  Start("min_interval_seconds: 60");
  Report(1);
  Report(2);
  fleet.Apply(Cancelled("a", 1));
  EXPECT_EQ(fleet.reprioritiser.next_due(), kForever);
  fleet.Advance(1000);
  EXPECT_EQ(fleet.Told(), "");
  EXPECT_FALSE(fleet.reprioritiser.published("a").has_value());
}

TEST_F(Stability, APolicyWithoutLimitsReleasesWhatIsHeld) {
  Start("min_interval_seconds: 600 min_change: 5");
  Report(10);
  Report(20);
  fleet.Publish(PolicyWith(""));
  fleet.Advance(1);
  EXPECT_EQ(fleet.Told(), "a: 10.low -> 20.low RELEASED\n");
}

}  // namespace
}  // namespace precedent
