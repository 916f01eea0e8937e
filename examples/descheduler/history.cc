#include "history.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "precedent/lineage_view.h"

namespace precedent::descheduler {
namespace {

v1::JobEvent Preempted(const std::string& uid, TimePoint when) {
  v1::JobEvent event;
  event.set_job(uid);
  event.set_kind(v1::JobEvent::PREEMPTED);
  const std::int64_t micros = when.time_since_epoch().count();
  event.mutable_time()->set_seconds(micros / 1'000'000);
  event.mutable_time()->set_nanos(static_cast<std::int32_t>(micros % 1'000'000 * 1000));
  return event;
}

// By History::Endings.
std::size_t KindOf(const v1::JobEvent& event) {
  if (event.kind() == v1::JobEvent::PREEMPTED) return 0;
  if (event.kind() != v1::JobEvent::FAILED) return 3;
  return event.cause() == v1::JobEvent::INFRASTRUCTURE ? 1
         : event.cause() == v1::JobEvent::OWN          ? 2
                                                       : 3;
}

}  // namespace

History::History(const std::vector<HistoryRecord>& records) {
  for (const HistoryRecord& record : records) {
    Seen& seen = seen_[record.uid];
    seen.owner = record.owner;
    seen.key = record.lineage_key;
    seen.created = record.created;
    seen.before = record.before;
    seen.events = {Preempted(record.uid, record.ended)};
  }
}

void History::Observe(const std::vector<v1::LineageEvent>& events) {
  if (events.empty() || !events[0].has_submitted()) return;
  const v1::Submission& submission = events[0].submitted();
  Seen& seen = seen_[submission.job().id()];
  const bool known = !seen.owner.empty();
  if (!known) {
    const SubmissionView view(submission);
    seen.owner = submission.owner();
    seen.key = submission.job().lineage_key();
    seen.created = view.submission().submitted;
    seen.before = view.submission().carried.preemption_count;
  }
  bool ended = false;
  for (const v1::LineageEvent& event : events) {
    if (!event.has_job() || event.job().kind() < v1::JobEvent::SUCCEEDED) continue;
    ++endings_[KindOf(event.job())];
    ended = true;
  }
  // Of a pod that was written down as preempted, that is the ending. One that never ended
  // needs no events.
  if (known || !ended) return;
  for (const v1::LineageEvent& event : events) {
    if (event.has_job()) seen.events.push_back(event.job());
  }
}

void History::Connect() {
  std::vector<std::pair<TimePoint, const std::string*>> order;
  for (const auto& [uid, seen] : seen_) order.emplace_back(seen.created, &uid);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  for (const auto& [created, uid] : order) {
    const Seen& seen = seen_.at(*uid);
    Submission submission;
    submission.id = *uid;
    submission.owner = seen.owner;
    submission.lineage_key = seen.key;
    submission.submitted = created;
    submission.carried.preemption_count = seen.before;
    // What the graph does not take counts as never preempted.
    if (!graph_.Submit(submission).ok()) continue;
    for (const v1::JobEvent& event : seen.events) (void)graph_.Apply(ToJobEvent(event));
  }
}

std::int32_t History::Evictions(const std::string& uid) const {
  const std::optional<Lineage> facts = graph_.Facts(uid);
  if (!facts.has_value()) return 0;
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(facts->preemption_count, std::numeric_limits<std::int32_t>::max()));
}

void History::Describe(OrderPod* pod) const {
  const auto found = seen_.find(pod->uid);
  if (found == seen_.end()) return;
  pod->lineage_key = found->second.key;
  pod->created = found->second.created;
}

void History::Evicted(const OrderPod& pod, TimePoint when) {
  // It has ended by itself, or was counted.
  const std::optional<JobSlot> slot = graph_.Find(pod.uid);
  if (slot.has_value() && !graph_.living(*slot)) return;
  Seen& seen = seen_[pod.uid];
  if (seen.owner.empty()) {
    seen.owner = pod.namespace_name;
    seen.key = pod.lineage_key;
    seen.created = pod.created;
    Submission submission;
    submission.id = pod.uid;
    submission.owner = seen.owner;
    submission.lineage_key = seen.key;
    submission.submitted = seen.created;
    (void)graph_.Submit(submission);
  }
  // Whole seconds, as the API server counts: a successor may begin within the same one.
  when = std::chrono::floor<std::chrono::seconds>(when);
  seen.events.push_back(Preempted(pod.uid, when));
  (void)graph_.Apply(ToJobEvent(seen.events.back()));
}

std::vector<HistoryRecord> History::Records(TimePoint now) const {
  std::vector<HistoryRecord> records;
  for (const auto& [uid, seen] : seen_) {
    for (const v1::JobEvent& event : seen.events) {
      if (KindOf(event) != 0) continue;
      HistoryRecord record;
      record.uid = uid;
      record.owner = seen.owner;
      record.lineage_key = seen.key;
      record.created = seen.created;
      record.ended = ToTimePoint(event.time());
      record.before = std::max(seen.before, std::int64_t{Evictions(uid)} - 1);
      if (record.ended > now - kKept) records.push_back(std::move(record));
      break;
    }
  }
  std::sort(records.begin(), records.end(), [](const HistoryRecord& a, const HistoryRecord& b) {
    return a.ended != b.ended ? a.ended > b.ended : a.uid < b.uid;
  });
  if (records.size() > kMaxRecords) records.resize(kMaxRecords);
  return records;
}

}  // namespace precedent::descheduler
