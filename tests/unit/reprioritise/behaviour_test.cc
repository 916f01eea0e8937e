// What moves a living job's priority, one cause at a time.
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/reprioritise/fleet.h"

namespace precedent {
namespace {

constexpr char kFleetPolicy[] = R"(
  stages { name: "base" mode: FIRST_MATCH
    rules { id: "production" when { environment { in: "production" } } set: 1000 }
    rules { id: "rest" set: 500 } }
  stages { name: "lineage"
    rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 } }
    rules { id: "steps" add_scaled { of: STEP points: 2 max: 100 } }
    rules { id: "reported" add_scaled { of: REPORTED_PRIORITY points: 1 min: -50 max: 50 } } }
  stages { name: "aging"
    rules { id: "waiting" order_only: true
            add_scaled { of: WAIT_SECONDS points: 1 per: 1800 max: 40 } } }
  priority_classes { name: "high" at_least: 900 } priority_classes { name: "low" at_least: 0 }
  propagation { from: DEPENDENTS decay_per_hop: 10 max_hops: 3 })";

JobDescriptor Production() {
  JobDescriptor job;
  job.environment = "production";
  return job;
}

JobDescriptor SubmittedAt(std::int64_t seconds) {
  JobDescriptor job;
  job.submitted = At(seconds);
  return job;
}

TEST(Reprioritiser, OwnFailuresSinkAndPreemptionsDoNot) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("a", 0));
  EXPECT_EQ(fleet.Told(), "a: 500.low SUBMITTED\n");
  fleet.Apply(Started("a", 1, 1));
  EXPECT_EQ(fleet.Told(), "");
  fleet.Apply(Failed("a", 2, Cause::kOwn, 1));
  EXPECT_EQ(fleet.Told(), "") << "it has ended";
  fleet.Apply(Started("a", 3, 2));
  EXPECT_EQ(fleet.Told(), "a: 500.low -> 490.low LINEAGE\n");
  fleet.Apply(Preempted("a", 4, 2));
  fleet.Apply(Started("a", 5, 3));
  EXPECT_EQ(fleet.Told(), "");
  EXPECT_EQ(fleet.Priority("a"), 490);
  fleet.Apply(Failed("a", 6, Cause::kInfrastructure, 3));
  fleet.Apply(Started("a", 7, 4));
  EXPECT_EQ(fleet.Told(), "");
}

TEST(Reprioritiser, ANewNameDoesNotClimbBack) {
  Fleet fleet(kFleetPolicy);
  for (int i = 0; i < 5; ++i) {
    const std::string id = "try" + std::to_string(i);
    fleet.Submit(Job(id, 10 * i).Key("train.py"));
    EXPECT_EQ(fleet.Priority(id), 500 - 10 * i) << id;
    fleet.Apply(Failed(id, 10 * i + 5));
  }
}

// The end of an attempt is known late: its retry sinks while it waits.
TEST(Reprioritiser, WhatBecomesKnownOfAParentReachesItsRetries) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 5).RetryOf("a"));
  fleet.Apply(Failed("a", 2));
  EXPECT_EQ(fleet.Told(), "b: 500.low -> 490.low LINEAGE\n");
}

TEST(Reprioritiser, ReportsCountAsFarAsThePolicyLetsThem) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("agent", 0));
  JobEvent report = Event("agent", EventKind::kProgress, 1);
  report.reported_priority = 30;
  fleet.Apply(report);
  EXPECT_EQ(fleet.Told(), "agent: 500.low -> 530.low PROGRESS\n");
  report.time = At(2);
  report.reported_priority = 1e9;
  fleet.Apply(report);
  EXPECT_EQ(fleet.Told(), "agent: 530.low -> 550.low PROGRESS\n");
  fleet.Apply(report);
  EXPECT_EQ(fleet.Told(), "");
  report.time = At(3);
  report.reported_priority = -1e9;
  fleet.Apply(report);
  EXPECT_EQ(fleet.Priority("agent"), 450);
}

