// What would make a policy faster, or lock-free.
#ifndef PRECEDENT_BENCH_POLICY_ADVICE_H_
#define PRECEDENT_BENCH_POLICY_ADVICE_H_

#include <string>
#include <vector>

#include "bench/policy/costs.h"
#include "bench/policy/rule_use.h"
#include "precedent/policy.h"

namespace precedent::bench {

// One line each, the most rewarding first.
std::vector<std::string> Advice(const CompiledPolicy& policy,
                                const std::vector<JobDescriptor>& jobs, const RuleUse& use,
                                const Costs& costs);

// `a, b, c and 4 more`
std::string Some(const std::vector<std::string>& names, std::size_t max = 5);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_ADVICE_H_
