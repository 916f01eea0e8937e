// What a pod or Job went through, as events of its lineage.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/kubernetes.h"

namespace precedent::kubernetes {
namespace {

std::string Told(const std::vector<v1::LineageEvent>& events) {
  std::string text;
  for (const v1::LineageEvent& event : events) {
    if (event.has_submitted()) continue;
    const v1::JobEvent& job = event.job();
    if (!text.empty()) text += ", ";
    text += v1::JobEvent::Kind_Name(job.kind()) + " " + std::to_string(job.attempt());
    if (job.cause() != 0) text += " " + v1::JobEvent::Cause_Name(job.cause());
    text += " @" + std::to_string(job.time().seconds() % 100);
  }
  return text;
}

std::string Events(const std::string& json) {
  const auto events = Adapter::Create()->Events(json);
  return events.ok() ? Told(*events) : std::string(events.status().message());
}

std::string At(int seconds) {
  return "\"2026-03-01T00:00:" + std::string(seconds < 10 ? "0" : "") + std::to_string(seconds) +
         "Z\"";
}

std::string Object(const std::string& kind, const std::string& status,
                   const std::string& metadata = "") {
  return R"({"apiVersion":")" + std::string(kind == "Job" ? "batch/v1" : "v1") + R"(","kind":")" +
         kind + R"(","metadata":{"name":"n","namespace":"ns","uid":"u","creationTimestamp":)" +
         At(1) + metadata + R"(},"spec":{},"status":{)" + status + "}}";
}

std::string Pod(const std::string& status, const std::string& metadata = "") {
  return Events(Object("Pod", status, metadata));
}

// A container that ran from second 2 on.
std::string Container(const std::string& state, const std::string& more = "") {
  return R"("containerStatuses":[{"state":{)" + state + "}" + more + "}]";
}
std::string Terminated(int code, const std::string& reason = "Error") {
  return R"("terminated":{"exitCode":)" + std::to_string(code) + R"(,"reason":")" + reason +
         R"(","startedAt":)" + At(2) + R"(,"finishedAt":)" + At(9) + "}";
}
std::string Disrupted(const std::string& reason) {
  return R"("conditions":[{"type":"Ready","status":"False"},{"type":"DisruptionTarget",)"
         R"("status":"True","reason":")" + reason + R"(","lastTransitionTime":)" + At(8) + "}]";
}

TEST(KubernetesEvents, TheSubmissionIsTheObject) {
  const auto events = Adapter::Create()->Events(
      Object("Pod", "", R"(,"labels":{"job-name":"train"})"));
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 1u);
  const v1::Submission& submission = events->at(0).submitted();
  EXPECT_EQ(submission.owner(), "ns");
  EXPECT_EQ(submission.job().id(), "u");
  EXPECT_EQ(submission.job().lineage_key(), "ns/Job/train");
  EXPECT_EQ(submission.job().submitted().seconds() % 100, 1);
}

TEST(KubernetesEvents, PhasesOfAPod) {
  EXPECT_EQ(Pod(R"("phase":"Pending")"), "");
  EXPECT_EQ(Pod(R"("phase":"Running",)" + Container(R"("running":{"startedAt":)" + At(2) + "}")),
            "STARTED 1 @2");
  EXPECT_EQ(Pod(R"("phase":"Succeeded",)" + Container(Terminated(0, "Completed"))),
            "STARTED 1 @2, SUCCEEDED 1 @9");
  EXPECT_EQ(Pod(R"("phase":"Failed",)" + Container(Terminated(1))), "STARTED 1 @2, FAILED 1 OWN @9");
  EXPECT_EQ(Pod(R"("phase":"Failed",)" + Container(Terminated(137, "OOMKilled"))),
            "STARTED 1 @2, FAILED 1 OWN @9");
  EXPECT_EQ(Pod(R"("phase":"Failed",)" + Container(Terminated(137, "ContainerStatusUnknown"))),
            "STARTED 1 @2, FAILED 1 INFRASTRUCTURE @9");
  EXPECT_EQ(Pod(R"("phase":"Failed")"), "FAILED 1 @1") << "nobody can tell";
}

TEST(KubernetesEvents, DisruptionsAreNotTheJobsFault) {
  const std::string ran = R"("phase":"Failed",)" + Container(Terminated(137)) + ",";
  for (const char* reason : {"PreemptionByScheduler", "EvictionByEvictionAPI"})
    EXPECT_EQ(Pod(ran + Disrupted(reason)), "STARTED 1 @2, PREEMPTED 1 @8") << reason;
  for (const char* reason : {"DeletionByTaintManager", "DeletionByPodGC", "TerminationByKubelet"})
    EXPECT_EQ(Pod(ran + Disrupted(reason)), "STARTED 1 @2, FAILED 1 INFRASTRUCTURE @8") << reason;
  // It says so before the pod has stopped; and one that ends well has ended well.
  EXPECT_EQ(Pod(R"("phase":"Running",)" + Disrupted("PreemptionByScheduler")), "PREEMPTED 1 @8");
  EXPECT_EQ(Pod(R"("phase":"Succeeded",)" + Container(Terminated(0)) + "," +
                Disrupted("PreemptionByScheduler")),
            "STARTED 1 @2, SUCCEEDED 1 @9");
  EXPECT_EQ(Pod(R"("phase":"Running","conditions":[{"type":"DisruptionTarget","status":"False",)"
                R"("reason":"PreemptionByScheduler"}])"),
            "");
}

