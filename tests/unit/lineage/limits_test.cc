// What is refused, and that it changes nothing; what is forgotten, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "precedent/lineage.h"
#include "precedent/lineage_journal.h"
#include "tests/unit/lineage/build.h"
#include "tests/unit/lineage/saved.h"

namespace precedent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using absl::StatusCode;

LineageOptions Small() {
  LineageOptions options;
  options.max_jobs = 5;
  options.max_depth = 3;
  options.max_children = 2;
  options.max_parents = 2;
  options.max_kept_events = 0;
  options.retention = std::chrono::seconds(100);
  options.retry_window = std::chrono::seconds(1000);
  return options;
}

class Refusals : public testing::Test {
 protected:
  void Refused(const Submission& submission, StatusCode code, const std::string& why) {
    Expect([&] { return graph_.Submit(submission).status(); }, code, why);
  }
  void Refused(const JobEvent& event, StatusCode code, const std::string& why) {
    Expect([&] { return graph_.Apply(event).status(); }, code, why);
  }
  template <typename Call>
  void Expect(Call&& call, StatusCode code, const std::string& why) {
    const std::string before = Saved(graph_);
    const absl::Status status = call();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
    EXPECT_EQ(Saved(graph_), before) << "it changed the graph: " << why;
  }
  void Taken(const Submission& submission) {
    const auto result = graph_.Submit(submission);
    ASSERT_TRUE(result.ok()) << result.status();
  }

  LineageGraph graph_{Small()};
};

TEST_F(Refusals, OfSubmissions) {
  Taken(Job("a", 10));
  Taken(Job("b", 20).DependsOn("a"));
  Refused(Job("", 0), StatusCode::kInvalidArgument, "a job has no id");
  Refused(Job(std::string(513, 'i'), 0), StatusCode::kInvalidArgument, "its id has 513 bytes");
  Refused(Job("c", 0).Key(std::string(513, 'k')), StatusCode::kInvalidArgument, "lineage_key");
  Submission untimed;
  untimed.id = "c";
  Refused(untimed, StatusCode::kInvalidArgument, "job `c`: it has no time of submission");
  Refused(Job("c", 30).RetryOf("c"), StatusCode::kInvalidArgument, "job `c`: it is its own parent");
  Refused(Job("c", 30).RetryOf("x"), StatusCode::kNotFound, "parent `x` was never submitted");
  Refused(Job("c", 30).RetryOf(""), StatusCode::kInvalidArgument, "a parent has no id");
  Refused(Job("c", 30).Of(static_cast<Relation>(7), "a"), StatusCode::kInvalidArgument,
          "relation 7 to parent `a`");
  Refused(Job("c", 5).DependsOn("a"), StatusCode::kInvalidArgument,
          "parent `a` was submitted after it");
  Refused(Job("c", 30).Owner("others").DependsOn("a"), StatusCode::kPermissionDenied,
          "parent `a` belongs to another owner than `others`");
  // b descends from a.
  Refused(Job("a", 10).DependsOn("b"), StatusCode::kInvalidArgument,
          "parent `b` makes a cycle");
  Refused(Job("a", 10).Owner("others"), StatusCode::kAlreadyExists, "another owner");
  Refused(Job("b", 20), StatusCode::kAlreadyExists, "with other parents");
  Refused(Job("b", 20).RetryOf("a"), StatusCode::kAlreadyExists, "with other parents");
  Refused(Job("b", 20).DependsOn("a").Key("k"), StatusCode::kAlreadyExists, "another lineage key");
  Lineage odd;
  odd.failure_count = -1;
  Refused(Job("c", 30).Carries(odd), StatusCode::kInvalidArgument, "below 0");
  odd = {};
  odd.progress = 1.5;
  Refused(Job("c", 30).Carries(odd), StatusCode::kInvalidArgument, "out of range");
  EXPECT_EQ(*graph_.Submit(Job("b", 21).DependsOn("a").DependsOn("a")), Applied::kNothingNew);
}

TEST_F(Refusals, NameTheLimit) {
  Taken(Job("a", 0));
  Taken(Job("b", 1).DependsOn("a"));
  Taken(Job("c", 2).DependsOn("b").StepOf("a"));
  Refused(Job("x", 3).DependsOn("a"), StatusCode::kResourceExhausted,
          "parent `a` has max_children (2) already");
  Refused(Job("x", 3).DependsOn("a").DependsOn("b").DependsOn("c"), StatusCode::kResourceExhausted,
          "it has 3 parents, more than max_parents (2)");
  Taken(Job("d", 3).DependsOn("c"));
  Refused(Job("x", 4).DependsOn("d"), StatusCode::kResourceExhausted,
          "its depth of 4 is above max_depth (3)");
  Lineage deep;
  deep.depth = INT64_MAX;
  Refused(Job("x", 4).Carries(deep), StatusCode::kResourceExhausted, "above max_depth (3)");
  Taken(Job("e", 4));
  Refused(Job("x", 5), StatusCode::kResourceExhausted, "the graph holds max_jobs (5) already");
}

