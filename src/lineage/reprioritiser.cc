#include "precedent/reprioritiser.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "src/lineage/inheritance.h"
#include "src/lineage/publication.h"
#include "src/lineage/timer_queue.h"

namespace precedent {
namespace {

constexpr JobSlot kNobody = 0xffffffffu;

// Names of classes by number. A decision's views live as long as its policy, and a
// published class longer. There are as many as classes that policies ever had.
class ClassNames {
 public:
  std::uint32_t Number(std::string_view name) {
    const auto it = numbers_.find(name);
    if (it != numbers_.end()) return it->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(names_.back(), number);
    return number;
  }
  std::string_view Name(std::uint32_t number) const { return names_[number]; }

 private:
  std::deque<std::string> names_;  // which do not move
  absl::flat_hash_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace

std::string_view ChangeReasonName(ChangeReason reason) noexcept {
  switch (reason) {
    case ChangeReason::kSubmitted: return "SUBMITTED";
    case ChangeReason::kLineage: return "LINEAGE";
    case ChangeReason::kProgress: return "PROGRESS";
    case ChangeReason::kAging: return "AGING";
    case ChangeReason::kPropagation: return "PROPAGATION";
    case ChangeReason::kPolicy: return "POLICY";
    case ChangeReason::kReleased: return "RELEASED";
    case ChangeReason::kRefreshed: return "REFRESHED";
  }
  return "REASON_UNSPECIFIED";
}

class Reprioritiser::Impl {
 public:
  Impl(LineageGraph* graph, LiveEvaluator* live, DescriptorSource* descriptors)
      : graph_(*graph), live_(*live), descriptors_(*descriptors), inheritance_(graph) {
    jobs_.resize(graph_.slot_limit());
    for (JobSlot slot = 0; slot < graph_.slot_limit(); ++slot) {
      if (!graph_.used(slot) || !graph_.living(slot)) continue;
      jobs_[slot].living = true;
      ++living_;
    }
  }

  absl::StatusOr<Applied> Submit(const Submission& submission, const JobDescriptor& descriptor,
                                 TimePoint now, std::vector<PriorityChange>* changes) {
    touched_.clear();
    absl::StatusOr<Applied> applied = graph_.Submit(submission, &touched_);
    if (!applied.ok() || *applied == Applied::kNothingNew) return applied;
    const std::optional<JobSlot> slot = graph_.Find(submission.id);
    if (slot.has_value()) {
      // A full graph gave it the slot of a job that it forgot.
      Reset(*slot);
      descriptors_.Keep(*slot, submission.id, descriptor);
    }
    Turn turn(this, now);
    for (const JobSlot job : touched_)
      turn.Touch(job, job == slot ? ChangeReason::kSubmitted : ChangeReason::kLineage);
    turn.End(changes);
    return applied;
  }

  absl::StatusOr<Applied> Apply(const JobEvent& event, TimePoint now,
                                std::vector<PriorityChange>* changes) {
    touched_.clear();
    absl::StatusOr<Applied> applied = graph_.Apply(event, &touched_);
    if (!applied.ok()) return applied;
    const bool report =
        event.kind == EventKind::kProgress || event.kind == EventKind::kCheckpointed;
    Turn turn(this, now);
    for (const JobSlot job : touched_)
      turn.Touch(job, report ? ChangeReason::kProgress : ChangeReason::kLineage);
    turn.End(changes);
    return applied;
  }

