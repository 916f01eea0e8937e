// Submissions: a job enters the graph with its parents.
#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "precedent/internal/hash.h"
#include "src/lineage/core.h"

namespace precedent::internal {
namespace {

template <typename... Args>
absl::Status Refused(absl::StatusCode code, const Submission& submission, const Args&... what) {
  return absl::Status(code, absl::StrCat("job ", Quoted(submission.id), ": ", what...));
}

bool IsCount(std::int64_t value) { return value >= 0; }
bool IsFinite(double value) { return IsAbsent(value) || std::isfinite(value); }

absl::Status Check(const Submission& submission, const LineageOptions& options) {
  constexpr auto kWrong = absl::StatusCode::kInvalidArgument;
  if (submission.id.empty()) return absl::InvalidArgumentError("a job has no id");
  for (const auto& [text, name] : {std::pair(submission.id, "id"), std::pair(submission.owner, "owner"),
                                   std::pair(submission.lineage_key, "lineage_key")}) {
    if (text.size() > kMaxIdBytes)
      return Refused(kWrong, submission, "its ", name, " has ", text.size(), " bytes, more than ",
                     kMaxIdBytes);
  }
  if (submission.submitted == kNoTime)
    return Refused(kWrong, submission, "it has no time of submission");
  const Lineage& carried = submission.carried;
  if (!IsCount(carried.failure_count) || !IsCount(carried.preemption_count) ||
      !IsCount(carried.infrastructure_failure_count) || !IsCount(carried.attempt) ||
      !IsCount(carried.depth) || !IsCount(carried.step))
    return Refused(kWrong, submission, "a count of its carried lineage is below 0");
  if (!IsFinite(carried.predecessor_runtime_seconds) || carried.predecessor_runtime_seconds < 0 ||
      !IsFinite(carried.reported_priority) ||
      !(IsAbsent(carried.progress) || (carried.progress >= 0 && carried.progress <= 1)))
    return Refused(kWrong, submission, "a number of its carried lineage is out of range");
  for (const ParentRef& parent : submission.parents) {
    if (parent.relation < Relation::kRetryOf || parent.relation > Relation::kStepOf)
      return Refused(kWrong, submission, "relation ", static_cast<int>(parent.relation),
                     " to parent ", Quoted(parent.id), " is none of Parent.Relation");
    if (parent.id.empty()) return Refused(kWrong, submission, "a parent has no id");
    if (parent.id.size() > kMaxIdBytes)
      return Refused(kWrong, submission, "parent ", Quoted(parent.id), " has an id of more than ",
                     kMaxIdBytes, " bytes");
    if (parent.id == submission.id) return Refused(kWrong, submission, "it is its own parent");
  }
  if (submission.parents.size() > options.max_parents)
    return Refused(absl::StatusCode::kResourceExhausted, submission, "it has ",
                   submission.parents.size(), " parents, more than max_parents (",
                   options.max_parents, ")");
  return absl::OkStatus();
}

Counts Carried(const Lineage& carried) {
  const auto count = [](std::int64_t value) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(value, lineage::kMaxCount));
  };
  Counts counts;
  counts.failure = count(carried.failure_count);
  counts.preemption = count(carried.preemption_count);
  counts.infrastructure = count(carried.infrastructure_failure_count);
  // Of attempts it carried the number of its own first one.
  counts.attempt = count(std::max<std::int64_t>(carried.attempt, 1) - 1);
  return counts;
}

}  // namespace

// A parent that the graph knows.
struct LineageCore::Found {
  JobSlot slot;
  Relation relation;
};

std::uint32_t LineageCore::Fingerprint(const Submission& submission) const {
  // In any order, and each parent once.
  std::vector<std::uint64_t> hashes;
  hashes.reserve(submission.parents.size());
  for (const ParentRef& parent : submission.parents)
    hashes.push_back(HashBytes(parent.id.data(), parent.id.size(),
                               seeds[0] + static_cast<std::uint64_t>(parent.relation)));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return static_cast<std::uint32_t>(
      HashBytes(hashes.data(), hashes.size() * sizeof(std::uint64_t), seeds[1]) >> 32);
}

