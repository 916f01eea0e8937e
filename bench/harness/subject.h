// The library with one policy and one list of jobs, checked and ready to be timed.
#ifndef PRECEDENT_BENCH_HARNESS_SUBJECT_H_
#define PRECEDENT_BENCH_HARNESS_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/library.h"
#include "bench/rivals/rival.h"
#include "bench/workload/job.h"
#include "precedent/policy.h"

namespace precedent::bench {

class Subject {
 public:
  // Null, and the first error in `*error`, if `policy` does not compile. Borrows `jobs`.
  static std::unique_ptr<Subject> Make(const v1::Policy& policy, const std::vector<Job>& jobs,
                                       std::string* error);

  // Compares everything that is decided about each job with what the reference
  // interpreter says, and keeps the priorities. Empty: they agree; else what differs.
  std::string CheckAgainstReference();
  // The same for the priorities of somebody else, once the reference has been asked.
  std::string Check(Contender& contender) const;

  const Evaluator& evaluator() const { return policy_.evaluator(); }
  // Rules that apply to a job, on average; known after CheckAgainstReference.
  double applied_rules() const { return applied_rules_; }

  // Evaluates bound jobs.
  std::unique_ptr<Contender> Bound() const;
  // Evaluates descriptors that are ready: binds and evaluates.
  std::unique_ptr<Contender> FromTexts() const;
  // Fills a descriptor from the record, then the same.
  std::unique_ptr<Contender> FromRecords() const;
  // Binds descriptors; the priorities stay 0.
  std::unique_ptr<Contender> BindOnly() const;
  // Evaluates bound jobs by one call for all.
  std::unique_ptr<Contender> Batch() const;

 private:
  Subject(CompiledPolicy policy, const std::vector<Job>& jobs);

  CompiledPolicy policy_;
  const std::vector<Job>& jobs_;
  std::vector<std::vector<Label>> labels_;
  std::vector<JobDescriptor> descriptors_;
  std::unique_ptr<BoundJobs> bound_;
  std::vector<std::int32_t> expected_;
  double applied_rules_ = 0;
};

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_HARNESS_SUBJECT_H_
