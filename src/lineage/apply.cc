// Events.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "src/lineage/core.h"

namespace precedent::internal {
namespace {

constexpr std::uint32_t kOldestHeard = 32;  // attempts below the newest

bool Ends(EventKind kind) { return kind >= EventKind::kSucceeded; }

JobState StateAfter(EventKind ending) {
  switch (ending) {
    case EventKind::kSucceeded:
      return JobState::kSucceeded;
    case EventKind::kPreempted:
      return JobState::kPreempted;
    case EventKind::kCancelled:
      return JobState::kCancelled;
    default:
      return JobState::kFailed;
  }
}

bool IsKnown(const JobEvent& ending) {
  return ending.kind != EventKind::kFailed || ending.cause != Cause::kUnknown;
}

void Count(const JobEvent& ending, Counts& total) {
  if (ending.kind == EventKind::kPreempted) ++total.preemption;
  if (ending.kind != EventKind::kFailed) return;
  if (ending.cause == Cause::kOwn) ++total.failure;
  if (ending.cause == Cause::kInfrastructure) ++total.infrastructure;
}

bool IsFinite(double value) { return IsAbsent(value) || std::isfinite(value); }

absl::Status Check(const JobEvent& event) {
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("event about job ", Quoted(event.job), ": ", what));
  };
  if (event.job.empty()) return absl::InvalidArgumentError("event: it names no job");
  if (event.job.size() > kMaxIdBytes)
    return wrong(absl::StrCat("the id has more than ", kMaxIdBytes, " bytes"));
  if (event.time == kNoTime) return wrong("it has no time");
  if (event.attempt < 0 || static_cast<std::uint32_t>(event.attempt) > lineage::kMaxAttempt)
    return wrong(absl::StrCat("attempt ", event.attempt, " is not from 0 to ",
                              lineage::kMaxAttempt));
  if (event.kind < EventKind::kStarted || event.kind > EventKind::kCancelled)
    return wrong(absl::StrCat("kind ", static_cast<int>(event.kind), " is none of JobEvent.Kind"));
  if (event.cause > Cause::kInfrastructure)
    return wrong(
        absl::StrCat("cause ", static_cast<int>(event.cause), " is none of JobEvent.Cause"));
  if (!IsAbsent(event.progress) && !(event.progress >= 0 && event.progress <= 1))
    return wrong("progress is not from 0 to 1");
  if (!IsFinite(event.reported_priority)) return wrong("reported_priority is not finite");
  return absl::OkStatus();
}

double Runtime(std::int64_t from, std::int64_t to) {
  std::int64_t microseconds;
  if (from == kNoMoment || to < from || __builtin_sub_overflow(to, from, &microseconds))
    return kAbsent;
  return static_cast<double>(microseconds) / 1e6;
}

}  // namespace

// One event about one job: what it changes in the job itself. Then the rest follows.
class EventOnJob {
 public:
  EventOnJob(LineageCore& core, JobSlot slot, const JobEvent& event)
      : core_(core),
        slot_(slot),
        event_(event),
        job_(core.jobs[slot]),
        before_(core.FactsOf(slot)),
        facts_(before_),
        values_(core.ReportOf(slot, before_)),
        time_(Micros(event.time)) {}

  // False: nothing is new.
  bool Apply(Touched* touched);

 private:
  void NewAttempt(std::uint32_t attempt, std::uint32_t newest);
  void OnOlderAttempt(std::uint32_t behind);
  void OnNewestAttempt();
  void Progress();
  void End();
  void Checkpoint() {
    if (job_.checkpoint != kNoMoment && time_ <= job_.checkpoint) return;
    job_.checkpoint = time_;
    changed_ = true;
  }
  void SetState(JobState state) {
    job_.state = static_cast<std::uint32_t>(state);
    changed_ = spreads_ = true;
  }

  LineageCore& core_;
  const JobSlot slot_;
  const JobEvent& event_;
  Job& job_;
  const lineage::Facts before_;
  lineage::Facts facts_;
  Report::Values values_;
  const std::int64_t time_;
  bool changed_ = false;
  bool spreads_ = false;  // others may have to know
  bool values_changed_ = false;
};

bool EventOnJob::Apply(Touched* touched) {
  const bool was_living = job_.living();
  // Later jobs of its group may have been its retries by what is so far known.
  std::int64_t since = job_.Retried() ? job_.moment : INT64_MAX;
  const std::uint32_t newest = facts_.total.attempt - job_.base.attempt;
  const std::uint32_t attempt =
      event_.attempt == 0 ? newest : static_cast<std::uint32_t>(event_.attempt);
  if (attempt < newest) {
    if (newest - attempt > kOldestHeard) return false;
    OnOlderAttempt(newest - attempt);
  } else {
    if (attempt > newest) NewAttempt(attempt, newest);
    OnNewestAttempt();
  }
  if (!changed_) return false;

  if (values_changed_ && facts_.report == 0) {
    if (LineageCore::IsPlain(values_)) {
      facts_.step = static_cast<std::uint32_t>(values_.step);
    } else {
      facts_.report = core_.reports.Take();
    }
  }
  core_.StoreFacts(slot_, facts_, values_);
  core_.Touch(slot_, touched);
  if (was_living != job_.living()) {
    if (was_living) {
      core_.BecomeEnded(slot_);
    } else {
      core_.BecomeLiving(slot_);
    }
  }
  if (job_.Retried()) {
    since = std::min(since, job_.moment);
    Raise(core_.groups[job_.group].greatest, facts_.total);
  }
  if (spreads_ || facts_.total != before_.total)
    core_.Spread(slot_, since == INT64_MAX ? kNoMoment : since, touched);
  return true;
}

