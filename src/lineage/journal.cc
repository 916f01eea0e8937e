// Messages: into the graph, and into and out of a journal.
#include "precedent/lineage_journal.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "precedent/job_view.h"
#include "src/lineage/core.h"
#include "src/lineage/frame.h"

namespace precedent {
namespace {

std::optional<TimePoint> TimeOf(const google::protobuf::Timestamp& time) {
  // The range of a valid Timestamp.
  if (time.seconds() < -62'135'596'800 || time.seconds() > 253'402'300'799 || time.nanos() < 0 ||
      time.nanos() > 999'999'999) {
    return std::nullopt;
  }
  return TimePoint(
      std::chrono::microseconds(time.seconds() * 1'000'000 + time.nanos() / 1000));
}

absl::StatusOr<Applied> SubmitTo(LineageGraph& graph, const v1::Submission& message,
                                 std::vector<JobSlot>* touched) {
  const v1::JobDescriptor& job = message.job();
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("job ", internal::Quoted(job.id()), ": ", what));
  };
  std::vector<ParentRef> parents;
  parents.reserve(static_cast<std::size_t>(job.parents_size()));
  for (const v1::Parent& parent : job.parents()) {
    Relation relation = Relation::kDependsOn;  // also of RELATION_UNSPECIFIED
    if (parent.relation() != v1::Parent::RELATION_UNSPECIFIED) {
      if (!v1::Parent::Relation_IsValid(parent.relation()))
        return wrong(absl::StrCat("relation ", static_cast<int>(parent.relation()),
                                  " to parent ", internal::Quoted(parent.id()),
                                  " is unknown to this version"));
      relation = static_cast<Relation>(parent.relation());
    }
    parents.push_back({parent.id(), relation});
  }
  Submission submission;
  submission.id = job.id();
  submission.owner = message.owner();
  submission.lineage_key = job.lineage_key();
  submission.parents = Span<const ParentRef>(parents.data(), parents.size());
  if (job.has_submitted()) {
    const std::optional<TimePoint> time = TimeOf(job.submitted());
    if (!time.has_value()) return wrong("`submitted` is not in the years 1 to 9999");
    submission.submitted = *time;
  }
  const bool claimed = std::find(job.claimed().begin(), job.claimed().end(), v1::LINEAGE) !=
                       job.claimed().end();
  if (!claimed && job.has_lineage()) submission.carried = JobView(job).descriptor().lineage;
  return graph.Submit(submission, touched);
}

absl::StatusOr<Applied> ApplyEventTo(LineageGraph& graph, const v1::JobEvent& message,
                                     std::vector<JobSlot>* touched) {
  JobEvent event;
  event.job = message.job();
  event.attempt = message.attempt();
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("event about job ", internal::Quoted(message.job()), ": ", what));
  };
  if (message.kind() == v1::JobEvent::KIND_UNSPECIFIED ||
      !v1::JobEvent::Kind_IsValid(message.kind()))
    return wrong(absl::StrCat("kind ", static_cast<int>(message.kind()),
                              " is unknown to this version"));
  if (!v1::JobEvent::Cause_IsValid(message.cause()))
    return wrong(absl::StrCat("cause ", static_cast<int>(message.cause()),
                              " is unknown to this version"));
  event.kind = static_cast<EventKind>(message.kind());
  event.cause = static_cast<Cause>(message.cause());
  if (message.has_time()) {
    const std::optional<TimePoint> time = TimeOf(message.time());
    if (!time.has_value()) return wrong("`time` is not in the years 1 to 9999");
    event.time = *time;
  }
  if (message.has_step()) event.step = message.step();
  if (message.has_progress()) event.progress = message.progress();
  if (message.has_reported_priority()) event.reported_priority = message.reported_priority();
  return graph.Apply(event, touched);
}

}  // namespace

absl::StatusOr<Applied> ApplyTo(LineageGraph& graph, const v1::LineageEvent& event,
                                std::vector<JobSlot>* touched) {
  switch (event.event_case()) {
    case v1::LineageEvent::kSubmitted:
      return SubmitTo(graph, event.submitted(), touched);
    case v1::LineageEvent::kJob:
      return ApplyEventTo(graph, event.job(), touched);
    case v1::LineageEvent::EVENT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("an event holds neither `submitted` nor `job`");
}

absl::Status AppendToJournal(const v1::LineageEvent& event, std::ostream& out) {
  return lineage::WriteRecord(event, out);
}

JournalEnd ReadJournal(std::istream& in,
                       const std::function<void(const v1::LineageEvent&)>& take) {
  lineage::RecordReader reader(in);
  for (v1::LineageEvent event; reader.Next(event);) take(event);
  return {reader.records(), reader.bytes(), reader.damage()};
}

}  // namespace precedent
