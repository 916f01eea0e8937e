// What the decisions of a policy cost, and what its rules contribute.
#ifndef PRECEDENT_BENCH_POLICY_COSTS_H_
#define PRECEDENT_BENCH_POLICY_COSTS_H_

#include <string>
#include <vector>

#include "bench/policy/attributes.h"
#include "precedent/policy.h"

namespace precedent::bench {

// Nanoseconds for one job.
struct Costs {
  double bind = 0;
  double evaluate = 0;  // a bound job
  double both = 0;      // from a descriptor
};

struct AttributeCost {
  AttributeUse use;
  Costs without;  // what the policy costs without the rules that look at the attribute
};

struct AllCosts {
  Costs policy;
  std::vector<AttributeCost> attributes;  // that whose rules cost most first
};

// Measures the policy, and for its most used attributes the policy without the rules
// that look at them, in turns. There is no other honest price of a constraint: one taken
// out by itself would let more rules apply, and these cost something, too.
AllCosts MeasureCosts(const CompiledPolicy& policy, const std::vector<JobDescriptor>& jobs,
                      TimePoint now);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_COSTS_H_
