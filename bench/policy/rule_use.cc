#include "bench/policy/rule_use.h"

#include <algorithm>

namespace precedent::bench {

RuleUse Count(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs, TimePoint now) {
  RuleUse use;
  use.jobs.resize(evaluator.rule_count());
  std::vector<std::uint32_t> rules(evaluator.rule_count());
  std::size_t total = 0;
  for (const JobDescriptor& job : jobs) {
    const Decision decision = evaluator.Evaluate(job, now);
    if (decision.reason != Reason::kDerived) ++use.invalid;
    if (decision.valid_until == kForever) ++use.timeless;
    const std::size_t count = evaluator.AppliedRules(job, now, rules);
    for (std::size_t i = 0; i < count; ++i) ++use.jobs[rules[i]];
    total += count;
    use.most_per_job = std::max(use.most_per_job, count);
  }
  if (!jobs.empty()) use.per_job = static_cast<double>(total) / static_cast<double>(jobs.size());
  for (std::uint32_t rule = 0; rule < evaluator.rule_count(); ++rule)
    (use.jobs[rule] == 0 ? use.never : use.most).push_back(rule);
  std::stable_sort(use.most.begin(), use.most.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return use.jobs[a] > use.jobs[b]; });
  return use;
}

}  // namespace precedent::bench
