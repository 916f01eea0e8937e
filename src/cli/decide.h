// A decision with everything that a person or a tool wants to know of it.
#ifndef PRECEDENT_SRC_CLI_DECIDE_H_
#define PRECEDENT_SRC_CLI_DECIDE_H_

#include "precedent/policy.h"
#include "precedent/time.h"
#include "precedent/v1/decision.pb.h"
#include "src/cli/input.h"

namespace precedent::cli {

// The decision for the job as a message: with the rules that applied, their warnings
// and annotations, the adapter's remarks, and one for each claim that the policy's
// require_verified ignored.
v1::Decision Decide(const Evaluator& evaluator, const InputJob& input, TimePoint now);

// The name of the attribute as it is in a policy: `workload_type`.
std::string AttributeName(v1::Attribute attribute);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_DECIDE_H_
