// The whole graph as records, and back.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "precedent/lineage_journal.h"
#include "src/lineage/core.h"
#include "src/lineage/frame.h"

namespace precedent {
namespace internal {
namespace {

using lineage::RecordReader;
using lineage::WriteRecord;

constexpr char kMagic[] = "precedent lineage";

void Put(const Counts& counts, v1::LineageCounts& out) {
  out.set_failure(counts.failure);
  out.set_preemption(counts.preemption);
  out.set_infrastructure(counts.infrastructure);
  out.set_attempt(counts.attempt);
}

Counts Get(const v1::LineageCounts& in) {
  return {in.failure(), in.preemption(), in.infrastructure(), in.attempt()};
}

template <typename Set>
void PutMoment(std::int64_t moment, Set&& set) {
  if (moment != kNoMoment) set(moment);
}

}  // namespace

class SnapshotWriter {
 public:
  SnapshotWriter(const LineageCore& core, std::ostream& out) : core_(core), out_(out) {}

  absl::Status Write() {
    WriteHeader();
    WriteJobs();
    WriteGroups();
    WriteSummary(core_.summary.current(), false);
    WriteSummary(core_.summary.previous(), true);
    for (const KeptEvent& kept : core_.kept) WriteKept(kept);
    v1::LineageSnapshotRecord queue;
    queue.mutable_queue();
    for (JobSlot slot = core_.queue_first; slot != kNone; slot = core_.jobs[slot].queue_next)
      queue.mutable_queue()->add_jobs(number_[slot]);
    Write(queue);
    v1::LineageSnapshotRecord end;
    end.mutable_end()->set_records(records_);
    Write(end);
    return status_;
  }

 private:
  void Write(const v1::LineageSnapshotRecord& record) {
    if (status_.ok()) status_ = WriteRecord(record, out_);
    ++records_;
  }

  void WriteHeader() {
    v1::LineageSnapshotRecord record;
    v1::LineageSnapshotHeader& header = *record.mutable_header();
    header.set_magic(kMagic);
    header.set_seed_1(core_.seeds[0]);
    header.set_seed_2(core_.seeds[1]);
    PutMoment(core_.clock, [&](std::int64_t t) { header.set_clock(t); });
    PutMoment(core_.summary_turned, [&](std::int64_t t) { header.set_summary_turned(t); });
    Write(record);
  }

  void WriteJobs() {
    number_.assign(core_.jobs.size(), kNone);
    std::uint32_t count = 0;
    for (JobSlot slot = 0; slot < core_.jobs.size(); ++slot)
      if (core_.records[slot].LoadHeader().length != 0) number_[slot] = count++;
    for (JobSlot slot = 0; slot < core_.jobs.size(); ++slot)
      if (number_[slot] != kNone) WriteJob(slot);
  }

  void WriteJob(JobSlot slot) {
    const Job& job = core_.jobs[slot];
    const lineage::Facts facts = core_.FactsOf(slot);
    const Report::Values values = core_.ReportOf(slot, facts);
    v1::LineageSnapshotRecord record;
    v1::LineageSnapshotJob& out = *record.mutable_job();
    out.set_id(std::string(core_.id(slot)));
    out.set_submitted(job.submitted);
    PutMoment(job.started, [&](std::int64_t t) { out.set_started(t); });
    PutMoment(job.prior_started, [&](std::int64_t t) { out.set_prior_started(t); });
    PutMoment(job.moment, [&](std::int64_t t) { out.set_moment(t); });
    PutMoment(job.checkpoint, [&](std::int64_t t) { out.set_checkpoint(t); });
    Put(job.base, *out.mutable_base());
    Put(facts.total, *out.mutable_total());
    out.set_fingerprint(job.fingerprint);
    out.set_older_known(job.older_known);
    out.set_state(job.state);
    out.set_newest_known(job.newest_known != 0);
    out.set_prior_ended(job.prior_ended != 0);
    out.set_step_reported(job.step_reported != 0);
    out.set_steps(job.steps);
    out.set_depth(core_.records[slot].LoadHeader().depth);
    out.set_step(values.step);
    if (!IsAbsent(facts.runtime)) out.set_runtime(facts.runtime);
    if (!IsAbsent(values.progress)) out.set_progress(values.progress);
    if (!IsAbsent(values.priority)) out.set_reported_priority(values.priority);
    out.set_retry_of_preempted(facts.retry_of_preempted);
    for (std::uint32_t e = job.parents; e != kNoEdge; e = core_.edges[e].next_parent) {
      out.add_parents(number_[core_.edges[e].parent]);
      out.add_relations(static_cast<v1::Parent::Relation>(core_.edges[e].relation));
    }
    Write(record);
  }

