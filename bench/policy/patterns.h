// What a pattern that needs RE2 could be instead.
#ifndef PRECEDENT_BENCH_POLICY_PATTERNS_H_
#define PRECEDENT_BENCH_POLICY_PATTERNS_H_

#include <string>
#include <vector>

#include "precedent/issue.h"
#include "precedent/job_descriptor.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::bench {

// For each note among `issues` about a pattern, one line: where it is, and which texts
// of these jobs it matches, or with what all its matches begin.
std::vector<std::string> PatternAdvice(const v1::Policy& policy, const std::vector<Issue>& issues,
                                       const std::vector<JobDescriptor>& jobs);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_PATTERNS_H_
