#include "src/aws/events.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/aws/attempts.h"

namespace precedent::aws {
namespace {

using json::Value;
using v1::JobEvent;

// The last millisecond of the year 9999, beyond which there is no Timestamp.
constexpr std::int64_t kLast = 253'402'300'799'999;

std::string_view Text(Value value) { return value.String().value_or(std::string_view()); }

std::int64_t Milliseconds(Value value) { return value.Integer(0, kLast).value_or(0); }

// `123456789012` of `arn:aws:batch:us-east-1:123456789012:job/...`.
std::string Account(std::string_view arn) {
  for (int colons = 0; colons < 4; ++colons) {
    const std::size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return "";
    arn.remove_prefix(colon + 1);
  }
  return std::string(arn.substr(0, arn.find(':')));
}

class History {
 public:
  History(const v1::JobDescriptor& descriptor, std::vector<v1::LineageEvent>& events)
      : descriptor_(descriptor), events_(events) {}

  void Submitted(const v1::Lineage& carried, std::string owner) {
    v1::Submission& submission = *events_.emplace_back().mutable_submitted();
    *submission.mutable_job() = descriptor_;
    *submission.mutable_job()->mutable_lineage() = carried;
    if (carried.ByteSizeLong() == 0) submission.mutable_job()->clear_lineage();
    submission.set_owner(std::move(owner));
  }

  // `at` in milliseconds since 1970.
  JobEvent& Add(JobEvent::Kind kind, int attempt, std::int64_t at) {
    JobEvent& event = *events_.emplace_back().mutable_job();
    event.set_job(descriptor_.id());
    event.set_attempt(attempt);
    event.set_kind(kind);
    event.mutable_time()->set_seconds(at / 1000);
    event.mutable_time()->set_nanos(static_cast<std::int32_t>(at % 1000) * 1'000'000);
    return event;
  }

  void End(AttemptEnd end, bool by_hand, int attempt, std::int64_t at) {
    switch (end) {
      case AttemptEnd::kRunning:
        return;
      case AttemptEnd::kSucceeded:
        Add(JobEvent::SUCCEEDED, attempt, at);
        return;
      case AttemptEnd::kOwnFailure:
      case AttemptEnd::kTimeout:
        Add(JobEvent::FAILED, attempt, at).set_cause(JobEvent::OWN);
        return;
      case AttemptEnd::kHostLoss:
        Add(JobEvent::FAILED, attempt, at).set_cause(JobEvent::INFRASTRUCTURE);
        return;
      case AttemptEnd::kPreemption:
        Add(JobEvent::PREEMPTED, attempt, at);
        return;
      case AttemptEnd::kUnknown:
        Add(by_hand ? JobEvent::CANCELLED : JobEvent::FAILED, attempt, at);
        return;
    }
  }

 private:
  const v1::JobDescriptor& descriptor_;
  std::vector<v1::LineageEvent>& events_;
};

}  // namespace

std::vector<v1::LineageEvent> EventsOf(Value job, const v1::JobDescriptor& descriptor,
                                       const v1::Lineage& carried, absl::Time told_at) {
  std::vector<v1::LineageEvent> events;
  if (descriptor.id().empty() || !descriptor.has_submitted()) return events;
  History history(descriptor, events);
  history.Submitted(carried, Account(Text(job.Get("jobArn"))));

  const std::vector<Attempt> attempts = ListAttempts(job);
  const bool by_hand = IsStoppedByHand(job);
  // Whatever has no time of its own happened after all that has one.
  std::int64_t latest = descriptor.submitted().seconds() * 1000;
  int number = 0;
  for (const Attempt& attempt : attempts) {
    ++number;
    if (attempt.started > 0 && attempt.started <= kLast)
      history.Add(JobEvent::STARTED, number, attempt.started);
    latest = std::max({latest, attempt.started, std::min(attempt.stopped, kLast)});
    history.End(attempt.end, by_hand && number == static_cast<int>(attempts.size()), number,
                std::min(attempt.stopped, kLast));
  }
  const bool open = !attempts.empty() && attempts.back().end == AttemptEnd::kRunning;
  if (told_at != absl::InfinitePast()) latest = std::max(latest, absl::ToUnixMillis(told_at));

  const std::string_view status = Text(job.Get("status"));
  const std::int64_t started = Milliseconds(job.Get("startedAt"));
  const std::int64_t stopped = Milliseconds(job.Get("stoppedAt"));
  if (status == "SUCCEEDED" || status == "FAILED") {
    const bool succeeded = status == "SUCCEEDED";
    const bool told = !attempts.empty() && !open &&
                      (!succeeded || attempts.back().end == AttemptEnd::kSucceeded);
    if (told) return events;
    const int last = std::max(number, 1);
    if (attempts.empty() && started > 0) history.Add(JobEvent::STARTED, last, started);
    history.End(succeeded ? AttemptEnd::kSucceeded : AttemptEnd::kUnknown, by_hand, last,
                stopped > 0 ? stopped : latest);
  } else if (status == "RUNNING" && !open) {
    history.Add(JobEvent::STARTED, number + 1, started > 0 ? started : latest);
  } else if (number > 0 && !open && !status.empty()) {
    history.Add(JobEvent::PROGRESS, number + 1, latest);
  }
  return events;
}

}  // namespace precedent::aws