bool LineageCore::IsAncestor(JobSlot wanted, JobSlot of) const {
  absl::flat_hash_set<JobSlot> seen = {of};
  std::vector<JobSlot> left = {of};
  while (!left.empty()) {
    const JobSlot slot = left.back();
    left.pop_back();
    if (slot == wanted) return true;
    for (std::uint32_t e = jobs[slot].parents; e != kNoEdge; e = edges[e].next_parent)
      if (seen.insert(edges[e].parent).second) left.push_back(edges[e].parent);
  }
  return false;
}

absl::StatusOr<Applied> LineageCore::Resubmit(JobSlot slot, const Submission& submission) const {
  const Group& group = groups[jobs[slot].group];
  constexpr auto kExists = absl::StatusCode::kAlreadyExists;
  if (group.owner != OwnerHash(submission.owner))
    return Refused(kExists, submission, "the id is taken by a job of another owner than ",
                   Quoted(submission.owner));
  for (const ParentRef& parent : submission.parents) {
    const std::optional<JobSlot> found = Find(parent.id);
    if (found.has_value() && IsAncestor(slot, *found))
      return Refused(absl::StatusCode::kInvalidArgument, submission, "parent ",
                     Quoted(parent.id), " makes a cycle: it descends from the job");
  }
  if (jobs[slot].fingerprint != Fingerprint(submission))
    return Refused(kExists, submission, "it was submitted before, with other parents");
  if (group.key[0] != StoredHash(submission.owner, submission.lineage_key, 0))
    return Refused(kExists, submission, "it was submitted before, with another lineage key");
  return Applied::kNothingNew;
}

absl::Status LineageCore::FindParents(const Submission& submission, std::vector<Found>& found,
                                      Counts& base, std::uint32_t& depth) const {
  const std::uint64_t owner = OwnerHash(submission.owner);
  for (const ParentRef& parent : submission.parents) {
    const std::optional<JobSlot> slot = Find(parent.id);
    if (!slot.has_value()) {
      // Of the same owner, or the summary does not know it.
      const std::optional<Counts> counts = summary.Find(JobHash(owner, parent.id));
      if (!counts.has_value())
        return Refused(absl::StatusCode::kNotFound, submission, "parent ", Quoted(parent.id),
                       " was never submitted, or is long forgotten");
      if (parent.relation == Relation::kRetryOf) Raise(base, *counts);
      depth = std::max(depth, 1u);
      continue;
    }
    const Job& job = jobs[*slot];
    if (groups[job.group].owner != owner)
      return Refused(absl::StatusCode::kPermissionDenied, submission, "parent ",
                     Quoted(parent.id), " belongs to another owner than ",
                     Quoted(submission.owner));
    if (job.submitted > Micros(submission.submitted))
      return Refused(absl::StatusCode::kInvalidArgument, submission, "parent ",
                     Quoted(parent.id), " was submitted after it");
    if (std::any_of(found.begin(), found.end(), [&](const Found& other) {
          return other.slot == *slot && other.relation == parent.relation;
        })) {
      continue;
    }
    const auto uses = std::count_if(found.begin(), found.end(), [&](const Found& other) {
      return other.slot == *slot;
    });
    if (job.child_count + static_cast<std::uint32_t>(uses) >= options.max_children)
      return Refused(absl::StatusCode::kResourceExhausted, submission, "parent ",
                     Quoted(parent.id), " has max_children (", options.max_children, ") already");
    depth = std::max(depth, records[*slot].LoadHeader().depth + 1);
    found.push_back({*slot, parent.relation});
  }
  if (depth > options.max_depth)
    return Refused(absl::StatusCode::kResourceExhausted, submission, "its depth of ", depth,
                   " is above max_depth (", options.max_depth, ")");
  return absl::OkStatus();
}

