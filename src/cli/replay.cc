// precedent replay: what a policy would have made of what happened.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "precedent/lineage_view.h"
#include "precedent/reprioritiser.h"
#include "src/cli/command.h"
#include "src/cli/event_input.h"
#include "src/cli/flags.h"
#include "src/cli/progress.h"
#include "src/cli/proto_json.h"
#include "src/cli/replay_story.h"

ABSL_FLAG(std::string, events, "", "file of events");

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent replay --policy=P --events=FILE [--output=json|table]

Prints every priority that the policy would have given, and every change of it while
the jobs lived, with the reason; then, of every job, what came before it.

FILE is `-` (standard input) or a file of YAML, text format or JSON (objects one after
the other, one per line, in a list, or in a `List`) of
  Kubernetes objects  pods and Jobs with their status, in any number of states, as
                      `kubectl get pods,jobs -w -o json` prints them, with or without
                      --output-watch-events; other kinds are only submitted
  AWS Batch           state change events, results of DescribeJobs and
                      DescribeServiceJob, SQS messages of these
  our own             precedent.v1.LineageEvent, or `events` of LineageEvents; or a
                      journal of the former (not on standard input)
Telling the same thing twice changes nothing. Events are replayed in the order of their
times; of equal ones submissions come first, and otherwise the order of the file stands.
Between them time passes: what waiting alone changes is told when it does.

A parent that nobody submitted, or another owner did, is an error; the job is replayed
without its parents all the same.

  --policy=P       the policy: text format, JSON, YAML or binary
  --now=TIME       let time pass until then; the last event's time if not given
  --output=json    one object a line (precedent.v1.ReplayRecord): `change`, in order,
                   then `facts` of each job, in the order of submission; the default
  --output=table   two tables for people
  --options=F      precedent.v1.AdapterOptions: which metadata keys are read, ...
  --definition=F   the Batch job definition of the jobs

Exit code: 0 all replayed; 1 some input was invalid: a diagnostic on standard error, the
rest is replayed; 2 wrong usage or a policy with errors.
)";

struct Timed {
  TimePoint time;
  InputEvent input;
};

google::protobuf::Timestamp ToTimestamp(TimePoint time) {
  google::protobuf::Timestamp timestamp;
  std::int64_t micros = time.time_since_epoch().count();
  std::int64_t seconds = micros / 1'000'000;
  if (micros % 1'000'000 < 0) --seconds;
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(static_cast<std::int32_t>((micros - seconds * 1'000'000) * 1000));
  return timestamp;
}

class Replay {
 public:
  // `report` gets what is wrong, with the line of the event.
  Replay(const Evaluator& evaluator, bool table, Console& console,
         std::function<void(const Issue&)> report)
      : reprioritiser_(&graph_, &live_, &store_),
        table_(table),
        console_(console),
        report_(std::move(report)) {
    if (live_.Publish(evaluator) != PublishStatus::kPublished)
      report_(Error("the policy could not be made live"));
  }

  void Run(const std::vector<Timed>& events) {
    for (std::size_t begin = 0; begin < events.size();) {
      std::size_t end = begin;
      while (end < events.size() && events[end].time == events[begin].time) ++end;
      PassUntil(events[begin].time);
      // Of one time, parents before children, in whatever order they stand.
      std::vector<const InputEvent*> submissions;
      for (std::size_t i = begin; i < end; ++i)
        if (events[i].input.event.has_submitted()) submissions.push_back(&events[i].input);
      while (Submit(submissions, false)) {
      }
      Submit(submissions, true);
      for (std::size_t i = begin; i < end; ++i) {
        const InputEvent& input = events[i].input;
        if (!input.event.has_job()) continue;
        const auto applied =
            reprioritiser_.Apply(ToJobEvent(input.event.job()), now_, &changes_);
        if (!applied.ok()) Fail(applied.status(), input);
        if (applied.ok() && *applied == Applied::kKept) kept_[input.event.job().job()] = input.line;
        Tell();
      }
      begin = end;
    }
  }