TEST(Reprioritiser, AgingCostsNothingBeforeItCanChange) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("a", 0), SubmittedAt(0));
  EXPECT_EQ(fleet.reprioritiser.next_due(), At(1800));
  const std::uint64_t before = fleet.reprioritiser.counts().evaluations;
  for (int t = 1; t < 1800; t += 7) fleet.Advance(t);
  EXPECT_EQ(fleet.reprioritiser.counts().evaluations, before);
  fleet.Advance(1800);
  EXPECT_EQ(fleet.Told(), "a: 500.low -> 501.low AGING\n");
  // Several steps at once are one change.
  fleet.Advance(1800 * 5 + 3);
  EXPECT_EQ(fleet.Told(), "a: 501.low -> 505.low AGING\n");
  fleet.Advance(1800 * 1000);
  EXPECT_EQ(fleet.Priority("a"), 540);
  EXPECT_EQ(fleet.reprioritiser.next_due(), kForever);
  EXPECT_EQ(fleet.reprioritiser.counts().evaluations, before + 3);
}

TEST(Reprioritiser, AJobInheritsFromWhatWaitsForIt) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("prepare", 0));
  fleet.Submit(Job("train", 1).DependsOn("prepare"), Production());
  EXPECT_EQ(fleet.Told(),
            "train: 1000.high SUBMITTED\n"
            "prepare: 500.low -> 990.low PROPAGATION train\n")
      << "the class, and with it the right to evict, is its own";
  fleet.Apply(Cancelled("train", 2));
  EXPECT_EQ(fleet.Told(), "prepare: 990.low -> 500.low PROPAGATION train\n");
}

TEST(Reprioritiser, InheritsOverMaxHopsAndNoFurther) {
  Fleet fleet(kFleetPolicy);
  for (int i = 0; i < 5; ++i) {
    const std::string id = "j" + std::to_string(i);
    Job job(id, i);
    const std::string parent = "j" + std::to_string(i - 1);
    if (i > 0) job.DependsOn(parent);
    fleet.Submit(job, i == 4 ? Production() : JobDescriptor());
  }
  EXPECT_EQ(fleet.Priority("j3"), 990);
  EXPECT_EQ(fleet.Priority("j2"), 980);
  EXPECT_EQ(fleet.Priority("j1"), 970);
  EXPECT_EQ(fleet.Priority("j0"), 500);
  // Steps of an agent and retries do not wait for their parents.
  fleet.Submit(Job("step", 9).StepOf("j0"), Production());
  fleet.Submit(Job("retry", 9).RetryOf("j0"), Production());
  EXPECT_EQ(fleet.Priority("j0"), 500);
}

TEST(Reprioritiser, TheNextBestTakesOver) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("base", 0));
  for (int i = 0; i < 4; ++i) {
    const std::string id = "d" + std::to_string(i);
    fleet.Submit(Job(id, 1).DependsOn("base"), Production());
    JobEvent report = Event(id, EventKind::kProgress, 2);
    report.reported_priority = 10 * i;
    fleet.Apply(report);
  }
  EXPECT_EQ(fleet.Priority("base"), 1020);
  fleet.Apply(Cancelled("d3", 3));
  EXPECT_EQ(fleet.Told(), "base: 1020.low -> 1010.low PROPAGATION d2\n");
  fleet.Apply(Cancelled("d0", 3));
  EXPECT_EQ(fleet.Told(), "");
  fleet.Apply(Succeeded("d2", 3));
  fleet.Apply(Failed("d1", 3));
  EXPECT_EQ(fleet.Told(), "base: 1000.low -> 500.low PROPAGATION d1\n");
  // A failed job that runs again waits again.
  fleet.Apply(Started("d1", 4, 2));
  EXPECT_EQ(fleet.Told(), "d1: 1010.high -> 1000.high LINEAGE\n"
                          "base: 500.low -> 990.low PROPAGATION d1\n");
}

TEST(Reprioritiser, EndedJobsBetweenEndTheChain) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 1).DependsOn("a"));
  fleet.Submit(Job("c", 2).DependsOn("b"), Production());
  EXPECT_EQ(fleet.Priority("a"), 980);
  fleet.Apply(Cancelled("b", 3));
  EXPECT_EQ(fleet.Told(), "a: 980.low -> 500.low PROPAGATION c\n");
}

