#include "bench/harness/subject.h"

#include <utility>

#include "tests/reference/reference.h"

namespace precedent::bench {
namespace {

// Fills a descriptor from a record first.
class Records : public Contender {
 public:
  Records(const Evaluator& evaluator, const std::vector<Job>& jobs,
          const std::vector<std::vector<Label>>& labels)
      : evaluator_(evaluator), jobs_(jobs), labels_(labels) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) {
      const Decision decision =
          evaluator_.Evaluate(Describe(jobs_[i], Span<const Label>(labels_[i])), kNow);
      Keep(decision);
      *priorities++ = decision.priority;
    }
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<Job>& jobs_;
  const std::vector<std::vector<Label>>& labels_;
};

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
  descriptors_.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    descriptors_.push_back(Describe(jobs[i], labels_[i]));
  bound_ = std::make_unique<BoundJobs>(evaluator(), descriptors_);
}

std::string Subject::CheckAgainstReference() {
  const reference::Reference reference(policy_.source());
  std::vector<std::uint32_t> rules(evaluator().rule_count());
  std::size_t applied = 0;
  expected_.clear();
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const reference::Outcome expected =
        reference.Decide(ForReference(jobs_[i]), kNow.time_since_epoch().count());
    const Decision decision = evaluator().Evaluate(bound_->jobs()[i], kNow);
    if (decision.priority != expected.priority)
      return Differs(i, "priority", decision.priority, expected.priority);
    if (decision.preemption_priority != expected.preemption_priority)
      return Differs(i, "preemption priority", decision.preemption_priority,
                     expected.preemption_priority);
    const std::int64_t until =
        expected.valid_until_us.value_or(kForever.time_since_epoch().count());
    if (decision.valid_until.time_since_epoch().count() != until)
      return Differs(i, "valid until", decision.valid_until.time_since_epoch().count(), until);
    const std::size_t count = evaluator().AppliedRules(bound_->jobs()[i], kNow, rules);
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
  return EvaluateBound(evaluator(), *bound_, kNow);
}
std::unique_ptr<Contender> Subject::FromTexts() const {
  return EvaluateTexts(evaluator(), descriptors_, kNow);
}
std::unique_ptr<Contender> Subject::FromRecords() const {
  return std::make_unique<Records>(evaluator(), jobs_, labels_);
}
std::unique_ptr<Contender> Subject::BindOnly() const {
  return BindTexts(evaluator(), descriptors_);
}
std::unique_ptr<Contender> Subject::Batch() const {
  return EvaluateQueue(evaluator(), *bound_, kNow);
}

}  // namespace precedent::bench