  std::size_t Advance(TimePoint now, std::vector<PriorityChange>* changes, std::size_t max_jobs) {
    touched_.clear();
    Turn turn(this, now);
    graph_.Advance(clock_, &touched_);
    for (const JobSlot slot : touched_) {
      Reset(slot);
      descriptors_.Drop(slot);
    }
    while (!releases_.empty() && releases_.top().at <= clock_) {
      Mark(releases_.top().job);
      releases_.Remove(releases_.top().job);
    }
    // Taken out first: nothing that they lead to is due in the same call.
    touched_.clear();
    while (!timers_.empty() && timers_.top().at <= clock_ && touched_.size() < max_jobs) {
      touched_.push_back(timers_.top().job);
      timers_.Remove(timers_.top().job);
    }
    for (const JobSlot slot : touched_) turn.Derive(slot, ChangeReason::kAging);
    std::size_t left = max_jobs - touched_.size();
    for (; behind_ > 0 && left > 0 && cursor_ < jobs_.size(); ++cursor_) {
      if (!jobs_[cursor_].living || jobs_[cursor_].epoch == epoch_) continue;
      turn.Derive(cursor_, ChangeReason::kPolicy);
      --left;
    }
    turn.End(changes);
    return pending();
  }

  absl::Status Refresh(std::string_view job, TimePoint now, std::vector<PriorityChange>* changes) {
    const std::optional<JobSlot> slot = graph_.Find(job);
    if (!slot.has_value()) {
      return absl::NotFoundError(absl::StrCat("job `", absl::string_view(job.data(), job.size()),
                                              "` is not known: submit it first"));
    }
    Turn turn(this, now);
    turn.Touch(*slot, ChangeReason::kRefreshed);
    turn.End(changes);
    return absl::OkStatus();
  }

  std::optional<Reprioritiser::Published> published(std::string_view id) const {
    const std::optional<JobSlot> slot = graph_.Find(id);
    if (!slot.has_value() || *slot >= jobs_.size()) return std::nullopt;
    const Job& job = jobs_[*slot];
    if (!job.living || !job.announced) return std::nullopt;
    return Reprioritiser::Published{job.published.rank.priority,
                                    classes_.Name(job.published.rank.klass)};
  }

  std::size_t pending() const { return behind_ + timers_.CountDue(clock_); }

  TimePoint next_due() const {
    if (behind_ > 0) return clock_;
    return std::min(timers_.next(), releases_.next());
  }

  Counts counts() const {
    Counts counts = counts_;
    counts.bytes = jobs_.capacity() * sizeof(Job) + inheritance_.bytes() + timers_.bytes() +
                   releases_.bytes() + limits_.bytes();
    return counts;
  }

 private:
  struct Job {
    lineage::Published published;
    lineage::Rank derived;  // as of the last call that looked at it
    std::uint32_t klass = 0;
    std::uint32_t epoch = 0;  // the policy that derived it; 0: none yet
    std::uint32_t birth = 0;  // counts the jobs that this slot has had
    JobSlot heir_of = kNobody;  // whose priority it inherits
    std::uint32_t heir_birth = 0;
    bool living = false;
    bool announced = false;  // something was published of it
    // Of the running call:
    bool marked = false;
    bool own_moved = false;
    ChangeReason trigger = ChangeReason::kPropagation;
  };

  // One call from outside: one time, one policy.
  class Turn {
   public:
    Turn(Impl* impl, TimePoint now) : impl_(*impl), guard_(impl->live_.read()) {
      impl_.clock_ = std::max(impl_.clock_, now);
      impl_.See(guard_.evaluator());
    }

    void Touch(JobSlot slot, ChangeReason trigger) {
      if (impl_.graph_.living(slot))
        Derive(slot, trigger);
      else
        impl_.End(slot);
    }

    void Derive(JobSlot slot, ChangeReason trigger) { impl_.Derive(slot, trigger, guard_); }

    void End(std::vector<PriorityChange>* changes) {
      impl_.settled_.clear();
      impl_.inheritance_.Settle(&impl_.settled_);
      for (const JobSlot slot : impl_.settled_) impl_.Mark(slot);
      for (const JobSlot slot : impl_.marked_) impl_.Publish(slot, changes);
      impl_.marked_.clear();
    }

   private:
    Impl& impl_;
    const LiveEvaluator::Guard guard_;
  };

  Job& At(JobSlot slot) {
    if (slot >= jobs_.size())
      jobs_.resize(std::max<std::size_t>(slot + std::size_t{1}, jobs_.size() * 2));
    return jobs_[slot];
  }

