// The report for people.
#ifndef PRECEDENT_BENCH_POLICY_REPORT_H_
#define PRECEDENT_BENCH_POLICY_REPORT_H_

#include <ostream>
#include <string>
#include <vector>

#include "bench/policy/costs.h"
#include "bench/policy/rule_use.h"
#include "precedent/policy.h"

namespace precedent::bench {

// Texts of the policy are printed so that they cannot steer a terminal.
void PrintReport(const CompiledPolicy& policy, std::size_t jobs, const RuleUse& use,
                 const AllCosts& costs, const std::vector<std::string>& advice, std::ostream& out);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_REPORT_H_
