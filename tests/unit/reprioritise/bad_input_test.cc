// What must not go wrong.
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/reprioritise/fleet.h"

namespace precedent {
namespace {

constexpr char kFallbackPolicy[] = R"(stages { rules { id: "r" add_scaled { of: REPORTED_PRIORITY points: 1 } }
    rules { id: "g" add_scaled { of: GPU_COUNT points: 100 } } }
  fallback { priority: 33 priority_class: "low" } bounds { max: 1000000 }
  priority_classes { name: "low" at_least: 0 }
  propagation { from: DEPENDENTS decay_per_hop: 1 max_hops: 8 })";

TEST(ReprioritiserBadInput, WithoutAPolicyTheFallbackDecides) {
  Fleet fleet;
  fleet.Submit(Job("a", 0));
  EXPECT_EQ(fleet.Told(), "a: 500 SUBMITTED\n");
  fleet.Advance(10);
  EXPECT_EQ(fleet.reprioritiser.pending(), 0u);
  fleet.Publish(kFallbackPolicy);
  fleet.Advance(10);
  EXPECT_EQ(fleet.Told(), "a: 500 -> 0.low POLICY\n");
}

TEST(ReprioritiserBadInput, AnUnknownJobIsKeptOrAnError) {
  Fleet fleet(kFallbackPolicy);
  EXPECT_EQ(fleet.Apply(Started("ghost", 1)), Applied::kKept);
  EXPECT_EQ(fleet.Told(), "");
  LineageOptions options;
  options.max_kept_events = 0;
  Fleet strict(options);
  std::vector<PriorityChange> changes;
  EXPECT_EQ(strict.reprioritiser.Apply(Started("ghost", 1), At(1), &changes).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(strict.reprioritiser.Refresh("ghost", At(1), &changes).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(changes.empty());
}

TEST(ReprioritiserBadInput, WhatWasKeptMayEndAJobBeforeItComes) {
  Fleet fleet(kFallbackPolicy);
  fleet.Apply(Cancelled("a", 2));
  fleet.Submit(Job("a", 1));
  EXPECT_EQ(fleet.Told(), "") << "it has ended already";
  fleet.Advance(5);
  EXPECT_EQ(fleet.Told(), "");
}

TEST(ReprioritiserBadInput, ASecondSubmissionChangesNothing) {
  Fleet fleet(kFallbackPolicy);
  JobDescriptor job;
  job.gpu_count = 2;
  fleet.Submit(Job("a", 0), job);
  job.gpu_count = 9;
  EXPECT_EQ(fleet.Submit(Job("a", 0), job), Applied::kNothingNew);
  EXPECT_EQ(fleet.Told(), "");
  fleet.Apply(Started("a", 1));
  EXPECT_EQ(fleet.Priority("a"), 200);
}

// A full graph gives a job the slot of one that it forgets in the same call.
TEST(ReprioritiserBadInput, AFullGraph) {
  LineageOptions options;
  options.max_jobs = 2;
  Fleet fleet(options);
  fleet.Publish(kFallbackPolicy);
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 0));
  std::vector<PriorityChange> changes;
  EXPECT_EQ(fleet.reprioritiser.Submit(Job("c", 1), {}, At(1), &changes).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(changes.empty());
  fleet.Apply(Cancelled("a", 1));
  JobDescriptor job;
  job.gpu_count = 3;
  fleet.Submit(Job("c", 2), job);
  EXPECT_EQ(fleet.Told(), "c: 300.low SUBMITTED\n");
}

TEST(ReprioritiserBadInput, TimeGoingBackwardsChangesNothing) {
  Fleet fleet("stages { rules { id: 'w' add_scaled { of: WAIT_SECONDS points: 1 per: 10 } } }");
  JobDescriptor job;
  job.submitted = At(0);
  fleet.Submit(Job("a", 0), job);
  fleet.Advance(100);
  EXPECT_EQ(fleet.Priority("a"), 10);
  fleet.Advance(50);
  EXPECT_EQ(fleet.Told(), "");
  ASSERT_TRUE(fleet.reprioritiser.Refresh("a", At(50), &fleet.changes).ok());
  EXPECT_EQ(fleet.Told(), "");
  fleet.Apply(Started("a", -1000));
  EXPECT_EQ(fleet.Told(), "");
  // An event of the far future ages nobody.
  JobEvent late = Started("a", 0, 2);
  late.time = kForever;
  fleet.Apply(late);
  EXPECT_EQ(fleet.Told(), "");
}

class Ignorant : public DescriptorSource {
 public:
  void Keep(JobSlot, std::string_view, const JobDescriptor&) override {}
  void Drop(JobSlot) override {}
  bool Describe(JobSlot, std::string_view job, JobDescriptor* descriptor) override {
    if (!knows) return false;
    EXPECT_EQ(job, "a");
    descriptor->gpu_count = 4;
    return true;
  }
  bool knows = false;
};

TEST(ReprioritiserBadInput, AnUndescribedJobHasTheFallback) {
  Ignorant source;
  Fleet fleet({}, &source);
  fleet.Publish(kFallbackPolicy);
  fleet.Submit(Job("a", 0));
  EXPECT_EQ(fleet.Told(), "a: 33.low SUBMITTED\n");
  EXPECT_EQ(fleet.reprioritiser.counts().undescribed, 1u);
  source.knows = true;
  fleet.changes.clear();
  ASSERT_TRUE(fleet.reprioritiser.Refresh("a", At(1), &fleet.changes).ok());
  EXPECT_EQ(fleet.Told(), "a: 33.low -> 400.low REFRESHED\n");
}

// In the order that is worst for whoever searches all others for the next best.
TEST(ReprioritiserBadInput, AHundredThousandDependents) {
  constexpr int kCount = 100'000;
  Fleet fleet(kFallbackPolicy);
  std::vector<PriorityChange> changes;
  const auto id = [](int i) { return "d" + std::to_string(i); };
  ASSERT_TRUE(fleet.reprioritiser.Submit(Job("base", 0), {}, At(0), &changes).ok());
  for (int i = 0; i < kCount; ++i) {
    JobDescriptor job;
    job.gpu_count = 1 + i / 100;
    const std::string name = id(i);
    ASSERT_TRUE(
        fleet.reprioritiser.Submit(Job(name, 1).DependsOn("base"), job, At(0), &changes).ok());
  }
  EXPECT_EQ(fleet.reprioritiser.published("base")->priority, kCount - 1);
  changes.clear();
  for (int i = kCount; i-- > 0;) {
    const std::string name = id(i);
    ASSERT_TRUE(fleet.reprioritiser.Apply(Cancelled(name, 2), At(0), &changes).ok());
    if (i % 5000 == 0) {
      const int expected = i == 0 ? 0 : 100 * (1 + (i - 1) / 100) - 1;
      ASSERT_EQ(fleet.reprioritiser.published("base")->priority, expected) << i;
    }
  }
  EXPECT_EQ(changes.size(), 1000u) << "once for each priority";
}

TEST(ReprioritiserBadInput, OddPriorities) {
  Fleet fleet(R"(stages { rules { id: "r" add_scaled { of: REPORTED_PRIORITY points: 1 } } }
    bounds { min: -2147483648 max: 2147483647 }
    stability { min_change: 2147483647 }
    propagation { from: DEPENDENTS decay_per_hop: 2147483647 max_hops: 2147483647 })");
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 0).DependsOn("a"));
  for (const double reported : {1e300, -1e300, 1e300}) {
    fleet.now += 1;
    JobEvent event = Event("b", EventKind::kProgress, fleet.now);
    event.reported_priority = reported;
    fleet.Apply(event);
  }
  EXPECT_EQ(fleet.Priority("b"), 2147483647);
  EXPECT_EQ(fleet.Priority("a"), 0);
}

}  // namespace
}  // namespace precedent
