// From a checked policy to an evaluator.
#ifndef PRECEDENT_SRC_POLICY_LOWER_H_
#define PRECEDENT_SRC_POLICY_LOWER_H_

#include <optional>
#include <vector>

#include "precedent/evaluator.h"
#include "precedent/issue.h"
#include "precedent/policy.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::internal {

// The evaluator of a policy without errors, or nothing and errors: limits that only
// lowering can judge (alternatives, attributes, bytes). REQUIRES: CheckPolicy found
// no error.
std::optional<Evaluator> CompileChecked(const v1::Policy& policy, const CompileOptions& options,
                                        std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_LOWER_H_