TEST(Reprioritiser, APolicySwapReachesEveryJobOnceInSlices) {
  Fleet fleet(kFleetPolicy);
  for (int i = 0; i < 10; ++i) fleet.Submit(Job("j" + std::to_string(i), 0));
  fleet.Publish("stages { rules { id: 'x' set: 7 } }");
  // An event in between is decided by the new policy at once.
  fleet.Apply(Started("j0", 1));
  EXPECT_EQ(fleet.Told(), "j0: 500.low -> 7 LINEAGE\n");
  EXPECT_EQ(fleet.reprioritiser.pending(), 9u);
  EXPECT_EQ(fleet.reprioritiser.next_due(), At(fleet.now));
  const std::uint64_t before = fleet.reprioritiser.counts().evaluations;
  EXPECT_EQ(fleet.Advance(1, 4), 5u);
  EXPECT_EQ(fleet.changes.size(), 4u);
  EXPECT_EQ(fleet.changes[0].reason, ChangeReason::kPolicy);
  fleet.Submit(Job("new", 1));
  fleet.Apply(Cancelled("j8", 1));
  EXPECT_EQ(fleet.Advance(1, 3), 1u);
  EXPECT_EQ(fleet.Advance(1, 3), 0u);
  EXPECT_EQ(fleet.reprioritiser.counts().evaluations, before + 8 + 1);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(fleet.Priority("j" + std::to_string(i)), i == 8 ? 500 : 7) << i;
  // The same policy again is no swap.
  fleet.Publish("stages { rules { id: 'x' set: 7 } }");
  EXPECT_EQ(fleet.Advance(2), 0u);
  EXPECT_EQ(fleet.reprioritiser.counts().evaluations, before + 9);
}

TEST(Reprioritiser, APolicyMayTurnInheritanceOnAndOff) {
  Fleet fleet("stages { rules { id: 'x' when { environment { in: 'production' } } set: 9 } }");
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 1).DependsOn("a"), Production());
  EXPECT_EQ(fleet.Priority("a"), 0);
  fleet.Publish(kFleetPolicy);
  fleet.Advance(1, 1);
  fleet.Advance(1, 1);
  EXPECT_EQ(fleet.Priority("a"), 990);
  fleet.Publish("stages { rules { id: 'x' when { environment { in: 'production' } } set: 9 } }");
  fleet.Advance(1);
  EXPECT_EQ(fleet.Told(), "a: 990.low -> 0 POLICY\nb: 1000.high -> 9 POLICY\n");
}

TEST(Reprioritiser, RefreshAsksForTheDescriptorAgain) {
  Fleet fleet(kFleetPolicy);
  fleet.Submit(Job("a", 0));
  fleet.store.Keep(*fleet.graph.Find("a"), "a", Production());
  fleet.changes.clear();
  ASSERT_TRUE(fleet.reprioritiser.Refresh("a", At(1), &fleet.changes).ok());
  EXPECT_EQ(fleet.Told(), "a: 500.low -> 1000.high REFRESHED\n");
  const auto published = fleet.reprioritiser.published("a");
  ASSERT_TRUE(published.has_value());
  EXPECT_EQ(published->priority, 1000);
  EXPECT_EQ(published->priority_class, "high");
}

TEST(Reprioritiser, TakesOverAGraphThatHoldsJobs) {
  LineageGraph graph;
  ASSERT_TRUE(graph.Submit(Job("a", 0)).ok());
  ASSERT_TRUE(graph.Submit(Job("b", 1).DependsOn("a")).ok());
  ASSERT_TRUE(graph.Submit(Job("over", 1)).ok());
  ASSERT_TRUE(graph.Apply(Succeeded("over", 2)).ok());
  LiveEvaluator live;
  ASSERT_EQ(live.Publish(testing::Compile(kFleetPolicy).evaluator()), PublishStatus::kPublished);
  DescriptorStore store;
  store.Keep(*graph.Find("a"), "a", {});
  store.Keep(*graph.Find("b"), "b", Production());
  Reprioritiser reprioritiser(&graph, &live, &store);
  std::vector<PriorityChange> changes;
  EXPECT_EQ(reprioritiser.Advance(At(3), &changes), 0u);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(reprioritiser.published("a")->priority, 990);
  EXPECT_EQ(reprioritiser.published("b")->priority, 1000);
  EXPECT_FALSE(reprioritiser.published("over").has_value());
}

// The graph's facts are no claim of the job, whatever its descriptor says.
TEST(Reprioritiser, FactsOfTheGraphAreVerified) {
  Fleet fleet(std::string(kFleetPolicy) + " require_verified: LINEAGE");
  JobDescriptor job;
  job.claimed = Bit(Attribute::kLineage);
  job.lineage.failure_count = 40;
  fleet.Submit(Job("a", 0), job);
  EXPECT_EQ(fleet.Priority("a"), 500);
  fleet.Apply(Failed("a", 1, Cause::kOwn, 1));
  fleet.Apply(Started("a", 2, 2));
  EXPECT_EQ(fleet.Priority("a"), 490);
}

