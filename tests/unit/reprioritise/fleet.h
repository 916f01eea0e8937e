// A Reprioritiser with what it borrows, and a copy of the priorities that is kept by
// nothing but the changes.
#ifndef PRECEDENT_TESTS_UNIT_REPRIORITISE_FLEET_H_
#define PRECEDENT_TESTS_UNIT_REPRIORITISE_FLEET_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/reprioritiser.h"
#include "tests/unit/lineage/build.h"
#include "tests/unit/policies.h"

namespace precedent {

class Fleet {
 public:
  explicit Fleet(const LineageOptions& options = {}, DescriptorSource* source = nullptr)
      : graph(options), reprioritiser(&graph, &live, source != nullptr ? source : &store) {}
  explicit Fleet(std::string_view policy) : Fleet() { Publish(policy); }

  void Publish(std::string_view policy) {
    ASSERT_EQ(live.Publish(testing::Compile(policy).evaluator()), PublishStatus::kPublished);
  }

  Applied Submit(const Submission& submission, const JobDescriptor& job = {}) {
    changes.clear();
    return Take(reprioritiser.Submit(submission, job, At(now), &changes));
  }
  Applied Apply(const JobEvent& event) {
    changes.clear();
    return Take(reprioritiser.Apply(event, At(now), &changes));
  }
  std::size_t Advance(std::int64_t to, std::size_t max_jobs = Reprioritiser::kAllJobs) {
    now = to;
    changes.clear();
    const std::size_t pending = reprioritiser.Advance(At(now), &changes, max_jobs);
    Note();
    return pending;
  }

  // What a platform that was told all changes believes.
  std::int32_t Priority(const std::string& job) const { return copy.at(job).first; }
  std::string Class(const std::string& job) const { return copy.at(job).second; }

  // After a call that was made past this.
  void Retell() { Note(); }

  // `job: old -> new REASON [cause]`, one line a change, with a class after a priority
  // where there is one.
  std::string Told() const {
    std::string text;
    for (const PriorityChange& c : changes) {
      text += std::string(c.job) + ": ";
      if (c.reason != ChangeReason::kSubmitted)
        text += std::to_string(c.old_priority) + Dot(c.old_class) + " -> ";
      text += std::to_string(c.new_priority) + Dot(c.new_class) + " " +
              std::string(ChangeReasonName(c.reason));
      if (!c.cause.empty()) text += " " + std::string(c.cause);
      text += "\n";
    }
    return text;
  }

  LineageGraph graph;
  LiveEvaluator live;
  DescriptorStore store;
  Reprioritiser reprioritiser;
  std::vector<PriorityChange> changes;  // of the last call
  std::map<std::string, std::pair<std::int32_t, std::string>> copy;
  std::int64_t now = 0;

 private:
  static std::string Dot(std::string_view name) {
    return name.empty() ? "" : "." + std::string(name);
  }

  Applied Take(const absl::StatusOr<Applied>& applied) {
    EXPECT_TRUE(applied.ok()) << applied.status();
    Note();
    return applied.value_or(Applied::kNothingNew);
  }

  void Note() {
    std::map<std::string, int> seen;
    for (const PriorityChange& c : changes) {
      const std::string job(c.job);
      EXPECT_EQ(++seen[job], 1) << job << " changed twice in one call";
      const auto at = copy.find(job);
      EXPECT_EQ(at == copy.end(), c.reason == ChangeReason::kSubmitted) << job;
      if (at != copy.end()) {
        EXPECT_EQ(at->second.first, c.old_priority) << job;
        EXPECT_EQ(at->second.second, c.old_class) << job;
        EXPECT_TRUE(c.old_priority != c.new_priority || c.old_class != c.new_class) << job;
      }
      copy[job] = {c.new_priority, std::string(c.new_class)};
    }
  }
};

}  // namespace precedent

#endif  // PRECEDENT_TESTS_UNIT_REPRIORITISE_FLEET_H_
