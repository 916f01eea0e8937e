// Why attempts ended, and what that adds to the lineage.
#include "src/aws/attempts.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"

namespace precedent::aws {
namespace {

AttemptFacts Ended(std::string_view status, std::optional<std::int64_t> code = {},
                   std::string_view container = {}) {
  AttemptFacts facts;
  facts.ended = true;
  facts.status_reason = status;
  facts.container_reason = container;
  facts.exit_code = code;
  return facts;
}

TEST(Attempts, Classes) {
  EXPECT_EQ(Classify(AttemptFacts()), AttemptEnd::kRunning);
  EXPECT_EQ(Classify(Ended("Essential container in task exited", 0)), AttemptEnd::kSucceeded);
  EXPECT_EQ(Classify(Ended("Essential container in task exited", 1)), AttemptEnd::kOwnFailure);
  EXPECT_EQ(Classify(Ended("Essential container in task exited", 137,
                           "OutOfMemoryError: Container killed due to memory usage")),
            AttemptEnd::kOwnFailure);
  EXPECT_EQ(Classify(Ended("", {}, "OOMKilled")), AttemptEnd::kOwnFailure);
  EXPECT_EQ(Classify(Ended("Host EC2 (instance i-0123456789abcdef0) terminated.")),
            AttemptEnd::kHostLoss);
  // A container that dies with its host has an exit code, too.
  EXPECT_EQ(Classify(Ended("Host EC2 (instance i-1) terminated.", 143)), AttemptEnd::kHostLoss);
  EXPECT_EQ(Classify(Ended("Received status from SageMaker:InternalServerError")),
            AttemptEnd::kHostLoss);
  EXPECT_EQ(Classify(Ended("", {}, "DockerTimeoutError: Could not transition")),
            AttemptEnd::kHostLoss);
  EXPECT_EQ(Classify(Ended("Job attempt duration exceeded timeout", 137)), AttemptEnd::kTimeout);
  EXPECT_EQ(Classify(Ended("Preempted by a job of higher priority")), AttemptEnd::kPreemption);
  EXPECT_EQ(Classify(Ended("Service job attempt was preempted", 143)), AttemptEnd::kPreemption);
  EXPECT_EQ(Classify(Ended("something else")), AttemptEnd::kUnknown);
  EXPECT_EQ(Classify(Ended("", {}, "CannotPullContainerError: no such image")),
            AttemptEnd::kUnknown);
  // Only the beginning says so.
  EXPECT_EQ(Classify(Ended("the Host EC2 is fine", 1)), AttemptEnd::kOwnFailure);
}

// Who terminates a job writes its reason, and could write the service's words.
TEST(Attempts, ReasonsOfPeopleDoNotCount) {
  AttemptFacts facts = Ended("Host EC2 (instance i-1) terminated.", 1);
  facts.stopped_by_hand = true;
  EXPECT_EQ(Classify(facts), AttemptEnd::kUnknown);
}

std::string Attempt(const std::string& reason, int code = -1, int begin = 1000, int end = 61000) {
  return R"({"container":{)" + (code < 0 ? "" : R"("exitCode":)" + std::to_string(code)) +
         R"(},"startedAt":)" + std::to_string(begin) + R"(,"stoppedAt":)" + std::to_string(end) +
         R"(,"statusReason":")" + reason + "\"}";
}

std::string Job(const std::string& more) {
  return R"({"jobId":"4c75","jobName":"j","jobQueue":"q","jobDefinition":"d:1","status":"FAILED",)"
         R"("container":{"resourceRequirements":[{"type":"GPU","value":"1"}]},)" +
         more + "}";
}

// B5: Batch's own retries and the caller's meet in one place, and hosts taken away are
// not the job's fault.
TEST(Attempts, B5OnePlaceCounts) {
  const std::string host = Attempt("Host EC2 (instance i-1) terminated.");
  const std::string own = Attempt("Essential container in task exited", 1);
  const DescribedJob job = MustDescribe(
      Job(R"("retryStrategy":{"attempts":5},"tags":{"failure-count":"4"},"attempts":[)" + host +
          "," + own + "," + host + "," + own + "," + host + "]"));
  EXPECT_EQ(job.job.lineage().failure_count(), 6);
  EXPECT_EQ(job.job.lineage().infrastructure_failure_count(), 3);
  EXPECT_EQ(job.job.lineage().preemption_count(), 0);
  EXPECT_EQ(job.job.lineage().attempt(), 5);
  EXPECT_EQ(job.job.lineage().predecessor_runtime_seconds(), 60);
  EXPECT_FALSE(job.job.lineage().retry_of_preempted());
}

TEST(Attempts, TimeOutsAreCharged) {
  const DescribedJob job =
      MustDescribe(Job(R"("attempts":[)" + Attempt("Job attempt duration exceeded timeout") + "]"));
  EXPECT_EQ(job.job.lineage().failure_count(), 1);
  EXPECT_FALSE(Claims(job, v1::LINEAGE));
}

TEST(Attempts, ReasonOfTheJobIsThatOfItsLastAttempt) {
  const std::string silent = R"({"startedAt":1,"stoppedAt":2})";
  const DescribedJob job = MustDescribe(Job(
      R"("statusReason":"Host EC2 (i) terminated.","attempts":[)" + silent + "," + silent + "]"));
  EXPECT_EQ(job.job.lineage().infrastructure_failure_count(), 1);
  EXPECT_EQ(MustDescribe(Job(R"("isTerminated":true,"statusReason":"Host EC2 (i) terminated.",)"
                             R"("attempts":[)" +
                             silent + "]"))
                .job.lineage()
                .infrastructure_failure_count(),
            0);
}

TEST(Attempts, RunningAttemptsAreNotCounted) {
  const DescribedJob job =
      MustDescribe(Job(R"("attempts":[)" + Attempt("Essential container in task exited", 2) +
                       R"(,{"container":{},"startedAt":70000}])"));
  EXPECT_EQ(job.job.lineage().failure_count(), 1);
  EXPECT_EQ(job.job.lineage().attempt(), 2);
}

TEST(Attempts, PodsAndTasks) {
  const DescribedJob pods = MustDescribe(Job(
      R"("eksAttempts":[{"containers":[{"exitCode":0},{"exitCode":3}],"startedAt":1,"stoppedAt":2}])"));
  EXPECT_EQ(pods.job.lineage().failure_count(), 1);
  const DescribedJob tasks = MustDescribe(Job(
      R"("attempts":[{"taskProperties":[{"containers":[{"exitCode":0},{"exitCode":9}]}],"stoppedAt":2}])"));
  EXPECT_EQ(tasks.job.lineage().failure_count(), 1);
  EXPECT_FALSE(tasks.job.lineage().has_predecessor_runtime_seconds());
}

TEST(Attempts, ServiceJobsArePreempted) {
  const DescribedJob job = MustDescribe(
      R"({"jobId":"1","jobName":"s","serviceJobType":"SAGEMAKER_TRAINING","status":"RUNNABLE",)"
      R"("quotaShareName":"n","attempts":[{"startedAt":1000,"stoppedAt":5000,)"
      R"("statusReason":"Preempted"}],"preemptionSummary":{"preemptedAttemptCount":7}})");
  EXPECT_EQ(job.job.lineage().preemption_count(), 7);
  EXPECT_EQ(job.job.lineage().failure_count(), 0);
  EXPECT_TRUE(job.job.lineage().retry_of_preempted());
  EXPECT_EQ(job.job.lineage().predecessor_runtime_seconds(), 4);
}

TEST(Attempts, CountsDoNotWrap) {
  const DescribedJob job = MustDescribe(
      Job(R"("tags":{"failure-count":"9223372036854775807"},"attempts":[)" + Attempt("", 1) + "]"));
  EXPECT_EQ(job.job.lineage().failure_count(), INT64_MAX);
}

}  // namespace
}  // namespace precedent::aws