  // Stops at whatever is due on the way.
  void PassUntil(TimePoint time) {
    while (reprioritiser_.next_due() < time && reprioritiser_.next_due() > now_)
      Advance(reprioritiser_.next_due());
    Advance(time);
  }

  void End() {
    for (const auto& [job, line] : kept_) {
      if (!graph_.Find(job).has_value())
        report_(Error(absl::StrCat("job `", Printable(job), "` was never submitted: its events "
                                   "change nothing"), line));
    }
    std::vector<v1::JobFacts> facts;
    for (const std::string& job : order_) {
      const std::optional<JobSlot> slot = graph_.Find(job);
      if (!slot.has_value()) continue;
      facts.push_back(FactsOf(job, *slot));
      if (table_) continue;
      v1::ReplayRecord record;
      *record.mutable_facts() = std::move(facts.back());
      facts.clear();
      console_.out << JsonLine(record) << '\n';
    }
    if (table_) console_.out << FormatStory(story_, facts);
  }

 private:
  // Submits what can be: all but those whose parents may still come. Whether any was.
  bool Submit(std::vector<const InputEvent*>& submissions, bool last) {
    bool any = false;
    std::vector<const InputEvent*> waiting;
    for (const InputEvent* input : submissions) {
      const v1::Submission& message = input->event.submitted();
      const std::string& id = message.job().id();
      // Later states of an object may say other parents; the first that was told stands.
      if (input->of_platform && names_.count(id) > 0) continue;
      const SubmissionView view(message);
      Submission submission = view.submission();
      auto applied = reprioritiser_.Submit(submission, view.descriptor(), now_, &changes_);
      const bool parents = applied.status().code() == absl::StatusCode::kNotFound ||
                           applied.status().code() == absl::StatusCode::kPermissionDenied;
      if (parents && !last) {
        waiting.push_back(input);
        continue;
      }
      if (!applied.ok()) Fail(applied.status(), *input);
      if (parents) {
        submission.parents = Span<const ParentRef>();
        applied = reprioritiser_.Submit(submission, view.descriptor(), now_, &changes_);
      }
      if (applied.ok() && names_.emplace(id, message.job().name()).second) order_.push_back(id);
      any = true;
      Tell();
    }
    submissions.swap(waiting);
    return any && !submissions.empty();
  }

  void Advance(TimePoint time) {
    now_ = std::max(now_, time);
    reprioritiser_.Advance(now_, &changes_);
    Tell();
  }

  void Fail(const absl::Status& status, const InputEvent& input) {
    report_(Error(std::string(status.message()), input.line));
  }

  // While what the changes borrow is there.
  void Tell() {
    for (const PriorityChange& c : changes_) {
      v1::PriorityChange change;
      *change.mutable_time() = ToTimestamp(now_);
      change.set_job(std::string(c.job));
      const auto name = names_.find(change.job());
      if (name != names_.end()) change.set_name(name->second);
      if (c.reason != ChangeReason::kSubmitted) {
        change.set_old_priority(c.old_priority);
        change.set_old_class(std::string(c.old_class));
      }
      change.set_new_priority(c.new_priority);
      change.set_new_class(std::string(c.new_class));
      change.set_reason(static_cast<v1::PriorityChange::Reason>(c.reason));
      change.set_cause(std::string(c.cause));
      if (table_) {
        story_.push_back(std::move(change));
        continue;
      }
      v1::ReplayRecord record;
      *record.mutable_change() = std::move(change);
      console_.out << JsonLine(record) << '\n';
    }
    changes_.clear();
  }

  v1::JobFacts FactsOf(const std::string& job, JobSlot slot) const {
    v1::JobFacts facts;
    facts.set_job(job);
    facts.set_name(names_.at(job));
    facts.set_state(static_cast<v1::JobFacts::State>(static_cast<int>(graph_.state(slot)) + 1));
    if (const auto published = reprioritiser_.published(job)) {
      facts.set_priority(published->priority);
      facts.set_priority_class(std::string(published->priority_class));
    }
    const Lineage from = graph_.facts(slot);
    v1::Lineage& to = *facts.mutable_lineage();
    to.set_failure_count(from.failure_count);
    to.set_preemption_count(from.preemption_count);
    to.set_infrastructure_failure_count(from.infrastructure_failure_count);
    to.set_attempt(from.attempt);
    to.set_depth(from.depth);
    to.set_step(from.step);
    if (!IsAbsent(from.predecessor_runtime_seconds))
      to.set_predecessor_runtime_seconds(from.predecessor_runtime_seconds);
    if (!IsAbsent(from.progress)) to.set_progress(from.progress);
    if (!IsAbsent(from.reported_priority)) to.set_reported_priority(from.reported_priority);
    to.set_retry_of_preempted(from.retry_of_preempted);
    return facts;
  }