// A job that is released while the policy that let it inherit is being replaced, and
// what it inherited from is gone.
TEST(Reprioritiser, InheritanceMayBeStaleInTheMiddleOfASwap) {
  const std::string limits = " stability { min_interval_seconds: 60 }";
  Fleet fleet(kFleetPolicy + limits);
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 1).DependsOn("a"));
  fleet.Submit(Job("c", 2).DependsOn("b"), Production());
  EXPECT_EQ(fleet.Priority("a"), 980);
  JobEvent report = Event("c", EventKind::kProgress, 2);
  report.reported_priority = 20;
  fleet.Apply(report);
  EXPECT_EQ(fleet.Told(), "c: 1000.high -> 1020.high PROGRESS\n") << "the others are held back";
  fleet.Publish("stages { rules { id: 'x' set: 7 } }" + limits);
  fleet.Apply(Cancelled("b", 3));
  EXPECT_EQ(fleet.Advance(60, 0), 2u);
  EXPECT_EQ(fleet.Told(), "a: 980.low -> 1000.low RELEASED\n") << "by the policy that it still has";
  fleet.Advance(500);
  EXPECT_EQ(fleet.Told(), "a: 1000.low -> 7 POLICY\nc: 1020.high -> 7 POLICY\n");
}

// One that goes up and down for ever leaves nothing behind.
TEST(Reprioritiser, MemoryDoesNotGrowWithChanges) {
  Fleet fleet(std::string(kFleetPolicy) + " stability { max_changes_per_hour: 1000000 }");
  fleet.Submit(Job("a", 0));
  fleet.Submit(Job("b", 1).DependsOn("a"), Production());
  std::uint64_t bytes = 0;
  for (int i = 0; i < 20'000; ++i) {
    fleet.now += 30;
    JobEvent report = Event("b", EventKind::kProgress, fleet.now);
    report.reported_priority = i % 40;
    fleet.Apply(report);
    if (i == 500) bytes = fleet.reprioritiser.counts().bytes;
  }
  EXPECT_LE(fleet.reprioritiser.counts().bytes, bytes);
}

// Nor does what a job inherited from it name the one that has its slot now.
TEST(Reprioritiser, ACauseThatIsForgottenIsNotAnotherJob) {
  LineageOptions options;
  options.retention = std::chrono::seconds(10);
  Fleet fleet(options);
  const std::string rules =
      "stages { rules { id: 'p' when { environment { in: 'production' } } set: 1000 } }";
  fleet.Publish(rules + " propagation { from: DEPENDENTS max_hops: 1 }");
  fleet.Submit(Job("base", 0));
  fleet.Submit(Job("train", 0).DependsOn("base"), Production());
  EXPECT_EQ(fleet.Priority("base"), 1000);
  const JobSlot slot = *fleet.graph.Find("train");
  fleet.Publish(rules);
  fleet.Apply(Cancelled("train", 1));
  fleet.Advance(100, 0);
  fleet.Submit(Job("other", 100));
  ASSERT_EQ(*fleet.graph.Find("other"), slot);
  fleet.Apply(Started("base", 101));
  EXPECT_EQ(fleet.Told(), "base: 1000 -> 0 PROPAGATION\n");
}

// What another job's slot was is nothing to the next one.
TEST(Reprioritiser, AForgottenJobsSlotStartsAfresh) {
  LineageOptions options;
  options.retention = std::chrono::seconds(10);
  Fleet fleet(options);
  fleet.Publish(kFleetPolicy);
  fleet.Submit(Job("base", 0));
  fleet.Submit(Job("train", 0).DependsOn("base"), Production());
  const JobSlot slot = *fleet.graph.Find("train");
  fleet.Apply(Cancelled("train", 1));
  fleet.Advance(100);
  ASSERT_FALSE(fleet.graph.Find("train").has_value());
  fleet.Submit(Job("other", 100), Production());
  ASSERT_EQ(*fleet.graph.Find("other"), slot);
  EXPECT_EQ(fleet.Told(), "other: 1000.high SUBMITTED\n");
  EXPECT_EQ(fleet.Priority("base"), 500);
}

}  // namespace
}  // namespace precedent
