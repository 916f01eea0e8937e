// What is wrong with a policy that could be read.
#ifndef PRECEDENT_SRC_POLICY_CHECK_H_
#define PRECEDENT_SRC_POLICY_CHECK_H_

#include <vector>

#include "precedent/issue.h"
#include "precedent/policy.h"
#include "precedent/v1/policy.pb.h"
#include "re2/re2.h"

namespace precedent::internal {

// Appends every error, warning and note about the policy, with paths and without
// lines. `*issues` may hold the errors of reading it: nothing is reported that only
// follows from one of them. Linear in the policy; patterns are compiled once each,
// within the limits. That it needs RE2 is a note, or an error under
// `require_lock_free`.
void CheckPolicy(const v1::Policy& policy, const PolicyLimits& limits,
                 std::vector<Issue>* issues, bool require_lock_free = false);

// How patterns are compiled, here and for evaluation.
RE2::Options PatternOptions(const PolicyLimits& limits);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CHECK_H_