  LineageGraph graph_;
  LiveEvaluator live_;
  DescriptorStore store_;
  Reprioritiser reprioritiser_;
  const bool table_;
  Console& console_;
  const std::function<void(const Issue&)> report_;

  TimePoint now_ = kNoTime;
  std::vector<PriorityChange> changes_;
  std::vector<v1::PriorityChange> story_;
  std::map<std::string, std::string> names_;  // of all that were submitted, by id
  std::vector<std::string> order_;
  std::map<std::string, int> kept_;  // lines of events about jobs that nobody submitted yet
};

// When it happened; nothing where that is missing, which was reported.
std::optional<TimePoint> TimeOf(const InputEvent& input,
                                const std::function<void(const Issue&)>& report) {
  const bool submitted = input.event.has_submitted();
  const v1::Submission& submission = input.event.submitted();
  const TimePoint time = submitted
                             ? submission.job().has_submitted()
                                   ? ToTimePoint(submission.job().submitted())
                                   : kNoTime
                             : input.event.job().has_time()
                                   ? ToTimePoint(input.event.job().time())
                                   : kNoTime;
  if (time != kNoTime) return time;
  report(Error(submitted ? "submitted.job.submitted: is missing or no time"
                         : "job.time: is missing or no time",
               input.line));
  return std::nullopt;
}

int Run(const std::vector<std::string>&, Console& console) {
  const std::optional<std::string> output = OutputFromFlag({"json", "table"}, console);
  if (!output) return kUsage;
  std::optional<TimePoint> until;
  if (!absl::GetFlag(FLAGS_now).empty() && !(until = NowFromFlag(console))) return kUsage;
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  if (!policy) return kUsage;
  const std::optional<v1::AdapterOptions> options = OptionsFromFlag(console);
  if (!options) return kUsage;
  std::optional<std::string> definition = DefinitionFromFlag(console);
  if (!definition) return kUsage;
  const absl::StatusOr<EventInput> input = EventInput::Create(*options, *std::move(definition));
  if (!input.ok()) {
    Report(console, Error(std::string(input.status().message())), absl::GetFlag(FLAGS_options));
    return kUsage;
  }

  const std::string file = absl::GetFlag(FLAGS_events);
  int code = kOk;
  Progress progress(console.err);
  const auto report = [&](const Issue& issue) {
    progress.Wipe();
    Report(console, issue, file);
    if (issue.severity == Severity::kError) code = kFailed;
  };
  std::vector<Timed> events;
  std::set<std::string> seen;
  input->ReadFile(file, {[&](InputEvent&& event) {
                           progress.Add();
                           // Not to keep a descriptor for every state of an object.
                           if (event.of_platform && event.event.has_submitted() &&
                               !seen.insert(event.event.submitted().job().id()).second)
                             return;
                           if (const auto time = TimeOf(event, report))
                             events.push_back({*time, std::move(event)});
                         },
                         report});
  std::stable_sort(events.begin(), events.end(),
                   [](const Timed& a, const Timed& b) { return a.time < b.time; });
  Replay replay(policy->evaluator(), *output == "table", console, report);
  replay.Run(events);
  if (until) replay.PassUntil(*until);
  replay.End();
  return code;
}

}  // namespace

Command ReplayCommand() {
  return {"replay",
          "the priorities of jobs while they lived",
          kHelp,
          {"policy", "events", "now", "output", "options", "definition"},
          {"policy", "events"},
          "no arguments",
          0,
          0,
          Run};
}

}  // namespace precedent::cli