TEST(KubernetesEvents, ReasonsOfAPod) {
  const auto failed = [](const std::string& reason, const std::string& message = "") {
    return Pod(R"("phase":"Failed","reason":")" + reason + R"(","message":")" + message + "\"");
  };
  EXPECT_EQ(failed("Preempting"), "PREEMPTED 1 @1");
  EXPECT_EQ(failed("DeadlineExceeded"), "FAILED 1 OWN @1");
  EXPECT_EQ(failed("Evicted", "The node was low on resource: memory."), "FAILED 1 INFRASTRUCTURE @1");
  EXPECT_EQ(failed("Evicted", "Usage of EmptyDir volume exceeds the limit."), "FAILED 1 OWN @1");
  for (const char* reason : {"NodeLost", "Terminated", "NodeShutdown", "NodeAffinity",
                             "UnexpectedAdmissionError", "OutOfnvidia.com/gpu"})
    EXPECT_EQ(failed(reason), "FAILED 1 INFRASTRUCTURE @1") << reason;
}

TEST(KubernetesEvents, DeletedPodsAreCancelled) {
  const std::string deleted = R"(,"deletionTimestamp":)" + At(35) + R"(,"deletionGracePeriodSeconds":30)";
  EXPECT_EQ(Pod(R"("phase":"Running")", deleted), "CANCELLED 1 @35");
  EXPECT_EQ(Pod(R"("phase":"Failed",)" + Container(Terminated(143)), deleted),
            "STARTED 1 @2, CANCELLED 1 @9")
      << "killed in its grace period";
  EXPECT_EQ(Pod(R"("phase":"Failed",)" + Container(Terminated(1)),
                R"(,"deletionTimestamp":)" + At(35) + R"(,"deletionGracePeriodSeconds":3)"),
            "STARTED 1 @2, FAILED 1 OWN @9")
      << "it had failed before";
  EXPECT_EQ(Pod(R"("phase":"Running",)" + Disrupted("PreemptionByScheduler"), deleted),
            "PREEMPTED 1 @8");
}

TEST(KubernetesEvents, RestartsAreAttempts) {
  const std::string last = R"(,"restartCount":2,"lastState":{)" + Terminated(1) + "}";
  EXPECT_EQ(Pod(R"("phase":"Running",)" + Container(R"("running":{"startedAt":)" + At(12) + "}", last)),
            "STARTED 2 @2, FAILED 2 OWN @9, PROGRESS 3 @9, STARTED 3 @12");
  EXPECT_EQ(Pod(R"("phase":"Running",)" +
                Container(R"("waiting":{"reason":"CrashLoopBackOff"})", last)),
            "STARTED 2 @2, FAILED 2 OWN @9, PROGRESS 3 @9");
}

TEST(KubernetesEvents, ConditionsOfAJob) {
  const auto job = [](const std::string& type, const std::string& metadata = "") {
    return Events(Object("Job", R"("startTime":)" + At(3) + R"(,"conditions":[{"type":")" + type +
                                    R"(","status":"True","lastTransitionTime":)" + At(7) + "}]",
                         metadata));
  };
  EXPECT_EQ(job("Complete"), "STARTED 1 @3, SUCCEEDED 1 @7");
  EXPECT_EQ(job("SuccessCriteriaMet"), "STARTED 1 @3, SUCCEEDED 1 @7");
  EXPECT_EQ(job("Failed"), "STARTED 1 @3, FAILED 1 OWN @7");
  EXPECT_EQ(job("FailureTarget"), "STARTED 1 @3, FAILED 1 OWN @7");
  EXPECT_EQ(job("Suspended"), "STARTED 1 @3");
  EXPECT_EQ(job("Suspended", R"(,"deletionTimestamp":)" + At(35)), "STARTED 1 @3, CANCELLED 1 @35");
}

TEST(KubernetesEvents, EventsOfAWatch) {
  const std::string pod = Object("Pod", R"("phase":"Running")");
  const auto watched = [&](const std::string& type) {
    return Events(R"({"type":")" + type + R"(","object":)" + pod + "}");
  };
  EXPECT_EQ(watched("ADDED"), "");
  EXPECT_EQ(watched("DELETED"), "CANCELLED 1 @1");
  EXPECT_EQ(watched("ERROR"), "type: `ERROR` is no change of an object: the watch ended here, "
                              "start it again");
  EXPECT_EQ(Events(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1"}})"), "");
}

TEST(KubernetesEvents, Errors) {
  EXPECT_EQ(Events(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"}})"),
            "metadata.uid: is missing: events need an object that was created");
  EXPECT_EQ(Pod(R"("phase":"Succeeded","containerStatuses":[{"state":{"terminated":)"
                R"({"exitCode":0,"finishedAt":"soon"}}}])"),
            "status.containerStatuses[0].state.terminated.finishedAt: `soon` is no time (write it "
            "as `2006-01-02T15:04:05Z`)");
}

}  // namespace
}  // namespace precedent::kubernetes
