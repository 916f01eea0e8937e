#include "bench/harness/subject.h"

#include <benchmark/benchmark.h>

#include <type_traits>
#include <utility>

#include "tests/reference/reference.h"

namespace precedent::bench {
namespace {

// A decision is written out in full before the next job: what is not looked at must be
// derived all the same.
void Keep(const Decision& decision, std::int32_t*& priorities) {
  benchmark::DoNotOptimize(&decision);
  benchmark::ClobberMemory();
  *priorities++ = decision.priority;
}

class BoundJobs : public Contender {
 public:
  BoundJobs(const Evaluator& evaluator, const std::vector<BoundJob>& jobs)
      : evaluator_(evaluator), jobs_(jobs) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) Keep(evaluator_.Evaluate(jobs_[i], kNow), priorities);
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<BoundJob>& jobs_;
};

class Descriptors : public Contender {
 public:
  Descriptors(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs)
      : evaluator_(evaluator), jobs_(jobs) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) Keep(evaluator_.Evaluate(jobs_[i], kNow), priorities);
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<JobDescriptor>& jobs_;
};

class Records : public Contender {
 public:
  Records(const Evaluator& evaluator, const std::vector<Job>& jobs,
          const std::vector<std::vector<Label>>& labels)
      : evaluator_(evaluator), jobs_(jobs), labels_(labels) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i)
      Keep(evaluator_.Evaluate(Describe(jobs_[i], Span<const Label>(labels_[i])), kNow),
           priorities);
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<Job>& jobs_;
  const std::vector<std::vector<Label>>& labels_;
};

class Binds : public Contender {
 public:
  Binds(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs)
      : evaluator_(evaluator), jobs_(jobs), storage_(evaluator.bound_size() / 8) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t*) override {
    const Span<std::byte> storage(reinterpret_cast<std::byte*>(storage_.data()),
                                  storage_.size() * 8);
    for (std::size_t i = begin; i < end; ++i) {
      evaluator_.Bind(jobs_[i], storage);
      benchmark::DoNotOptimize(storage_.data());
      benchmark::ClobberMemory();
    }
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<JobDescriptor>& jobs_;
  std::vector<std::uint64_t> storage_;
};

// A template, so that it is compiled only where the library has the call.
template <typename E>
class Batches : public Contender {
 public:
  Batches(const E& evaluator, const std::vector<BoundJob>& jobs)
      : evaluator_(evaluator), jobs_(jobs), decisions_(jobs.size()) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    const std::size_t count = end - begin;
    evaluator_.Evaluate(Span<const BoundJob>(jobs_.data() + begin, count), kNow,
                        Span<Decision>(decisions_.data(), count));
    for (std::size_t i = 0; i < count; ++i) priorities[i] = decisions_[i].priority;
  }

 private:
  const E& evaluator_;
  const std::vector<BoundJob>& jobs_;
  std::vector<Decision> decisions_;
};

template <typename E, typename = void>
struct HasBatch : std::false_type {};
template <typename E>
struct HasBatch<E, std::void_t<decltype(std::declval<const E&>().Evaluate(
                       Span<const BoundJob>(), TimePoint(), Span<Decision>()))>> : std::true_type {
};

template <typename E>
std::unique_ptr<Contender> MakeBatches(const E& evaluator, const std::vector<BoundJob>& jobs) {
  if constexpr (HasBatch<E>::value)
    return std::make_unique<Batches<E>>(evaluator, jobs);
  else
    return nullptr;
}

reference::Job ForReference(const Job& job) {
  reference::Job result;
  v1::JobDescriptor& facts = result.facts;
  facts.set_team(job.team);
  facts.set_namespace_(job.name_space);
  facts.set_workload_type(job.workload);
  facts.set_environment(job.environment);
  facts.set_gpu_count(static_cast<double>(job.gpus));
  facts.set_dataset_bytes(static_cast<double>(job.dataset_gb) * kBytesPerGb);
  facts.mutable_lineage()->set_failure_count(job.failures);
  facts.set_preemptible(job.preemptible);
  result.submitted_us =
      (kNow - std::chrono::seconds(job.waited_seconds)).time_since_epoch().count();
  result.labels = job.labels;
  return result;
}