absl::Status LineageCore::MakeRoom(const Submission& submission, const std::vector<Found>& found) {
  if (found.size() > edges.left())
    return Refused(absl::StatusCode::kResourceExhausted, submission,
                   "the graph holds as many edges as it can (", edges.size(), ")");
  if (job_count < options.max_jobs) return absl::OkStatus();
  // The one that may go first, but no parent of this job.
  for (JobSlot slot = queue_first; slot != kNone; slot = jobs[slot].queue_next) {
    if (std::none_of(found.begin(), found.end(),
                     [&](const Found& parent) { return parent.slot == slot; })) {
      Forget(slot);
      return absl::OkStatus();
    }
  }
  return Refused(absl::StatusCode::kResourceExhausted, submission, "the graph holds max_jobs (",
                 options.max_jobs, ") already, and none of them may be forgotten");
}

absl::StatusOr<Applied> LineageCore::Submit(const Submission& submission, Touched* touched) {
  absl::Status status = Check(submission, options);
  if (!status.ok()) return status;
  if (const std::optional<JobSlot> slot = Find(submission.id); slot.has_value())
    return Resubmit(*slot, submission);

  const Lineage& carried = submission.carried;
  Counts base = Carried(carried);
  auto depth = static_cast<std::uint32_t>(
      std::min<std::int64_t>(carried.depth, std::numeric_limits<std::uint32_t>::max() - 1));
  std::vector<Found> found;
  found.reserve(submission.parents.size());
  status = FindParents(submission, found, base, depth);
  if (!status.ok()) return status;
  status = MakeRoom(submission, found);
  if (!status.ok()) return status;

  // From here on nothing fails. Has this job been here before, it goes on from there.
  const std::uint64_t owner = OwnerHash(submission.owner);
  if (const auto counts = summary.Find(JobHash(owner, submission.id)); counts.has_value())
    Raise(base, *counts);
  const std::uint32_t group =
      FindGroup(submission.owner, submission.lineage_key, /*create=*/true);
  if (groups[group].keyed) {
    if (const auto counts = summary.Find(GroupHash(groups[group])); counts.has_value())
      Raise(base, *counts);
  }

  Report::Values values{carried.step, carried.progress, carried.reported_priority};
  bool step_reported = carried.step != 0;
  if (!step_reported) {
    for (const Found& parent : found) {
      if (parent.relation != Relation::kStepOf) continue;
      values.step = std::max<std::int64_t>(values.step, jobs[parent.slot].steps + 1);
    }
  }
  lineage::Facts facts;
  facts.total = base;
  ++facts.total.attempt;
  facts.retry_of_preempted = carried.retry_of_preempted;
  facts.runtime = carried.predecessor_runtime_seconds;
  if (IsPlain(values)) {
    facts.step = static_cast<std::uint32_t>(values.step);
  } else {
    facts.report = reports.Take();
  }
  const JobSlot slot = NewJob(submission.id, depth, facts, values);
  Job& job = jobs[slot];
  job = Job();
  job.submitted = Micros(submission.submitted);
  job.started = job.prior_started = job.moment = job.checkpoint = kNoMoment;
  job.base = base;
  job.fingerprint = Fingerprint(submission);
  job.step_reported = step_reported;
  job.group = group;
  job.parents = job.children = kNoEdge;
  EnterGroup(slot);
  for (const Found& parent : found) {
    AddEdge(parent.slot, slot, parent.relation);
    Job& above = jobs[parent.slot];
    if (parent.relation == Relation::kStepOf && above.steps < (1 << 23) - 1) ++above.steps;
  }
  ++job_count;
  BecomeLiving(slot);

  const std::size_t begin = touched == nullptr ? 0 : touched->size();
  Touch(slot, touched);
  Refresh(slot, touched);
  const std::uint64_t hash = IdHash(submission.id);
  for (std::size_t i = 0; i < kept.size();) {
    if (kept[i].hash != hash || kept[i].job != submission.id) {
      ++i;
      continue;
    }
    ApplyTo(slot, kept[i].event, touched);
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Untouch(begin, touched);
  return Applied::kChanged;
}

}  // namespace precedent::internal
