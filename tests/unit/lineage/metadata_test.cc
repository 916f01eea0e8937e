// Counts travel: what the graph writes as metadata, the adapters read.
#include <gtest/gtest.h>

#include <string>

#include "precedent/aws_batch.h"
#include "precedent/job_view.h"
#include "precedent/kubernetes.h"
#include "precedent/lineage.h"
#include "precedent/lineage_journal.h"
#include "tests/unit/lineage/build.h"

namespace precedent {
namespace {

// As members of a JSON object.
std::string Members(const Lineage& lineage, std::string_view parent) {
  std::string text;
  for (const auto& [key, value] : LineageMetadata(lineage, parent))
    text += (text.empty() ? "\"" : ",\"") + key + "\":\"" + value + "\"";
  return text;
}

Lineage SomeLineage() {
  LineageGraph graph;
  EXPECT_TRUE(graph.Submit(Job("a", 0)).ok());
  EXPECT_TRUE(graph.Apply(Failed("a", 1, Cause::kOwn, 1)).ok());
  EXPECT_TRUE(graph.Apply(Failed("a", 2, Cause::kInfrastructure, 2)).ok());
  EXPECT_TRUE(graph.Apply(Failed("a", 3, Cause::kOwn, 3)).ok());
  EXPECT_TRUE(graph.Apply(Preempted("a", 4, 4)).ok());
  EXPECT_TRUE(graph.Submit(Job("b", 5).RetryOf("a")).ok());
  return *graph.Facts("b");
}

v1::AdapterOptions AllKeys() {
  v1::AdapterOptions options;
  for (const auto& [attribute, key] :
       {std::pair("parent_job_id", "precedent.dev/parent-job-id"),
        std::pair("failure_count", "precedent.dev/failure-count"),
        std::pair("preemption_count", "precedent.dev/preemption-count"),
        std::pair("infrastructure_failure_count", "precedent.dev/infrastructure-failure-count"),
        std::pair("attempt", "precedent.dev/attempt"), std::pair("depth", "precedent.dev/depth"),
        std::pair("retry_of_preempted", "precedent.dev/retry-of-preempted")}) {
    auto& keys = *options.add_keys();
    keys.set_attribute(attribute);
    keys.add_keys(key);
  }
  return options;
}

// Into a second graph, as a replica that sees the job for the first time.
void ExpectTravelled(const v1::JobDescriptor& job, bool all) {
  const Lineage sent = SomeLineage();
  ASSERT_EQ(job.parents_size(), 1);
  EXPECT_EQ(job.parents(0).id(), "a");
  LineageGraph replica;
  ASSERT_TRUE(replica.Submit(Job("b", 5).Carries(JobView(job).descriptor().lineage)).ok());
  const Lineage got = *replica.Facts("b");
  EXPECT_EQ(got.failure_count, sent.failure_count);
  EXPECT_EQ(got.preemption_count, sent.preemption_count);
  EXPECT_EQ(sent.failure_count, 2);
  EXPECT_EQ(sent.preemption_count, 1);
  if (!all) return;
  EXPECT_EQ(got.infrastructure_failure_count, sent.infrastructure_failure_count);
  EXPECT_EQ(got.attempt, sent.attempt);
  EXPECT_EQ(got.depth, sent.depth);
  EXPECT_EQ(got.retry_of_preempted, sent.retry_of_preempted);
  EXPECT_EQ(sent.attempt, 5);
  EXPECT_TRUE(sent.retry_of_preempted);
}

TEST(LineageMetadata, RoundTripThroughKubernetes) {
  const std::string members = Members(SomeLineage(), "a");
  for (const bool all : {false, true}) {
    const auto adapter = kubernetes::Adapter::Create(all ? AllKeys() : v1::AdapterOptions());
    ASSERT_TRUE(adapter.ok()) << adapter.status();
    for (const char* place : {"labels", "annotations"}) {
      const auto described = adapter->Describe(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b",")" + std::string(place) +
          "\":{" + members + R"(}},"spec":{"containers":[{"name":"c"}]}})");
      ASSERT_TRUE(described.ok()) << described.status();
      ExpectTravelled(described->job, all);
    }
  }
}

TEST(LineageMetadata, RoundTripThroughBatch) {
  const std::string members = Members(SomeLineage(), "a");
  for (const bool all : {false, true}) {
    const auto adapter = aws::Adapter::Create(all ? AllKeys() : v1::AdapterOptions());
    ASSERT_TRUE(adapter.ok()) << adapter.status();
    const auto described = adapter->Describe(
        R"({"jobName":"b","jobQueue":"q","jobDefinition":"d:1","tags":{)" + members + "}}");
    ASSERT_TRUE(described.ok()) << described.status();
    ExpectTravelled(described->job, all);
  }
}

TEST(LineageMetadata, NothingIsSaidOfNothing) {
  EXPECT_TRUE(LineageMetadata(Lineage{}, "").empty());
}

}  // namespace
}  // namespace precedent
