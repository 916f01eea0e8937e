// What a job of Batch went through, as events of its lineage.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/aws_batch.h"

namespace precedent::aws {
namespace {

// `STARTED 1 @s`, with the cause of a failure; the submission first.
std::string Spelled(const std::vector<v1::LineageEvent>& events) {
  std::string text;
  for (const v1::LineageEvent& event : events) {
    if (!text.empty()) text += ", ";
    if (event.has_submitted()) {
      const v1::Submission& s = event.submitted();
      text += "SUBMITTED " + s.job().id() + " by " + s.owner() + " @" +
              std::to_string(s.job().submitted().seconds());
      continue;
    }
    const v1::JobEvent& job = event.job();
    text += v1::JobEvent::Kind_Name(job.kind()) + " " + std::to_string(job.attempt());
    if (job.cause() != 0) text += " " + v1::JobEvent::Cause_Name(job.cause());
    text += " @" + std::to_string(job.time().seconds());
  }
  return text;
}

std::string Events(const std::string& json) {
  const auto histories = Adapter::Create()->Events(json);
  if (!histories.ok()) return std::string(histories.status().message());
  std::string text;
  for (const JobHistory& history : *histories) {
    if (!text.empty()) text += " | ";
    text += history.events.ok() ? Spelled(*history.events)
                                : std::string(history.events.status().message());
  }
  return text;
}

std::string JobDocument(const std::string& more) {
  return R"({"jobId":"id","jobName":"j","jobQueue":"q","createdAt":100000,)"
         R"("jobArn":"arn:aws:batch:us-east-1:123456789012:job/id")" +
         (more.empty() ? "" : "," + more) + "}";
}

std::string Attempt(int started, int stopped, const std::string& reason, int code = -1) {
  return R"({"startedAt":)" + std::to_string(started) + "000" +
         (stopped == 0 ? "" : R"(,"stoppedAt":)" + std::to_string(stopped) + "000") +
         R"(,"statusReason":")" + reason + R"(","container":{)" +
         (code < 0 ? "" : R"("exitCode":)" + std::to_string(code)) + "}}";
}

constexpr char kSubmitted[] = "SUBMITTED id by 123456789012 @100";

TEST(BatchEvents, AttemptsByTheirEnds) {
  const auto after = [](const std::string& more) {
    const std::string told = Events(JobDocument(more));
    EXPECT_EQ(told.substr(0, sizeof kSubmitted - 1), kSubmitted);
    return told.size() < sizeof kSubmitted ? "" : told.substr(sizeof kSubmitted + 1);
  };
  EXPECT_EQ(after(R"("status":"RUNNABLE")"), "");
  EXPECT_EQ(after(R"("status":"RUNNING","startedAt":200000)"), "STARTED 1 @200");
  EXPECT_EQ(after(R"("status":"SUCCEEDED","attempts":[)" + Attempt(200, 300, "", 0) + "]"),
            "STARTED 1 @200, SUCCEEDED 1 @300");
  EXPECT_EQ(after(R"("status":"FAILED","attempts":[)" +
                  Attempt(200, 300, "Essential container in task exited", 1) + "," +
                  Attempt(400, 500, "Host EC2 (instance i-1) terminated.") + "," +
                  Attempt(600, 700, "Job attempt duration exceeded timeout") + "," +
                  Attempt(800, 900, "what nobody knows") + "]"),
            "STARTED 1 @200, FAILED 1 OWN @300, STARTED 2 @400, FAILED 2 INFRASTRUCTURE @500, "
            "STARTED 3 @600, FAILED 3 OWN @700, STARTED 4 @800, FAILED 4 @900");
  EXPECT_EQ(after(R"("status":"FAILED","attempts":[)" +
                  Attempt(200, 300, "Preempted for another job") + "]"),
            "STARTED 1 @200, PREEMPTED 1 @300");
  // Whoever terminates a job writes its reason.
  EXPECT_EQ(after(R"("status":"FAILED","isTerminated":true,"attempts":[)" +
                  Attempt(200, 300, "Host EC2 is a lie", 137) + "]"),
            "STARTED 1 @200, CANCELLED 1 @300");
}

// Between two attempts a job waits, and its priority counts.
TEST(BatchEvents, AJobThatWaitsForItsNextAttemptLives) {
  EXPECT_EQ(Events(JobDocument(R"("status":"RUNNABLE","attempts":[)" + Attempt(200, 300, "", 1) + "]")),
            std::string(kSubmitted) + ", STARTED 1 @200, FAILED 1 OWN @300, PROGRESS 2 @300");
  EXPECT_EQ(Events(JobDocument(R"("status":"RUNNING","startedAt":400000,"attempts":[)" +
                       Attempt(200, 300, "", 1) + "]")),
            std::string(kSubmitted) + ", STARTED 1 @200, FAILED 1 OWN @300, STARTED 2 @400");
}

TEST(BatchEvents, EndsWithoutAttempts) {
  EXPECT_EQ(Events(JobDocument(R"("status":"SUCCEEDED","stoppedAt":900000)")),
            std::string(kSubmitted) + ", SUCCEEDED 1 @900");
  EXPECT_EQ(Events(JobDocument(R"("status":"FAILED","statusReason":"Dependent Job failed")")),
            std::string(kSubmitted) + ", FAILED 1 @100");
  EXPECT_EQ(Events(JobDocument(R"("status":"FAILED","isCancelled":true)")),
            std::string(kSubmitted) + ", CANCELLED 1 @100");
}

// The counts of tags are what came before the job; its own attempts come as events.
TEST(BatchEvents, NothingIsCountedTwice) {
  const auto histories = Adapter::Create()->Events(
      JobDocument(R"("status":"FAILED","tags":{"failure-count":"4"},"attempts":[)" +
          Attempt(200, 300, "", 1) + "]"));
  ASSERT_TRUE(histories.ok());
  const v1::Submission& submission = (*histories)[0].events->at(0).submitted();
  EXPECT_EQ(submission.job().lineage().failure_count(), 4);
  EXPECT_FALSE(submission.job().lineage().has_predecessor_runtime_seconds());
}

TEST(BatchEvents, DocumentsOfSeveralJobs) {
  const std::string bad = R"({"jobId":"x","createdAt":"late"})";
  EXPECT_EQ(Events(R"({"jobs":[)" + JobDocument("") + "," + bad + "," + JobDocument("") + "]}"),
            std::string(kSubmitted) + " | jobs[1].createdAt: must be a whole number and is a string | " +
                kSubmitted);
  // What only the history needs is wrong with the history alone.
  const std::string odd = JobDocument(R"("status":"RUNNING","startedAt":"soon")");
  EXPECT_EQ(Events(odd), "startedAt: must be a whole number and is a string");
  EXPECT_TRUE(Adapter::Create()->Describe(odd).ok());
  EXPECT_EQ(Events(R"({"jobName":"j","jobQueue":"q","jobDefinition":"d"})"),
            "tells of no job that was submitted: a request or a definition has no history");
}

TEST(BatchEvents, TheSharedEvents) {
  const std::string folder = std::string(PRECEDENT_SHARED_DIR) + "/data/batch/";
  const auto read = [&](const std::string& name) {
    std::ifstream file(folder + name);
    if (!file) return std::string();
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  if (read("b12-event-runnable.json").empty()) GTEST_SKIP() << "no " << folder;
  const std::string id = "4c7599ae-0a82-49aa-ba5a-4727fcce14a8";
  const std::string submitted = "SUBMITTED " + id + " by 123456789012 @1641944200";
  EXPECT_EQ(Events(read("b12-event-runnable.json")), submitted);
  EXPECT_EQ(Events(read("b13-event-failed-two-attempts.json")),
            submitted + ", STARTED 1 @1641944300, FAILED 1 OWN @1641944400, STARTED 2 @1641944500, "
                        "FAILED 2 INFRASTRUCTURE @1641944600");
}

}  // namespace
}  // namespace precedent::aws
