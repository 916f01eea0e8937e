// Policies of the measurements, as messages.
#ifndef PRECEDENT_BENCH_WORKLOAD_POLICY_H_
#define PRECEDENT_BENCH_WORKLOAD_POLICY_H_

#include <cstdint>

#include "bench/workload/job.h"
#include "bench/workload/rule.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::bench {

// The rules under ids `r0`, `r1`, ..., with bounds that no sum of them reaches.
v1::Policy ToPolicy(const RuleSet& rules);

// Production 1000, everything else 500; inference +200, else more than 4 GPUs -50;
// training on more than 1,024 GB -5; -10 for each failure; preemptible 0; never below 0.
v1::Policy SeedPolicy();
// The same, and an order_only point for each half hour of waiting, at most 40.
v1::Policy SeedPolicyWithAging();

// The seed policy without library, policy or rivals' cleverness: the expected result.
std::int32_t SeedPriority(const Job& job);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_POLICY_H_