  // The slot is another job's from now on, or nobody's.
  void Reset(JobSlot slot) {
    End(slot);
    Job& job = At(slot);
    const std::uint32_t birth = job.birth + 1;
    job = Job();
    job.birth = birth;
  }

  // Notices that another policy is live.
  void See(const Evaluator* evaluator) {
    const std::string_view fingerprint =
        evaluator != nullptr ? evaluator->fingerprint() : std::string_view();
    if (epoch_ != 0 && fingerprint == fingerprint_) return;
    // Where this policy overtook another, what that one changed is not made everywhere.
    const bool unfinished = rebuild_ && behind_ > 0;
    fingerprint_ = std::string(fingerprint);
    ++epoch_;
    behind_ = living_;
    cursor_ = 0;
    limits_.SetRules(evaluator != nullptr ? evaluator->stability() : Stability());
    const Propagation rules = evaluator != nullptr ? evaluator->propagation() : Propagation();
    rebuild_ = unfinished || rules.enabled() != rules_.enabled() ||
               (rules.enabled() && (rules.decay_per_hop != rules_.decay_per_hop ||
                                    rules.max_hops != rules_.max_hops));
    rules_ = rules;
    inheritance_.SetRules(rules);
  }

  void Derive(JobSlot slot, ChangeReason trigger, const LiveEvaluator::Guard& guard) {
    JobDescriptor descriptor;
    if (!descriptors_.Describe(slot, graph_.id(slot), &descriptor)) {
      ++counts_.undescribed;
      descriptor = JobDescriptor();
      descriptor.gpu_count = -1;  // no job has that: the policy's fallback decides
    }
    descriptor.lineage = graph_.facts(slot);
    descriptor.claimed &= ~Bit(Attribute::kLineage);
    const Decision decision = guard.Evaluate(descriptor, clock_);
    ++counts_.evaluations;

    Job& job = At(slot);
    const bool anew = job.epoch != epoch_;
    if (!job.living) {
      job.living = true;
      ++living_;
    } else if (anew) {
      --behind_;
    }
    job.epoch = epoch_;
    job.trigger = trigger;
    job.klass = classes_.Number(decision.priority_class);
    job.own_moved |= !inheritance_.lives(slot) || inheritance_.own(slot) != decision.priority;
    timers_.Set(slot, decision.valid_until);
    inheritance_.Set(slot, decision.priority);
    if (anew && rebuild_) inheritance_.Build(slot);
    Mark(slot);
  }

  void End(JobSlot slot) {
    Job& job = At(slot);
    if (!job.living) return;
    job.living = false;
    --living_;
    if (job.epoch != epoch_) --behind_;
    timers_.Remove(slot);
    releases_.Remove(slot);
    inheritance_.Remove(slot);
  }

  void Mark(JobSlot slot) {
    if (std::exchange(jobs_[slot].marked, true)) return;
    marked_.push_back(slot);
  }

