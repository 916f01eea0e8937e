// What a pattern that needs RE2 could be instead.
#ifndef PRECEDENT_BENCH_POLICY_PATTERNS_H_
#define PRECEDENT_BENCH_POLICY_PATTERNS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "precedent/job_descriptor.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::bench {

// For each pattern that needs RE2, up to `max`, one line: where it is, and which texts of
// these jobs it matches, or with what all its matches begin. Then one for all others.
std::vector<std::string> PatternAdvice(const v1::Policy& policy,
                                       const std::vector<JobDescriptor>& jobs, std::size_t max);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_PATTERNS_H_