void EventOnJob::NewAttempt(std::uint32_t attempt, std::uint32_t newest) {
  changed_ = true;
  const std::uint32_t skipped = attempt - newest - 1;
  const std::uint64_t known = std::uint64_t{job_.older_known} << 1 | job_.newest_known;
  job_.older_known = skipped > 31 ? 0 : static_cast<std::uint32_t>(known << skipped);
  // What a user or a success ended for good stays so, unless this happened later.
  const bool stays = (job_.Is(JobState::kSucceeded) || job_.Is(JobState::kCancelled)) &&
                     time_ <= job_.moment;
  const bool follows = skipped == 0 && !job_.Is(JobState::kWaiting);
  job_.prior_started = follows ? job_.started : kNoMoment;
  job_.prior_ended = follows && !stays && !job_.living();
  facts_.retry_of_preempted = follows && job_.Is(JobState::kPreempted);
  facts_.runtime = job_.prior_ended != 0 ? Runtime(job_.started, job_.moment) : kAbsent;
  job_.started = kNoMoment;
  facts_.total.attempt += attempt - newest;
  if (stays) {
    if (Ends(event_.kind) && IsKnown(event_)) Count(event_, facts_.total);
    return;
  }
  job_.moment = kNoMoment;
  job_.newest_known = 0;
  SetState(JobState::kRunning);
}

void EventOnJob::OnOlderAttempt(std::uint32_t behind) {
  if (event_.kind == EventKind::kCheckpointed) Checkpoint();
  if (!Ends(event_.kind)) return;
  const std::uint32_t bit = 1u << (behind - 1);
  if ((job_.older_known & bit) != 0) return;
  if (behind == 1 && job_.prior_ended == 0) {
    job_.prior_ended = 1;
    const double runtime = Runtime(job_.prior_started, time_);
    if (!IsAbsent(runtime)) {
      facts_.runtime = runtime;
      changed_ = true;
    }
  }
  if (!IsKnown(event_)) return;
  job_.older_known |= bit;
  Count(event_, facts_.total);
  if (behind == 1) facts_.retry_of_preempted = event_.kind == EventKind::kPreempted;
  changed_ = true;
}

void EventOnJob::OnNewestAttempt() {
  if (Ends(event_.kind)) return End();
  if (event_.kind == EventKind::kCheckpointed) Checkpoint();
  if (event_.kind == EventKind::kStarted && job_.started == kNoMoment) {
    job_.started = time_;
    changed_ = true;
    if (!job_.living()) spreads_ = true;  // now its runtime is known
  }
  if (!job_.living()) return;
  if (job_.Is(JobState::kWaiting)) {
    job_.state = static_cast<std::uint32_t>(JobState::kRunning);
    changed_ = true;
  }
  if (event_.kind == EventKind::kProgress) Progress();
}

void EventOnJob::Progress() {
  if (job_.moment != kNoMoment && time_ < job_.moment) return;
  const Report::Values old = values_;
  if (event_.step >= 0) {
    values_.step = event_.step;
    job_.step_reported = 1;
  }
  if (!IsAbsent(event_.progress)) values_.progress = event_.progress;
  if (!IsAbsent(event_.reported_priority)) values_.priority = event_.reported_priority;
  job_.moment = time_;
  if (old.step == values_.step &&
      lineage::BitsOf(old.progress) == lineage::BitsOf(values_.progress) &&
      lineage::BitsOf(old.priority) == lineage::BitsOf(values_.priority)) {
    return;
  }
  values_changed_ = changed_ = true;
}

void EventOnJob::End() {
  const bool known = IsKnown(event_);
  if (!job_.living() && (job_.newest_known != 0 || !known)) return;
  if (job_.living()) job_.moment = time_;
  if (known) {
    job_.newest_known = 1;
    Count(event_, facts_.total);
  }
  SetState(StateAfter(event_.kind));
}

bool LineageCore::ApplyTo(JobSlot slot, const JobEvent& event, Touched* touched) {
  return EventOnJob(*this, slot, event).Apply(touched);
}

absl::StatusOr<Applied> LineageCore::Apply(const JobEvent& event, Touched* touched) {
  const absl::Status status = Check(event);
  if (!status.ok()) return status;
  const std::optional<JobSlot> slot = Find(event.job);
  if (!slot.has_value()) {
    if (options.max_kept_events == 0)
      return absl::NotFoundError(
          absl::StrCat("event about job ", Quoted(event.job), ": no such job was submitted"));
    if (kept.size() >= options.max_kept_events)
      return absl::ResourceExhaustedError(absl::StrCat(
          "event about job ", Quoted(event.job), ": the job was not submitted, and max_kept_events (",
          options.max_kept_events, ") wait for theirs already"));
    KeptEvent& event_kept = kept.emplace_back();
    event_kept.job = std::string(event.job);
    event_kept.hash = IdHash(event.job);
    event_kept.event = event;
    event_kept.event.job = {};
    event_kept.until = SaturatingSum(clock == kNoMoment ? Micros(event.time) : clock,
                                     options.keep_events);
    return Applied::kKept;
  }
  const std::size_t begin = touched == nullptr ? 0 : touched->size();
  const bool changed = ApplyTo(*slot, event, touched);
  Untouch(begin, touched);
  return changed ? Applied::kChanged : Applied::kNothingNew;
}

}  // namespace precedent::internal