  void WriteGroups() {
    std::vector<std::vector<std::uint32_t>> members(core_.groups.size());
    for (JobSlot slot = 0; slot < number_.size(); ++slot)
      if (number_[slot] != kNone) members[core_.jobs[slot].group].push_back(number_[slot]);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      if (members[i].empty()) continue;
      const Group& group = core_.groups[i];
      v1::LineageSnapshotRecord record;
      v1::LineageSnapshotGroup& out = *record.mutable_group();
      out.set_owner(group.owner);
      out.set_key_1(group.key[0]);
      out.set_key_2(group.key[1]);
      out.set_keyed(group.keyed);
      Put(group.greatest, *out.mutable_greatest());
      if (group.keyed) {
        members[i].clear();
        for (JobSlot slot = group.newest; slot != kNone; slot = core_.jobs[slot].older)
          members[i].push_back(number_[slot]);
        std::reverse(members[i].begin(), members[i].end());
      }
      out.mutable_jobs()->Add(members[i].begin(), members[i].end());
      Write(record);
    }
  }

  void WriteSummary(const std::vector<Counts>& cells, bool previous) {
    if (cells.empty()) return;
    v1::LineageSnapshotRecord record;
    v1::LineageSnapshotSummary& out = *record.mutable_summary();
    out.set_previous(previous);
    out.set_width(static_cast<std::uint32_t>(core_.summary.width()));
    for (const Counts& cell : cells) {
      out.add_failure(cell.failure);
      out.add_preemption(cell.preemption);
      out.add_infrastructure(cell.infrastructure);
      out.add_attempt(cell.attempt);
    }
    Write(record);
  }

  void WriteKept(const KeptEvent& kept) {
    v1::LineageSnapshotRecord record;
    record.mutable_kept()->set_until(kept.until);
    record.mutable_kept()->set_job(kept.job);
    v1::JobEvent& out = *record.mutable_kept()->mutable_event();
    out.set_attempt(kept.event.attempt);
    out.set_kind(static_cast<v1::JobEvent::Kind>(kept.event.kind));
    out.set_cause(static_cast<v1::JobEvent::Cause>(kept.event.cause));
    const std::int64_t time = Micros(kept.event.time);
    std::int64_t seconds = time / 1'000'000;
    if (time % 1'000'000 < 0) --seconds;
    out.mutable_time()->set_seconds(seconds);
    out.mutable_time()->set_nanos(static_cast<std::int32_t>((time - seconds * 1'000'000) * 1000));
    if (kept.event.step >= 0) out.set_step(kept.event.step);
    if (!IsAbsent(kept.event.progress)) out.set_progress(kept.event.progress);
    if (!IsAbsent(kept.event.reported_priority))
      out.set_reported_priority(kept.event.reported_priority);
    Write(record);
  }

  const LineageCore& core_;
  std::ostream& out_;
  std::vector<std::uint32_t> number_;  // of the job in a slot
  std::uint64_t records_ = 0;
  absl::Status status_;
};

// Into an empty graph, which is thrown away where anything is wrong.
class SnapshotReader {
 public:
  SnapshotReader(std::istream& in, LineageCore& core) : records_(in), core_(core) {}

  absl::Status Read() {
    v1::LineageSnapshotRecord record;
    bool ended = false;
    while (status_.ok() && !ended && records_.Next(record)) {
      if (records_.records() == 1) {
        if (record.header().magic() != kMagic) return Damaged("it does not begin as a snapshot");
        ReadHeader(record.header());
        continue;
      }
      switch (record.record_case()) {
        case v1::LineageSnapshotRecord::kJob:
          ReadJob(record.job());
          break;
        case v1::LineageSnapshotRecord::kGroup:
          ReadGroup(record.group());
          break;
        case v1::LineageSnapshotRecord::kSummary:
          ReadSummary(record.summary());
          break;
        case v1::LineageSnapshotRecord::kKept:
          ReadKept(record.kept());
          break;
        case v1::LineageSnapshotRecord::kQueue:
          queue_.assign(record.queue().jobs().begin(), record.queue().jobs().end());
          break;
        case v1::LineageSnapshotRecord::kEnd:
          if (record.end().records() + 1 != records_.records())
            return Damaged("a record is missing");
          ended = true;
          break;
        default:
          break;  // a later version's
      }
    }
    if (!status_.ok()) return status_;
    if (!records_.damage().empty()) return Damaged(records_.damage());
    if (!ended) return Damaged("it is cut: its last record is missing");
    return Link();
  }

