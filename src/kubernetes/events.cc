#include "src/kubernetes/events.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/json/path.h"
#include "src/json/time.h"
#include "src/kubernetes/fields.h"

namespace precedent::kubernetes {
namespace {

using json::Value;
using v1::JobEvent;

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// How an attempt ended.
struct Ending {
  JobEvent::Kind kind = JobEvent::FAILED;
  JobEvent::Cause cause = JobEvent::CAUSE_UNSPECIFIED;

  static Ending Own() { return {JobEvent::FAILED, JobEvent::OWN}; }
  static Ending Infrastructure() { return {JobEvent::FAILED, JobEvent::INFRASTRUCTURE}; }
  static Ending Unknown() { return {}; }
  static Ending Of(JobEvent::Kind kind) { return {kind, JobEvent::CAUSE_UNSPECIFIED}; }
};

// Of a container that ended (`state.terminated`).
Ending EndOfContainer(Value terminated) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  // The kubelet gives exit code 137 to a container of which it knows nothing any more.
  if (TextOf(terminated.Get("reason")) == "ContainerStatusUnknown") return Ending::Infrastructure();
  const auto code = terminated.Get("exitCode").Integer(kMin, kMax);
  if (!code.has_value()) return Ending::Unknown();
  return *code == 0 ? Ending::Of(JobEvent::SUCCEEDED) : Ending::Own();
}

class History {
 public:
  History(const WatchEvent& watched, Reading& reading, std::vector<v1::LineageEvent>& events)
      : object_(watched.object),
        status_(object_.Get("status")),
        is_deleted_(watched.is_deleted),
        events_(events) {
    v1::JobDescriptor& job = reading.draft.out.job;
    const Value metadata = object_.Get("metadata");
    id_ = job.id();
    if (id_.empty()) metadata.Get("uid").Fail("is missing: events need an object that was created");
    if (!job.has_submitted()) metadata.Get("creationTimestamp").Fail("is missing");
    deletion_ = TimeOf(metadata.Get("deletionTimestamp"));
    latest_ = TimeOf(metadata.Get("creationTimestamp")).value_or(absl::UnixEpoch());
    reading.draft.WriteClaimed();
    v1::Submission& submission = *events_.emplace_back().mutable_submitted();
    submission.set_owner(job.namespace_());
    *submission.mutable_job() = std::move(job);
  }

  void OfPod() {
    ReadContainers();
    const std::string_view phase = TextOf(status_.Get("phase"));
    if (phase == "Succeeded") return End(Ending::Of(JobEvent::SUCCEEDED), finished_);
    // The condition comes before the pod has stopped.
    if (const Value target = ConditionOf(object_, "DisruptionTarget"); IsTrue(target)) {
      return End(OfDisruption(TextOf(target.Get("reason"))),
                 TimeOf(target.Get("lastTransitionTime")));
    }
    if (phase == "Failed") {
      const bool stopped =
          deletion_.has_value() && finished_.has_value() && *finished_ >= *deletion_ - Grace();
      return End(stopped ? Ending::Of(JobEvent::CANCELLED) : OfFailedPod(), finished_);
    }
    if (deletion_.has_value() || is_deleted_) End(Ending::Of(JobEvent::CANCELLED), deletion_);
  }

  void OfJob() {
    if (const auto started = TimeOf(status_.Get("startTime"))) Add(JobEvent::STARTED, *started);
    for (const char* type : {"Complete", "SuccessCriteriaMet"}) {
      const Value condition = ConditionOf(object_, type);
      if (IsTrue(condition))
        return End(Ending::Of(JobEvent::SUCCEEDED), TimeOf(condition.Get("lastTransitionTime")));
    }
    for (const char* type : {"Failed", "FailureTarget"}) {
      const Value condition = ConditionOf(object_, type);
      if (IsTrue(condition)) return End(Ending::Own(), TimeOf(condition.Get("lastTransitionTime")));
    }
    if (deletion_.has_value() || is_deleted_) End(Ending::Of(JobEvent::CANCELLED), deletion_);
  }

 private:
  static Ending OfDisruption(std::string_view reason) {
    return IsOneOf(reason, {"PreemptionByScheduler", "EvictionByEvictionAPI"})
               ? Ending::Of(JobEvent::PREEMPTED)
               : Ending::Infrastructure();
  }

