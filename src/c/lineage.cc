#include "precedent/lineage.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "src/c/evaluate.h"
#include "src/c/handle.h"
#include "src/c/layout.h"
#include "src/c/status.h"
#include "src/c/text.h"

struct precedent_graph {
  static constexpr precedent::c::Kind kKind = precedent::c::kGraphKind;

  explicit precedent_graph(const precedent::LineageOptions& options) : graph(options) {}

  precedent::c::Kind kind = kKind;
  precedent::LineageGraph graph;
};

namespace precedent::c {
namespace {

precedent_lineage NothingBefore() noexcept {
  const Lineage nothing;
  precedent_lineage lineage;
  std::memset(static_cast<void*>(&lineage), 0, sizeof lineage);
  std::memcpy(static_cast<void*>(&lineage), &nothing, sizeof nothing);
  return lineage;
}

precedent_submission EmptySubmission() noexcept {
  precedent_submission submission = {};
  submission.struct_size = sizeof submission;
  submission.submitted = PRECEDENT_NO_TIME;
  submission.carried = NothingBefore();
  return submission;
}

precedent_event EmptyEvent() noexcept {
  precedent_event event = {};
  event.struct_size = sizeof event;
  event.kind = PRECEDENT_STARTED;
  event.time = PRECEDENT_NO_TIME;
  event.step = -1;
  event.progress = event.reported_priority = kAbsent;
  return event;
}

template <typename Struct>
precedent_status Initialise(Struct* given, std::size_t size, const Struct& empty) noexcept {
  if (given == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (!IsStructSize(size)) return PRECEDENT_WRONG_SIZE;
  given->struct_size = size;
  return GiveStruct(empty, given) ? PRECEDENT_OK : PRECEDENT_WRONG_SIZE;
}

// What the caller's submission or event says. False: null, or of no size that can be.
template <typename Struct>
precedent_status Take(const Struct* given, const char* name, Struct* known, char** error) {
  if (given == nullptr)
    return Fail(PRECEDENT_NULL_ARGUMENT, error, std::string(name) + ": is NULL");
  if (!TakeStruct(given, known)) return Fail(PRECEDENT_WRONG_SIZE, error);
  return PRECEDENT_OK;
}

precedent_status OutOfRange(const std::string& name, std::int64_t value, const char* what,
                            char** error) {
  return Fail(PRECEDENT_INVALID_INPUT, error,
              name + ": " + std::to_string(value) + " is no " + what);
}

precedent_status ReadParents(const precedent_submission& submission,
                             std::vector<ParentRef>* parents, char** error) {
  if (submission.parent_count != 0 && submission.parents == nullptr)
    return Fail(PRECEDENT_NULL_ARGUMENT, error, "parents: is NULL, and not counted 0");
  // Far above what any graph takes, so that a wrong count is not followed for long.
  if (submission.parent_count > (std::size_t{1} << 16))
    return Fail(PRECEDENT_WRONG_SIZE, error, "parent_count: is no count of parents: was it set?");
  for (std::size_t i = 0; i < submission.parent_count; ++i) {
    const precedent_parent& parent = submission.parents[i];
    const std::string name = "parents[" + std::to_string(i) + "]";
    if (const precedent_status status = CheckText(parent.id, name + ".id", error)) return status;
    if (parent.relation < PRECEDENT_RETRY_OF || parent.relation > PRECEDENT_STEP_OF)
      return OutOfRange(name + ".relation", parent.relation, "precedent_relation", error);
    parents->push_back({ToView(parent.id), static_cast<Relation>(parent.relation)});
  }
  return PRECEDENT_OK;
}

precedent_status Report(const absl::StatusOr<Applied>& result, precedent_applied* applied,
                        char** error) {
  if (!result.ok()) return FailWith(result.status(), error);
  if (applied != nullptr) *applied = static_cast<precedent_applied>(*result);
  return PRECEDENT_OK;
}

}  // namespace
}  // namespace precedent::c

using namespace precedent;
using namespace precedent::c;

precedent_status precedent_graph_open(const precedent_graph_options* options,
                                      precedent_graph** graph, char** error) {
  return Guarded(error, [&] {
    if (graph == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, error, "graph: is NULL");
    *graph = nullptr;
    precedent_graph_options known = {};
    if (options != nullptr && !TakeStruct(options, &known))
      return Fail(PRECEDENT_WRONG_SIZE, error);
    LineageOptions wanted;
    constexpr std::int64_t kCentury = std::int64_t{100} * 366 * 86'400;
    if (known.max_jobs > (std::uint64_t{1} << 30))
      return Fail(PRECEDENT_INVALID_INPUT, error, "max_jobs: is above 2^30");
    if (known.retention_seconds < 0 || known.retention_seconds > kCentury)
      return OutOfRange("retention_seconds", known.retention_seconds, "time to remember", error);
    if (known.retry_window_seconds < 0 || known.retry_window_seconds > kCentury)
      return OutOfRange("retry_window_seconds", known.retry_window_seconds, "time to remember",
                        error);
    if (known.max_jobs != 0) wanted.max_jobs = known.max_jobs;
    if (known.retention_seconds != 0)
      wanted.retention = std::chrono::seconds(known.retention_seconds);
    if (known.retry_window_seconds != 0)
      wanted.retry_window = std::chrono::seconds(known.retry_window_seconds);
    *graph = new precedent_graph(wanted);
    return PRECEDENT_OK;
  });
}

precedent_status precedent_graph_close(precedent_graph* graph) { return CloseHandle(graph); }

precedent_status precedent_submission_init(precedent_submission* submission, size_t size) {
  return Initialise(submission, size, EmptySubmission());
}

precedent_status precedent_event_init(precedent_event* event, size_t size) {
  return Initialise(event, size, EmptyEvent());
}

precedent_status precedent_graph_submit(precedent_graph* graph,
                                        const precedent_submission* submission,
                                        precedent_applied* applied, char** error) {
  return Guarded(error, [&] {
    precedent_status status = CheckHandle(graph);
    if (status != PRECEDENT_OK) return Fail(status, error);
    precedent_submission known = EmptySubmission();
    if ((status = Take(submission, "submission", &known, error))) return status;
    if ((status = CheckText(known.id, "id", error))) return status;
    if ((status = CheckText(known.owner, "owner", error))) return status;
    if ((status = CheckText(known.lineage_key, "lineage_key", error))) return status;
    if ((status =
             CheckBool(&known.carried.retry_of_preempted, "carried.retry_of_preempted", error)))
      return status;
    std::vector<ParentRef> parents;
    if ((status = ReadParents(known, &parents, error))) return status;
    Submission taken;
    taken.id = ToView(known.id);
    taken.owner = ToView(known.owner);
    taken.lineage_key = ToView(known.lineage_key);
    taken.parents = Span<const ParentRef>(parents.data(), parents.size());
    taken.submitted = ToTime(known.submitted);
    std::memcpy(static_cast<void*>(&taken.carried), &known.carried, sizeof taken.carried);
    return Report(graph->graph.Submit(taken), applied, error);
  });
}

precedent_status precedent_graph_apply(precedent_graph* graph, const precedent_event* event,
                                       precedent_applied* applied, char** error) {
  return Guarded(error, [&] {
    precedent_status status = CheckHandle(graph);
    if (status != PRECEDENT_OK) return Fail(status, error);
    precedent_event known = EmptyEvent();
    if ((status = Take(event, "event", &known, error))) return status;
    if ((status = CheckText(known.job, "job", error))) return status;
    if (known.kind < PRECEDENT_STARTED || known.kind > PRECEDENT_CANCELLED)
      return OutOfRange("kind", known.kind, "precedent_event_kind", error);
    if (known.cause < PRECEDENT_CAUSE_UNKNOWN || known.cause > PRECEDENT_CAUSE_INFRASTRUCTURE)
      return OutOfRange("cause", known.cause, "precedent_cause", error);
    JobEvent taken;
    taken.job = ToView(known.job);
    taken.attempt = known.attempt;
    taken.kind = static_cast<EventKind>(known.kind);
    taken.time = ToTime(known.time);
    taken.cause = static_cast<Cause>(known.cause);
    taken.step = known.step;
    taken.progress = known.progress;
    taken.reported_priority = known.reported_priority;
    return Report(graph->graph.Apply(taken), applied, error);
  });
}

precedent_status precedent_graph_advance(precedent_graph* graph, int64_t now) {
  return Guarded(nullptr, [&] {
    if (const precedent_status status = CheckHandle(graph)) return status;
    graph->graph.Advance(ToTime(now));
    return PRECEDENT_OK;
  });
}

precedent_status precedent_graph_facts(const precedent_graph* graph, precedent_text id,
                                       precedent_lineage* facts) {
  if (facts == nullptr) return PRECEDENT_NULL_ARGUMENT;
  *facts = NothingBefore();
  if (const precedent_status status = CheckHandle(graph)) return status;
  if (const precedent_status status = CheckText(id)) return status;
  const std::optional<Lineage> found = graph->graph.Facts(ToView(id));
  if (!found) return PRECEDENT_NOT_FOUND;
  std::memcpy(static_cast<void*>(facts), &*found, sizeof *facts);
  return PRECEDENT_OK;
}
