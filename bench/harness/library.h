// The library's ways to decide jobs, as contenders.
#ifndef PRECEDENT_BENCH_HARNESS_LIBRARY_H_
#define PRECEDENT_BENCH_HARNESS_LIBRARY_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/rivals/rival.h"
#include "precedent/evaluator.h"

namespace precedent::bench {

// Jobs bound to one evaluator, one after the other in memory.
class BoundJobs {
 public:
  BoundJobs(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs);
  BoundJobs(const BoundJobs&) = delete;
  BoundJobs& operator=(const BoundJobs&) = delete;
  const std::vector<BoundJob>& jobs() const { return jobs_; }

 private:
  std::vector<std::uint64_t> storage_;
  std::vector<BoundJob> jobs_;
};

// All borrow the evaluator and the jobs.

// Evaluates bound jobs.
std::unique_ptr<Contender> EvaluateBound(const Evaluator& evaluator, const BoundJobs& jobs,
                                         TimePoint now);
// Evaluates bound jobs by one call for all.
std::unique_ptr<Contender> EvaluateQueue(const Evaluator& evaluator, const BoundJobs& jobs,
                                         TimePoint now);
// Evaluates descriptors: binds and evaluates.
std::unique_ptr<Contender> EvaluateTexts(const Evaluator& evaluator,
                                         const std::vector<JobDescriptor>& jobs, TimePoint now);
// Binds descriptors; the priorities are left as they are.
std::unique_ptr<Contender> BindTexts(const Evaluator& evaluator,
                                     const std::vector<JobDescriptor>& jobs);

// A decision has to be written out in full before the next job: what nobody looks at
// must be derived all the same.
inline void Keep(const Decision& decision) {
  benchmark::DoNotOptimize(&decision);
  benchmark::ClobberMemory();
}

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_HARNESS_LIBRARY_H_
