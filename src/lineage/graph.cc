// The public calls.
#include <algorithm>

#include "precedent/lineage.h"
#include "src/lineage/core.h"

namespace precedent {
namespace internal {


namespace {

TimePoint TimeOf(std::int64_t moment) {
  return moment == kNoMoment ? kNoTime : TimePoint(std::chrono::microseconds(moment));
}

}  // namespace
}  // namespace internal

LineageEdge LineageEdges::Iterator::operator*() const {
  const internal::Edge& edge = core_->edges[edge_];
  return {up_ ? edge.parent : edge.child, static_cast<Relation>(edge.relation)};
}

LineageEdges::Iterator& LineageEdges::Iterator::operator++() {
  const internal::Edge& edge = core_->edges[edge_];
  edge_ = up_ ? edge.next_parent : edge.next_child;
  return *this;
}

LineageEdges::Iterator LineageEdges::end() const { return Iterator(core_, internal::kNoEdge, up_); }

LineageGraph::LineageGraph(const LineageOptions& options)
    : core_(std::make_unique<internal::LineageCore>(options)) {}

LineageGraph::~LineageGraph() = default;

absl::StatusOr<Applied> LineageGraph::Submit(const Submission& submission,
                                             std::vector<JobSlot>* touched) {
  const std::lock_guard<std::mutex> lock(core_->mutex);
  return core_->Submit(submission, touched);
}

absl::StatusOr<Applied> LineageGraph::Apply(const JobEvent& event,
                                            std::vector<JobSlot>* touched) {
  const std::lock_guard<std::mutex> lock(core_->mutex);
  return core_->Apply(event, touched);
}

void LineageGraph::Advance(TimePoint now, std::vector<JobSlot>* forgotten) {
  const std::lock_guard<std::mutex> lock(core_->mutex);
  core_->Advance(now, forgotten);
}

std::optional<Lineage> LineageGraph::Facts(std::string_view id) const noexcept {
  return core_->Read(id);
}

std::optional<JobSlot> LineageGraph::Find(std::string_view id) const { return core_->Find(id); }
std::string_view LineageGraph::id(JobSlot job) const { return core_->id(job); }
Lineage LineageGraph::facts(JobSlot job) const { return core_->LineageOf(job); }
JobState LineageGraph::state(JobSlot job) const {
  return static_cast<JobState>(core_->jobs[job].state);
}
TimePoint LineageGraph::submitted(JobSlot job) const {
  return internal::TimeOf(core_->jobs[job].submitted);
}
TimePoint LineageGraph::started(JobSlot job) const {
  return internal::TimeOf(core_->jobs[job].started);
}
TimePoint LineageGraph::ended(JobSlot job) const {
  return living(job) ? kNoTime : internal::TimeOf(core_->jobs[job].moment);
}
TimePoint LineageGraph::last_checkpoint(JobSlot job) const {
  return internal::TimeOf(core_->jobs[job].checkpoint);
}
LineageEdges LineageGraph::parents(JobSlot job) const {
  return LineageEdges(core_.get(), core_->jobs[job].parents, true);
}
LineageEdges LineageGraph::children(JobSlot job) const {
  return LineageEdges(core_.get(), core_->jobs[job].children, false);
}
JobSlot LineageGraph::slot_limit() const { return core_->jobs.size(); }
bool LineageGraph::used(JobSlot slot) const {
  return core_->records[slot].LoadHeader().length != 0;
}

std::size_t LineageGraph::jobs() const {
  const std::lock_guard<std::mutex> lock(core_->mutex);
  return core_->job_count;
}
std::size_t LineageGraph::living_jobs() const {
  const std::lock_guard<std::mutex> lock(core_->mutex);
  return core_->living_count;
}
std::size_t LineageGraph::bytes() const {
  const std::lock_guard<std::mutex> lock(core_->mutex);
  return core_->bytes();
}

}  // namespace precedent
