// Which rules apply to the jobs, and how often.
#ifndef PRECEDENT_BENCH_POLICY_RULE_USE_H_
#define PRECEDENT_BENCH_POLICY_RULE_USE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "precedent/evaluator.h"

namespace precedent::bench {

struct RuleUse {
  std::vector<std::size_t> jobs;    // by rule: how many jobs it applied to
  std::vector<std::uint32_t> most;  // rules that applied at all, the most frequent first
  std::vector<std::uint32_t> never;
  double per_job = 0;  // rules that apply to a job, on average
  std::size_t most_per_job = 0;
  std::size_t invalid = 0;   // jobs that got the fallback
  std::size_t timeless = 0;  // jobs whose decision no passing of time can change
};

RuleUse Count(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs, TimePoint now);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_RULE_USE_H_