 private:
  const absl::Status& Damaged(absl::string_view what) {
    return status_ = absl::DataLossError(
               absl::StrCat("lineage snapshot, after byte ", records_.bytes(), ": ", what));
  }

  void ReadHeader(const v1::LineageSnapshotHeader& header) {
    core_.seeds = {header.seed_1(), header.seed_2()};
    core_.clock = header.has_clock() ? header.clock() : kNoMoment;
    core_.summary_turned = header.has_summary_turned() ? header.summary_turned() : kNoMoment;
  }

  static bool IsLineage(const v1::LineageSnapshotJob& in) {
    const auto has = [](const Counts& total, const Counts& base) {
      return total.failure >= base.failure && total.preemption >= base.preemption &&
             total.infrastructure >= base.infrastructure && total.attempt > base.attempt &&
             base.failure <= lineage::kMaxCount && base.preemption <= lineage::kMaxCount &&
             base.infrastructure <= lineage::kMaxCount && base.attempt <= lineage::kMaxCount &&
             total.attempt - base.attempt <= lineage::kMaxAttempt;
    };
    return has(Get(in.total()), Get(in.base())) && in.step() >= 0 &&
           in.state() <= static_cast<std::uint32_t>(JobState::kCancelled) &&
           in.depth() <= 0xffff && in.steps() < (1u << 23) &&
           in.parents_size() == in.relations_size() &&
           (in.state() < static_cast<std::uint32_t>(JobState::kSucceeded) || in.has_moment());
  }

  void ReadJob(const v1::LineageSnapshotJob& in) {
    if (in.id().empty() || in.id().size() > kMaxIdBytes || !IsLineage(in) ||
        core_.Find(in.id()).has_value()) {
      Damaged(absl::StrCat("job ", Quoted(in.id()), " cannot be"));
      return;
    }
    if (core_.job_count == core_.options.max_jobs) {
      status_ = absl::ResourceExhaustedError(absl::StrCat(
          "lineage snapshot: it holds more than max_jobs (", core_.options.max_jobs, ")"));
      return;
    }
    const auto moment = [](bool has, std::int64_t t) { return has ? t : kNoMoment; };
    const Report::Values values{in.step(), in.has_progress() ? in.progress() : kAbsent,
                                in.has_reported_priority() ? in.reported_priority() : kAbsent};
    lineage::Facts facts;
    facts.total = Get(in.total());
    facts.retry_of_preempted = in.retry_of_preempted();
    facts.runtime = in.has_runtime() ? in.runtime() : kAbsent;
    if (LineageCore::IsPlain(values)) {
      facts.step = static_cast<std::uint32_t>(values.step);
    } else {
      facts.report = core_.reports.Take();
    }
    const JobSlot slot = core_.NewJob(in.id(), in.depth(), facts, values);
    ++core_.job_count;
    slots_.push_back(slot);
    Job& job = core_.jobs[slot];
    job = Job();
    job.submitted = in.submitted();
    job.started = moment(in.has_started(), in.started());
    job.prior_started = moment(in.has_prior_started(), in.prior_started());
    job.moment = moment(in.has_moment(), in.moment());
    job.checkpoint = moment(in.has_checkpoint(), in.checkpoint());
    job.base = Get(in.base());
    job.fingerprint = in.fingerprint();
    job.older_known = in.older_known();
    job.state = in.state();
    job.newest_known = in.newest_known();
    job.prior_ended = in.prior_ended();
    job.step_reported = in.step_reported();
    job.steps = in.steps();
    job.group = kNone;
    job.parents = job.children = kNoEdge;
    for (int i = 0; i < in.parents_size(); ++i)
      links_.push_back({static_cast<std::uint32_t>(slots_.size() - 1),
                        in.parents(i), static_cast<std::uint32_t>(in.relations(i))});
  }

  void ReadGroup(const v1::LineageSnapshotGroup& in) {
    if (in.jobs().empty()) {
      Damaged("a group is empty");
      return;
    }
    // No more groups than jobs, so there is room for each.
    const std::uint32_t number =
        core_.FindGroup({in.key_1(), in.key_2()}, in.owner(), in.keyed(), /*create=*/true);
    if (core_.groups[number].members != 0) {
      Damaged("a group is there twice");
      return;
    }
    core_.groups[number].greatest = Get(in.greatest());
    for (const std::uint32_t member : in.jobs()) {
      if (member >= slots_.size() || core_.jobs[slots_[member]].group != kNone) {
        Damaged("a group holds a job that is not there, or another group's");
        return;
      }
      core_.jobs[slots_[member]].group = number;
      core_.EnterGroup(slots_[member]);
    }
  }

