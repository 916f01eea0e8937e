#include "tests/lineage_model/model.h"

#include <algorithm>

namespace precedent::lineage_model {
namespace {

std::int64_t Micros(TimePoint time) { return time.time_since_epoch().count(); }

bool IsEnding(EventKind kind) {
  return kind == EventKind::kSucceeded || kind == EventKind::kFailed ||
         kind == EventKind::kPreempted || kind == EventKind::kCancelled;
}

struct Attempt {
  std::optional<std::int64_t> started;
  std::optional<std::int64_t> ended;
  std::optional<JobEvent> known_ending;
};

std::optional<std::int64_t> Between(std::optional<std::int64_t> from,
                                    std::optional<std::int64_t> to) {
  if (!from.has_value() || !to.has_value() || *to < *from) return std::nullopt;
  return *to - *from;
}

}  // namespace

bool Model::Descends(const std::string& from, const std::string& ancestor) const {
  if (from == ancestor) return true;
  const auto job = jobs_.find(from);
  if (job == jobs_.end()) return false;
  for (const auto& [parent, relation] : job->second.parents)
    if (Descends(parent, ancestor)) return true;
  return false;
}

std::set<absl::StatusCode> Model::Refusals(const Submission& submission) const {
  using absl::StatusCode;
  std::set<StatusCode> codes;
  std::set<std::pair<std::string, Relation>> parents;
  std::int64_t depth = submission.carried.depth;
  for (const ParentRef& parent : submission.parents) {
    const std::string id(parent.id);
    parents.insert({id, parent.relation});
    if (id == submission.id) codes.insert(StatusCode::kInvalidArgument);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) {
      codes.insert(StatusCode::kNotFound);
      continue;
    }
    const ModelJob& job = found->second;
    if (job.owner != submission.owner) codes.insert(StatusCode::kPermissionDenied);
    if (job.submitted > Micros(submission.submitted)) codes.insert(StatusCode::kInvalidArgument);
    depth = std::max(depth, job.facts.depth + 1);
  }
  const auto old = jobs_.find(std::string(submission.id));
  if (old != jobs_.end()) {
    const ModelJob& job = old->second;
    codes.clear();
    for (const auto& [parent, relation] : parents)
      if (Descends(parent, job.id)) codes.insert(StatusCode::kInvalidArgument);
    if (job.owner != submission.owner || job.key != submission.lineage_key ||
        job.parents != parents) {
      codes.insert(StatusCode::kAlreadyExists);
    }
    return codes;
  }
  if (submission.parents.size() > options_.max_parents || depth > options_.max_depth)
    codes.insert(StatusCode::kResourceExhausted);
  for (const auto& [parent, relation] : parents) {
    const std::string& id = parent;  // a structured binding cannot be captured
    const auto is_parent = [&](const std::pair<std::string, Relation>& p) { return p.first == id; };
    std::int64_t children = std::count_if(parents.begin(), parents.end(), is_parent);
    for (const auto& [other, job] : jobs_)
      children += std::count_if(job.parents.begin(), job.parents.end(), is_parent);
    if (children > options_.max_children) codes.insert(StatusCode::kResourceExhausted);
  }
  return codes;
}

void Model::Submit(const Submission& submission) {
  ModelJob& job = jobs_[std::string(submission.id)];
  job.id = std::string(submission.id);
  job.owner = std::string(submission.owner);
  job.key = std::string(submission.lineage_key);
  job.submitted = Micros(submission.submitted);
  job.carried = submission.carried;
  job.facts = submission.carried;
  job.facts.step = 0;
  for (const ParentRef& parent : submission.parents)
    job.parents.insert({std::string(parent.id), parent.relation});
  for (const auto& [id, relation] : job.parents) {
    const auto parent = jobs_.find(id);
    if (parent == jobs_.end()) continue;
    job.facts.depth = std::max(job.facts.depth, parent->second.facts.depth + 1);
    if (relation == Relation::kStepOf)
      job.facts.step = std::max(job.facts.step, ++parent->second.steps);
  }
  if (job.carried.step != 0) job.facts.step = job.carried.step;
  arrivals_.push_back(job.id);
  Recompute();
  const auto kept = std::move(kept_);
  kept_.clear();
  for (const auto& [id, event] : kept) {
    if (id == job.id) {
      job.log.push_back(event);
      Recompute();
    } else {
      kept_.push_back({id, event});
    }
  }
}

void Model::Apply(const JobEvent& event) {
  JobEvent copy = event;
  copy.job = {};
  const auto job = jobs_.find(std::string(event.job));
  if (job == jobs_.end()) {
    kept_.push_back({std::string(event.job), copy});
    return;
  }
  job->second.log.push_back(copy);
  Recompute();
}

