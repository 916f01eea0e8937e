// README.md's example of a lineage graph.
#include <gtest/gtest.h>

#include <chrono>

#include "precedent/lineage.h"

namespace {

TEST(Example, ARetryUnderANewNameInheritsItsFailures) {
  const precedent::TimePoint nine(std::chrono::hours(9));
  const precedent::TimePoint ten(std::chrono::hours(10));
  precedent::JobDescriptor descriptor;
  bool refused = false;

  precedent::LineageGraph graph;
  precedent::Submission job;
  job.id = "train-1";
  job.owner = "team-a";                        // as the platform authenticated it
  job.lineage_key = "team-a/Job/train";        // under which the same work meets again
  job.submitted = nine;
  if (!graph.Submit(job).ok()) refused = true;

  precedent::JobEvent event;
  event.job = "train-1";
  event.kind = precedent::EventKind::kFailed;
  event.cause = precedent::Cause::kOwn;
  event.time = ten;
  if (!graph.Apply(event).ok()) refused = true;

  job.id = "fresh-start";                      // names no parent
  job.submitted = ten;
  if (!graph.Submit(job).ok()) refused = true;
  descriptor.lineage = graph.Facts("fresh-start").value_or(precedent::Lineage{});

  EXPECT_FALSE(refused);
  EXPECT_EQ(descriptor.lineage.failure_count, 1);
  EXPECT_EQ(descriptor.lineage.attempt, 2);
}

}  // namespace