  void ReadSummary(const v1::LineageSnapshotSummary& in) {
    const std::size_t width = in.width();
    const auto cells = static_cast<int>(lineage::Summary::kRows * width);
    if (width == 0 || (width & (width - 1)) != 0 || width > (1 << 24) ||
        in.failure_size() != cells || in.preemption_size() != cells ||
        in.infrastructure_size() != cells || in.attempt_size() != cells ||
        (summary_width_ != 0 && summary_width_ != width)) {
      Damaged("the summary has not the cells that it should");
      return;
    }
    summary_width_ = width;
    std::vector<Counts>& out = in.previous() ? previous_ : current_;
    out.clear();
    for (int i = 0; i < cells; ++i)
      out.push_back({in.failure(i), in.preemption(i), in.infrastructure(i), in.attempt(i)});
  }

  void ReadKept(const v1::LineageSnapshotKeptEvent& in) {
    // Through the same checks as any event: it is of a job that is not there.
    v1::LineageEvent event;
    *event.mutable_job() = in.event();
    event.mutable_job()->set_job(in.job());
    kept_.push_back({std::move(event), in.until()});
  }

  absl::Status Link();

  struct LinkRecord {
    std::uint32_t child, parent, relation;
  };
  RecordReader records_;
  LineageCore& core_;
  absl::Status status_;
  std::vector<JobSlot> slots_;
  std::vector<LinkRecord> links_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::pair<v1::LineageEvent, std::int64_t>> kept_;
  std::size_t summary_width_ = 0;
  std::vector<Counts> current_;
  std::vector<Counts> previous_;

 public:
  const auto& kept() const { return kept_; }
};

absl::Status SnapshotReader::Link() {
  for (const JobSlot slot : slots_)
    if (core_.jobs[slot].group == kNone) return Damaged("a job is in no group");
  if (links_.size() > core_.edges.left()) return Damaged("it has too many edges");
  for (const LinkRecord& link : links_) {
    if (link.parent >= slots_.size() || link.relation < 1 || link.relation > 3)
      return Damaged("a parent cannot be");
    const JobSlot child = slots_[link.child];
    const JobSlot parent = slots_[link.parent];
    // What makes a circle impossible.
    if (core_.records[parent].LoadHeader().depth >= core_.records[child].LoadHeader().depth)
      return Damaged("a parent is not above its child");
    core_.AddEdge(parent, child, static_cast<Relation>(link.relation));
    if (core_.jobs[child].living()) ++core_.jobs[parent].living_children;
  }
  for (const std::uint32_t number : queue_) {
    if (number >= slots_.size()) return Damaged("a job that may be forgotten is not there");
    const Job& job = core_.jobs[slots_[number]];
    if (!job.living() && job.living_children == 0) core_.Enqueue(slots_[number]);
  }
  for (const JobSlot slot : slots_) {
    const Job& job = core_.jobs[slot];
    if (job.living()) {
      ++core_.living_count;
    } else if (job.living_children == 0) {
      core_.Enqueue(slot);  // unless it is
    }
  }
  if (summary_width_ != 0)
    core_.summary.Restore(summary_width_, std::move(current_), std::move(previous_));
  return absl::OkStatus();
}

}  // namespace internal

absl::Status SaveLineage(const LineageGraph& graph, std::ostream& out) {
  const internal::LineageCore& core = *graph.core_;
  const std::lock_guard<std::mutex> lock(core.mutex);
  return internal::SnapshotWriter(core, out).Write();
}

absl::StatusOr<std::unique_ptr<LineageGraph>> RestoreLineage(std::istream& in,
                                                             const LineageOptions& options) {
  auto graph = std::make_unique<LineageGraph>(options);
  internal::SnapshotReader reader(in, *graph->core_);
  const absl::Status status = reader.Read();
  if (!status.ok()) return status;
  for (const auto& [event, until] : reader.kept()) {
    const auto applied = ApplyTo(*graph, event);
    if (applied.ok() && *applied == Applied::kKept) graph->core_->kept.back().until = until;
  }
  return graph;
}

}  // namespace precedent