TEST_F(Refusals, OfEvents) {
  Taken(Job("a", 10));
  Refused(Failed("x", 1), StatusCode::kNotFound, "event about job `x`: no such job");
  Refused(Failed("", 1), StatusCode::kInvalidArgument, "it names no job");
  JobEvent event = Failed("a", 1);
  event.time = kNoTime;
  Refused(event, StatusCode::kInvalidArgument, "event about job `a`: it has no time");
  Refused(Failed("a", 1, Cause::kOwn, -1), StatusCode::kInvalidArgument, "attempt -1");
  Refused(Failed("a", 1, Cause::kOwn, (1 << 24) + 1), StatusCode::kInvalidArgument, "attempt 16777217");
  Refused(Failed("a", 1, static_cast<Cause>(3)), StatusCode::kInvalidArgument, "cause 3");
  Refused(Event("a", static_cast<EventKind>(0), 1), StatusCode::kInvalidArgument, "kind 0");
  Refused(Event("a", static_cast<EventKind>(8), 1), StatusCode::kInvalidArgument, "kind 8");
  event = Event("a", EventKind::kProgress, 1);
  event.progress = -0.5;
  Refused(event, StatusCode::kInvalidArgument, "progress is not from 0 to 1");
  event.progress = 0.5;
  event.reported_priority = HUGE_VAL;
  Refused(event, StatusCode::kInvalidArgument, "reported_priority is not finite");
}

TEST(Limits, OfKeptEvents) {
  LineageOptions options;
  options.max_jobs = 64;
  options.max_kept_events = 2;
  LineageGraph graph(options);
  EXPECT_EQ(*graph.Apply(Failed("x", 1)), Applied::kKept);
  EXPECT_EQ(*graph.Apply(Failed("y", 1)), Applied::kKept);
  const auto third = graph.Apply(Failed("z", 1));
  EXPECT_EQ(third.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(third.status().message()), HasSubstr("max_kept_events (2)"));
  ASSERT_TRUE(graph.Submit(Job("x", 0)).ok());
  EXPECT_EQ(graph.Facts("x")->failure_count, 1);
  graph.Advance(At(3601));
  ASSERT_TRUE(graph.Submit(Job("y", 0)).ok());
  EXPECT_EQ(graph.Facts("y")->failure_count, 0);
}

TEST(Limits, TwoMillionChildren) {
  LineageOptions options;
  options.max_jobs = 1 << 17;
  options.max_children = 1 << 16;
  LineageGraph graph(options);
  ASSERT_TRUE(graph.Submit(Job("parent", 0)).ok());
  std::size_t refused = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const std::string id = std::to_string(i);
    const auto result = graph.Submit(Job(id, 1).DependsOn("parent"));
    if (result.ok()) continue;
    ASSERT_EQ(result.status().code(), StatusCode::kResourceExhausted);
    if (refused++ == 0) {
      EXPECT_THAT(std::string(result.status().message()), HasSubstr("max_children (65536)"));
    }
  }
  EXPECT_EQ(refused, 2'000'000u - (1 << 16));
  EXPECT_EQ(graph.jobs(), (1u << 16) + 1);
}

// Of what is due, only jobs that no living one needs.
TEST(Forgetting, LivingJobsAndTheirParentsStay) {
  LineageGraph graph(Small());
  ASSERT_TRUE(graph.Submit(Job("a", 0)).ok());
  ASSERT_TRUE(graph.Submit(Job("b", 1).RetryOf("a")).ok());
  ASSERT_TRUE(graph.Submit(Job("c", 1)).ok());
  ASSERT_TRUE(graph.Apply(Failed("a", 10)).ok());
  ASSERT_TRUE(graph.Apply(Failed("c", 11)).ok());
  std::vector<JobSlot> forgotten;
  const JobSlot c = *graph.Find("c");
  graph.Advance(At(110), &forgotten);
  EXPECT_THAT(forgotten, ElementsAre());
  graph.Advance(At(111), &forgotten);
  EXPECT_THAT(forgotten, ElementsAre(c));
  EXPECT_FALSE(graph.used(c));
  EXPECT_TRUE(graph.Facts("a").has_value());
  // Even where the graph is full.
  for (const char* id : {"d", "e", "f"}) ASSERT_TRUE(graph.Submit(Job(id, 120)).ok()) << id;
  EXPECT_EQ(graph.Submit(Job("g", 120)).status().code(), StatusCode::kResourceExhausted);
  ASSERT_TRUE(graph.Apply(Failed("b", 130)).ok());
  const JobSlot b = *graph.Find("b");
  std::vector<JobSlot> touched;
  ASSERT_TRUE(graph.Submit(Job("g", 140), &touched).ok());
  EXPECT_FALSE(graph.Find("b").has_value());
  EXPECT_THAT(touched, ElementsAre(b));
  EXPECT_EQ(graph.id(b), "g");
  EXPECT_EQ(graph.jobs(), 5u);
}