std::string Differs(std::size_t job, const char* what, std::int64_t got, std::int64_t wanted) {
  return "job " + std::to_string(job) + ": " + what + " is " + std::to_string(got) +
         " and should be " + std::to_string(wanted);
}

}  // namespace

std::unique_ptr<Subject> Subject::Make(const v1::Policy& policy, const std::vector<Job>& jobs,
                                       std::string* error) {
  CompileResult result = CompilePolicy(policy);
  if (!result.ok()) {
    for (const Issue& issue : result.issues)
      if (issue.severity == Severity::kError) {
        *error = FormatIssue(issue, "policy");
        break;
      }
    return nullptr;
  }
  return std::unique_ptr<Subject>(new Subject(*std::move(result.policy), jobs));
}

Subject::Subject(CompiledPolicy policy, const std::vector<Job>& jobs)
    : policy_(std::move(policy)), jobs_(jobs), labels_(jobs.size()) {
  const std::size_t size = evaluator().bound_size();
  storage_.resize(jobs.size() * size / 8);
  descriptors_.reserve(jobs.size());
  bound_.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    descriptors_.push_back(Describe(jobs[i], labels_[i]));
    bound_.push_back(evaluator().Bind(
        descriptors_[i], {reinterpret_cast<std::byte*>(&storage_[i * size / 8]), size}));
  }
}

std::string Subject::CheckAgainstReference() {
  const reference::Reference reference(policy_.source());
  std::vector<std::uint32_t> rules(evaluator().rule_count());
  std::size_t applied = 0;
  expected_.clear();
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const reference::Outcome expected =
        reference.Decide(ForReference(jobs_[i]), kNow.time_since_epoch().count());
    const Decision decision = evaluator().Evaluate(bound_[i], kNow);
    if (decision.priority != expected.priority)
      return Differs(i, "priority", decision.priority, expected.priority);
    if (decision.preemption_priority != expected.preemption_priority)
      return Differs(i, "preemption priority", decision.preemption_priority,
                     expected.preemption_priority);
    const std::int64_t until =
        expected.valid_until_us.value_or(kForever.time_since_epoch().count());
    if (decision.valid_until.time_since_epoch().count() != until)
      return Differs(i, "valid until", decision.valid_until.time_since_epoch().count(), until);
    const std::size_t count = evaluator().AppliedRules(bound_[i], kNow, rules);
    if (std::vector<std::uint32_t>(rules.begin(),
                                   rules.begin() + static_cast<std::ptrdiff_t>(count)) !=
        expected.rule_indexes)
      return Differs(i, "number of applied rules (or one of them)",
                     static_cast<std::int64_t>(count),
                     static_cast<std::int64_t>(expected.rule_indexes.size()));
    applied += count;
    expected_.push_back(expected.priority);
  }
  applied_rules_ = static_cast<double>(applied) / static_cast<double>(jobs_.size());
  return "";
}

std::string Subject::Check(Contender& contender) const {
  std::vector<std::int32_t> priorities(expected_.size());
  contender.Run(0, priorities.size(), priorities.data());
  for (std::size_t i = 0; i < priorities.size(); ++i)
    if (priorities[i] != expected_[i]) return Differs(i, "priority", priorities[i], expected_[i]);
  return "";
}

std::unique_ptr<Contender> Subject::Bound() const {
  return std::make_unique<BoundJobs>(evaluator(), bound_);
}
std::unique_ptr<Contender> Subject::FromTexts() const {
  return std::make_unique<Descriptors>(evaluator(), descriptors_);
}
std::unique_ptr<Contender> Subject::FromRecords() const {
  return std::make_unique<Records>(evaluator(), jobs_, labels_);
}
std::unique_ptr<Contender> Subject::BindOnly() const {
  return std::make_unique<Binds>(evaluator(), descriptors_);
}
std::unique_ptr<Contender> Subject::Batch() const { return MakeBatches(evaluator(), bound_); }

}  // namespace precedent::bench