  void Publish(JobSlot slot, std::vector<PriorityChange>* changes) {
    Job& job = jobs_[slot];
    job.marked = false;
    const bool own_moved = std::exchange(job.own_moved, false);
    const ChangeReason trigger = std::exchange(job.trigger, ChangeReason::kPropagation);
    if (!job.living || !inheritance_.lives(slot)) return;

    const lineage::Rank rank{inheritance_.priority(slot), job.klass};
    const lineage::Rank before = std::exchange(job.derived, rank);
    const JobSlot old_heir_of = job.heir_of;
    const std::uint32_t old_heir_birth = job.heir_birth;
    job.heir_of = kNobody;
    if (inheritance_.inherits(slot)) {
      job.heir_of = inheritance_.Source(slot);
      job.heir_birth = jobs_[job.heir_of].birth;
    }

    PriorityChange change;
    if (!job.announced) {
      job.announced = true;
      job.published.rank = rank;
      change.reason = ChangeReason::kSubmitted;
      change.old_priority = rank.priority;
      change.old_class = classes_.Name(rank.klass);
    } else {
      const TimePoint allowed = limits_.AllowedAt(slot, job.published, rank);
      releases_.Set(slot, allowed > clock_ ? allowed : kForever);
      if (allowed > clock_) {
        if (rank != job.published.rank) ++counts_.held_back;
        return;
      }
      change.reason = trigger;
      if (rank == before) {
        change.reason = ChangeReason::kReleased;
      } else if (rank.priority != before.priority && (job.heir_of != kNobody || (!own_moved && trigger != ChangeReason::kPolicy))) {
        change.reason = ChangeReason::kPropagation;
        const JobSlot from = job.heir_of != kNobody ? job.heir_of : old_heir_of;
        const std::uint32_t birth = job.heir_of != kNobody ? job.heir_birth : old_heir_birth;
        if (from != kNobody && jobs_[from].birth == birth) change.cause = graph_.id(from);
      }
      change.old_priority = job.published.rank.priority;
      change.old_class = classes_.Name(job.published.rank.klass);
      job.published = {rank, clock_};
      limits_.Note(slot, clock_);
    }
    change.job = graph_.id(slot);
    change.new_priority = rank.priority;
    change.new_class = classes_.Name(rank.klass);
    ++counts_.changes;
    if (changes != nullptr) changes->push_back(change);
  }

  LineageGraph& graph_;
  LiveEvaluator& live_;
  DescriptorSource& descriptors_;

  TimePoint clock_ = kNoTime;
  std::vector<Job> jobs_;  // by slot
  std::size_t living_ = 0;
  ClassNames classes_;
  lineage::Inheritance inheritance_;
  lineage::Limits limits_;
  lineage::TimerQueue timers_;    // Decision::valid_until
  lineage::TimerQueue releases_;  // what a limit of time holds back
  Counts counts_;

  std::string fingerprint_;
  Propagation rules_;
  std::uint32_t epoch_ = 0;   // counts the policies seen
  std::size_t behind_ = 0;    // living jobs of an older epoch
  JobSlot cursor_ = 0;        // all of them are from here on, or were met by an event
  bool rebuild_ = false;      // they inherit by other rules

  // Of the running call.
  std::vector<JobSlot> touched_;
  std::vector<JobSlot> settled_;
  std::vector<JobSlot> marked_;
};

Reprioritiser::Reprioritiser(LineageGraph* graph, LiveEvaluator* live,
                             DescriptorSource* descriptors)
    : impl_(std::make_unique<Impl>(graph, live, descriptors)) {}
Reprioritiser::~Reprioritiser() = default;

absl::StatusOr<Applied> Reprioritiser::Submit(const Submission& submission,
                                              const JobDescriptor& descriptor, TimePoint now,
                                              std::vector<PriorityChange>* changes) {
  return impl_->Submit(submission, descriptor, now, changes);
}
absl::StatusOr<Applied> Reprioritiser::Apply(const JobEvent& event, TimePoint now,
                                             std::vector<PriorityChange>* changes) {
  return impl_->Apply(event, now, changes);
}
std::size_t Reprioritiser::Advance(TimePoint now, std::vector<PriorityChange>* changes,
                                   std::size_t max_jobs) {
  return impl_->Advance(now, changes, max_jobs);
}
absl::Status Reprioritiser::Refresh(std::string_view job, TimePoint now,
                                    std::vector<PriorityChange>* changes) {
  return impl_->Refresh(job, now, changes);
}
std::optional<Reprioritiser::Published> Reprioritiser::published(std::string_view job) const {
  return impl_->published(job);
}
std::size_t Reprioritiser::pending() const noexcept { return impl_->pending(); }
TimePoint Reprioritiser::next_due() const noexcept { return impl_->next_due(); }
Reprioritiser::Counts Reprioritiser::counts() const noexcept { return impl_->counts(); }

}  // namespace precedent
