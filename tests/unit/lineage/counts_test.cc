// What a job's counts are made of: its own attempts, and those of what it retries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "precedent/lineage.h"
#include "tests/unit/lineage/build.h"

namespace precedent {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// failure, infrastructure failure, preemption, attempt
std::vector<std::int64_t> Counts(const LineageGraph& graph, std::string_view id) {
  const std::optional<Lineage> facts = graph.Facts(id);
  if (!facts.has_value()) return {};
  return {facts->failure_count, facts->infrastructure_failure_count, facts->preemption_count,
          facts->attempt};
}

class Counting : public testing::Test {
 protected:
  void Submit(const Submission& submission) {
    const auto result = graph_.Submit(submission);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, Applied::kChanged);
  }
  Applied Apply(const JobEvent& event) {
    touched_.clear();
    const auto result = graph_.Apply(event, &touched_);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(Applied::kKept);
  }
  std::vector<std::string> Touched() const {
    std::vector<std::string> ids;
    for (const JobSlot slot : touched_) ids.emplace_back(graph_.id(slot));
    return ids;
  }

  LineageGraph graph_;
  std::vector<JobSlot> touched_;
};

TEST_F(Counting, EachCauseByItself) {
  Submit(Job("a", 0));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(0, 0, 0, 1));
  Apply(Failed("a", 1, Cause::kOwn, 1));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 0, 0, 1));
  Apply(Failed("a", 2, Cause::kInfrastructure, 2));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 1, 0, 2));
  Apply(Preempted("a", 3, 3));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 1, 1, 3));
  Apply(Failed("a", 4, Cause::kUnknown, 4));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 1, 1, 4));
  Apply(Cancelled("a", 5, 5));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 1, 1, 5));
  Apply(Succeeded("a", 6, 6));
  EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 1, 1, 6));
}

TEST_F(Counting, AnAttemptEndsOnce) {
  Submit(Job("a", 0));
  EXPECT_EQ(Apply(Failed("a", 1, Cause::kOwn, 1)), Applied::kChanged);
  for (const JobEvent& again : {Failed("a", 1, Cause::kOwn, 1), Failed("a", 2, Cause::kInfrastructure, 1),
                                Preempted("a", 2, 1), Succeeded("a", 3, 1), Started("a", 0, 1)}) {
    if (again.kind == EventKind::kStarted) {
      EXPECT_EQ(Apply(again), Applied::kChanged);  // now its runtime is known
      EXPECT_EQ(Apply(again), Applied::kNothingNew);
    } else {
      EXPECT_EQ(Apply(again), Applied::kNothingNew);
      EXPECT_THAT(Touched(), ElementsAre());
    }
    EXPECT_THAT(Counts(graph_, "a"), ElementsAre(1, 0, 0, 1));
  }
}

TEST_F(Counting, RetryInheritsAndHearsLateNews) {
  Submit(Job("a", 0));
  Apply(Failed("a", 1));
  Submit(Job("b", 2).RetryOf("a"));
  Submit(Job("c", 3).RetryOf("b"));
  EXPECT_THAT(Counts(graph_, "c"), ElementsAre(1, 0, 0, 3));
  Apply(Failed("a", 5, Cause::kInfrastructure, 2));
  EXPECT_THAT(Counts(graph_, "c"), ElementsAre(1, 1, 0, 4));
  EXPECT_THAT(Touched(), UnorderedElementsAre("a", "b", "c"));
}

TEST_F(Counting, RetryThatHidesItsParentIsFound) {
  Submit(Job("a", 0).Key("k"));
  Apply(Failed("a", 10));
  Submit(Job("b", 11).Key("k"));
  EXPECT_THAT(Counts(graph_, "b"), ElementsAre(1, 0, 0, 2));
  Submit(Job("c", 12).Key("k").Owner("others"));
  EXPECT_THAT(Counts(graph_, "c"), ElementsAre(0, 0, 0, 1));
  Submit(Job("d", 9).Key("k"));  // before a failed
  EXPECT_THAT(Counts(graph_, "d"), ElementsAre(0, 0, 0, 1));
  Submit(Job("e", 13));
  EXPECT_THAT(Counts(graph_, "e"), ElementsAre(0, 0, 0, 1));
  // News that come after the retry did.
  Apply(Failed("d", 10, Cause::kInfrastructure));
  EXPECT_THAT(Counts(graph_, "b"), ElementsAre(1, 1, 0, 2));
}

TEST_F(Counting, SuccessIsNotRetried) {
  Submit(Job("a", 0).Key("k"));
  Apply(Failed("a", 1, Cause::kOwn, 1));
  Apply(Succeeded("a", 2, 2));
  Submit(Job("b", 3).Key("k"));
  EXPECT_THAT(Counts(graph_, "b"), ElementsAre(0, 0, 0, 1));
}

}  // namespace
}  // namespace precedent