  Ending OfFailedPod() const {
    const std::string_view reason = TextOf(status_.Get("reason"));
    if (reason == "Preempting") return Ending::Of(JobEvent::PREEMPTED);
    if (reason == "DeadlineExceeded") return Ending::Own();
    if (IsOneOf(reason, {"NodeLost", "Terminated", "Shutdown", "NodeShutdown", "NodeAffinity",
                         "UnexpectedAdmissionError"}) ||
        reason.substr(0, 5) == "OutOf") {
      return Ending::Infrastructure();
    }
    if (reason == "Evicted") {
      // The kubelet's words for a volume or the disk beyond the pod's own limit; else the
      // node ran short.
      const std::string_view message = TextOf(status_.Get("message"));
      const bool own =
          absl::StrContains(absl::string_view(message.data(), message.size()), "exceeds the");
      return own ? Ending::Own() : Ending::Infrastructure();
    }
    Ending result = Ending::Unknown();
    for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
      for (const Value container : status_.Get(list).Items()) {
        const Value terminated = container.Get("state").Get("terminated");
        if (!terminated.present()) continue;
        const Ending ending = EndOfContainer(terminated);
        if (ending.kind != JobEvent::FAILED || ending.cause == JobEvent::CAUSE_UNSPECIFIED)
          continue;
        // A lost host explains whatever else ended.
        if (result.cause != JobEvent::INFRASTRUCTURE) result = ending;
      }
    }
    return result;
  }

  // The time that a pod has between the wish to delete it and its end.
  absl::Duration Grace() const {
    return absl::Seconds(object_.Get("metadata")
                             .Get("deletionGracePeriodSeconds")
                             .Integer(0, std::numeric_limits<std::int32_t>::max())
                             .value_or(0));
  }

  // The attempts of the container that restarted most.
  void ReadContainers() {
    Value main;
    std::int64_t restarts = -1;
    for (const Value container : status_.Get("containerStatuses").Items()) {
      const std::int64_t count = container.Get("restartCount").Integer(0, 1'000'000).value_or(0);
      const Value terminated = container.Get("state").Get("terminated");
      if (const auto at = TimeOf(terminated.Get("finishedAt")))
        finished_ = std::max(finished_.value_or(*at), *at);
      if (count <= restarts) continue;
      restarts = count;
      main = container;
    }
    if (!main.present()) return;
    attempt_ = static_cast<std::int32_t>(restarts) + 1;
    const Value last = main.Get("lastState").Get("terminated");
    if (restarts > 0 && last.present()) {
      --attempt_;
      if (const auto at = TimeOf(last.Get("startedAt"))) Add(JobEvent::STARTED, *at);
      End(EndOfContainer(last), TimeOf(last.Get("finishedAt")));
      ++attempt_;
      // It lives, also while it waits to be started again.
      Add(JobEvent::PROGRESS, latest_);
    }
    const Value state = main.Get("state");
    for (const char* now : {"running", "terminated"}) {
      const auto at = TimeOf(state.Get(now).Get("startedAt"));
      if (at.has_value()) Add(JobEvent::STARTED, *at);
    }
  }

  JobEvent& Add(JobEvent::Kind kind, absl::Time at) {
    latest_ = std::max(latest_, at);
    JobEvent& event = *events_.emplace_back().mutable_job();
    event.set_job(id_);
    event.set_attempt(attempt_);
    event.set_kind(kind);
    *event.mutable_time() = json::ToTimestamp(at);
    return event;
  }

  // What has no time of its own happened after all that has one.
  void End(Ending ending, std::optional<absl::Time> at) {
    Add(ending.kind, at.value_or(latest_)).set_cause(ending.cause);
  }

  Value object_;
  Value status_;
  bool is_deleted_;
  std::string id_;
  std::optional<absl::Time> deletion_;
  std::optional<absl::Time> finished_;  // the last container
  absl::Time latest_;
  std::int32_t attempt_ = 1;
  std::vector<v1::LineageEvent>& events_;
};

}  // namespace

WatchEvent ReadWatchEvent(Value root) {
  WatchEvent event;
  event.object = root;
  if (!root.is_object() || !root.HasKey("object") || !root.HasKey("type")) return event;
  event.object = root.Get("object");
  const Value type = root.Get("type");
  const std::string_view name = TextOf(type);
  event.is_deleted = name == "DELETED";
  event.is_bookmark = name == "BOOKMARK";
  if (!IsOneOf(name, {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"})) {
    type.Fail(absl::StrCat("`", json::Printable(name),
                           "` is no change of an object: the watch ended here, start it again"));
  }
  return event;
}

std::vector<v1::LineageEvent> EventsOf(const WatchEvent& watched, Reading& reading) {
  std::vector<v1::LineageEvent> events;
  History history(watched, reading, events);
  if (reading.kind->kind == "Pod") history.OfPod();
  if (reading.kind->kind == "Job" && reading.kind->group == "batch") history.OfJob();
  return events;
}

}  // namespace precedent::kubernetes