TEST(Forgetting, NeverLowersACount) {
  LineageGraph graph(Small());
  ASSERT_TRUE(graph.Submit(Job("a", 0).Key("k")).ok());
  for (int attempt = 1; attempt <= 3; ++attempt)
    ASSERT_TRUE(graph.Apply(Failed("a", 10, Cause::kOwn, attempt)).ok());
  graph.Advance(At(50));
  graph.Advance(At(500));
  ASSERT_FALSE(graph.Facts("a").has_value());
  ASSERT_TRUE(graph.Submit(Job("named", 501).RetryOf("a")).ok());
  EXPECT_EQ(graph.Facts("named")->failure_count, 3);
  EXPECT_EQ(graph.Facts("named")->attempt, 4);
  ASSERT_TRUE(graph.Submit(Job("hidden", 501).Key("k")).ok());
  EXPECT_EQ(graph.Facts("hidden")->failure_count, 3);
  ASSERT_TRUE(graph.Submit(Job("a", 501)).ok());
  EXPECT_EQ(graph.Facts("a")->failure_count, 3);
  EXPECT_EQ(graph.Submit(Job("x", 501).Owner("others").RetryOf("a2")).status().code(),
            StatusCode::kNotFound);
  // After more than two windows nobody knows.
  LineageGraph later(Small());
  ASSERT_TRUE(later.Submit(Job("a", 0)).ok());
  ASSERT_TRUE(later.Apply(Failed("a", 10)).ok());
  for (int t = 200; t <= 3400; t += 200) later.Advance(At(t));
  EXPECT_EQ(later.Submit(Job("b", 3400).RetryOf("a")).status().code(), StatusCode::kNotFound);
}

TEST(Time, GoingBackwardsChangesNothing) {
  LineageGraph graph(Small());
  ASSERT_TRUE(graph.Submit(Job("a", 0)).ok());
  ASSERT_TRUE(graph.Apply(Succeeded("a", 10)).ok());
  graph.Advance(At(50));
  const std::string before = Saved(graph);
  graph.Advance(At(-1'000'000));
  EXPECT_EQ(Saved(graph), before);
  // A wrong time in an event makes nothing be forgotten.
  ASSERT_TRUE(graph.Submit(Job("b", 0)).ok());
  ASSERT_TRUE(graph.Apply(Failed("b", 1'000'000'000)).ok());
  graph.Advance(At(60));
  EXPECT_TRUE(graph.Facts("a").has_value());
}

// What ended a job for good is overtaken only by what happened later.
TEST(Time, CancelledStaysUnlessLaterAttemptsAreHeardOf) {
  LineageGraph graph(Small());
  ASSERT_TRUE(graph.Submit(Job("a", 0)).ok());
  ASSERT_TRUE(graph.Apply(Cancelled("a", 10)).ok());
  ASSERT_TRUE(graph.Apply(Started("a", 10, 2)).ok());
  EXPECT_EQ(graph.state(*graph.Find("a")), JobState::kCancelled);
  ASSERT_TRUE(graph.Apply(Started("a", 11, 3)).ok());
  EXPECT_EQ(graph.state(*graph.Find("a")), JobState::kRunning);
}

TEST(Edges, AreFoundFromBothEnds) {
  LineageGraph graph;
  ASSERT_TRUE(graph.Submit(Job("a", 0)).ok());
  ASSERT_TRUE(graph.Submit(Job("b", 0)).ok());
  ASSERT_TRUE(graph.Submit(Job("c", 1).DependsOn("a").RetryOf("b")).ok());
  ASSERT_TRUE(graph.Submit(Job("d", 1).StepOf("a")).ok());
  ASSERT_TRUE(graph.Submit(Job("e", 1).StepOf("a")).ok());
  const auto text = [&](const LineageEdges& edges) {
    std::vector<std::string> all;
    for (const LineageEdge& edge : edges)
      all.push_back(std::string(graph.id(edge.job)) + std::to_string(static_cast<int>(edge.relation)));
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_THAT(text(graph.parents(*graph.Find("c"))), ElementsAre("a2", "b1"));
  EXPECT_THAT(text(graph.children(*graph.Find("a"))), ElementsAre("c2", "d3", "e3"));
  EXPECT_THAT(text(graph.children(*graph.Find("e"))), ElementsAre());
  EXPECT_EQ(graph.Facts("e")->step, 2);
  EXPECT_EQ(graph.Facts("e")->depth, 1);
}

}  // namespace
}  // namespace precedent