void Model::ReadLog(ModelJob& job) const {
  std::map<std::int32_t, Attempt> attempts;
  std::int64_t failures = 0, losses = 0, preemptions = 0;
  std::int64_t reported_at = INT64_MIN;
  job.newest = 1;
  job.heard = false;
  job.ended.reset();
  Lineage& facts = job.facts;
  const auto count = [&](const JobEvent& e) {
    preemptions += e.kind == EventKind::kPreempted;
    failures += e.kind == EventKind::kFailed && e.cause == Cause::kOwn;
    losses += e.kind == EventKind::kFailed && e.cause == Cause::kInfrastructure;
  };
  for (const JobEvent& e : job.log) {
    const std::int64_t time = Micros(e.time);
    const std::int32_t n = e.attempt == 0 ? job.newest : e.attempt;
    const bool is_known = !(e.kind == EventKind::kFailed && e.cause == Cause::kUnknown);
    if (n < job.newest - 32) continue;
    if (n > job.newest) {
      job.newest = n;
      const bool for_good = job.ended.has_value() && (job.ended->kind == EventKind::kSucceeded ||
                                                      job.ended->kind == EventKind::kCancelled);
      if (for_good && time <= job.ended->time) {
        // The job stays ended, and with it this attempt.
        attempts[n - 1].ended.reset();
        attempts[n].ended = job.ended->time;
        JobEvent last = e;
        last.kind = job.ended->kind;
        attempts[n].known_ending = last;
        if (IsEnding(e.kind) && is_known) count(e);
      } else {
        job.ended.reset();
        reported_at = INT64_MIN;
      }
    }
    job.heard = true;
    Attempt& attempt = attempts[n];
    if (e.kind == EventKind::kStarted && n == job.newest && !attempt.started.has_value())
      attempt.started = time;
    if (e.kind == EventKind::kProgress && n == job.newest && !job.ended.has_value() &&
        time >= reported_at) {
      reported_at = time;
      if (e.step >= 0) facts.step = e.step;
      if (!IsAbsent(e.progress)) facts.progress = e.progress;
      if (!IsAbsent(e.reported_priority)) facts.reported_priority = e.reported_priority;
    }
    if (!IsEnding(e.kind) || attempt.known_ending.has_value()) continue;
    if (!attempt.ended.has_value()) attempt.ended = time;
    if (is_known) {
      attempt.known_ending = e;
      count(e);
    }
    if (n != job.newest) continue;
    if (!job.ended.has_value()) {
      job.ended = ModelJob::Ending{time, e.kind};
    } else if (is_known) {
      job.ended->kind = e.kind;
    }
  }
  job.runtime.reset();
  if (job.ended.has_value()) job.runtime = Between(attempts[job.newest].started, job.ended->time);
  facts.failure_count = failures + job.inherited["failure"];
  facts.infrastructure_failure_count = losses + job.inherited["loss"];
  facts.preemption_count = preemptions + job.inherited["preemption"];
  facts.attempt = job.newest + job.inherited["attempt"];
  if (job.newest > 1) {
    const Attempt& last = attempts[job.newest - 1];
    facts.retry_of_preempted =
        last.known_ending.has_value() && last.known_ending->kind == EventKind::kPreempted;
    const auto runtime = Between(last.started, last.ended);
    facts.predecessor_runtime_seconds =
        runtime.has_value() ? static_cast<double>(*runtime) / 1e6 : kAbsent;
  }
}

bool Model::Retries(const ModelJob& later, const ModelJob& earlier) const {
  if (&later == &earlier || later.key.empty() || later.key != earlier.key ||
      later.owner != earlier.owner || !earlier.ended.has_value() ||
      earlier.ended->kind == EventKind::kSucceeded) {
    return false;
  }
  const auto arrival = [&](const ModelJob& job) {
    return std::find(arrivals_.begin(), arrivals_.end(), job.id);
  };
  if (earlier.submitted > later.submitted) return false;
  if (earlier.submitted == later.submitted && arrival(earlier) > arrival(later)) return false;
  const std::int64_t since = later.submitted - earlier.ended->time;
  return since >= 0 && since <= options_.retry_window.count() * 1'000'000;
}

bool Model::Inherit(ModelJob& job) {
  const std::map<std::string, std::int64_t> before = job.inherited;
  const auto inherit = [&](const Lineage& from, std::int64_t attempts) {
    const auto raise = [&](const char* name, std::int64_t value) {
      job.inherited[name] = std::max(job.inherited[name], value);
    };
    raise("failure", from.failure_count);
    raise("loss", from.infrastructure_failure_count);
    raise("preemption", from.preemption_count);
    raise("attempt", attempts);
  };
  inherit(job.carried, std::max<std::int64_t>(0, job.carried.attempt - 1));
  std::vector<const ModelJob*> named, found, needed;
  for (const auto& [id, relation] : job.parents) {
    const auto parent = jobs_.find(id);
    if (parent == jobs_.end()) continue;
    if (relation == Relation::kRetryOf)
      inherit(parent->second.facts, parent->second.facts.attempt);
    if (!parent->second.ended.has_value()) continue;
    (relation == Relation::kRetryOf ? named : needed).push_back(&parent->second);
  }
  for (const auto& [id, other] : jobs_) {
    if (!Retries(job, other)) continue;
    inherit(other.facts, other.facts.attempt);
    found.push_back(&other);
  }
  if (job.newest == 1) {
    const std::vector<const ModelJob*>& before_it = named.empty() ? found : named;
    std::int64_t last = INT64_MIN;
    for (const ModelJob* other : before_it) last = std::max(last, other->ended->time);
    bool preempted = false;
    std::optional<std::int64_t> runtime;
    for (const ModelJob* other : before_it) {
      if (other->ended->time != last) continue;
      preempted |= other->ended->kind == EventKind::kPreempted;
      if (other->runtime.has_value()) runtime = std::max(runtime.value_or(0), *other->runtime);
    }
    if (!before_it.empty()) job.facts.retry_of_preempted = preempted;
    if (!runtime.has_value()) {
      for (const ModelJob* other : needed)
        if (other->runtime.has_value()) runtime = std::max(runtime.value_or(0), *other->runtime);
    }
    if (runtime.has_value())
      job.facts.predecessor_runtime_seconds = static_cast<double>(*runtime) / 1e6;
  }
  return before != job.inherited;
}

void Model::Recompute() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto& [id, job] : jobs_) {
      if (job.frozen) continue;
      ReadLog(job);
    }
    for (auto& [id, job] : jobs_) {
      if (job.frozen) continue;
      changed |= Inherit(job);
    }
  }
}

}  // namespace precedent::lineage_model
