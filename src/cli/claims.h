// Rules that a job can use by claiming something about itself.
#ifndef PRECEDENT_SRC_CLI_CLAIMS_H_
#define PRECEDENT_SRC_CLI_CLAIMS_H_

#include <vector>

#include "precedent/issue.h"
#include "precedent/v1/adapter.pb.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::cli {

// A note for every rule that can raise a score, or give a class, on the strength of an
// attribute that anybody can claim: one that the adapters read from labels,
// annotations, tags or the environment, that no binding of `options` ties to something
// verified, and that the policy does not require to be verified.
//
// Rules that raise by ending a FIRST_MATCH stage before a penalty are not looked for.
std::vector<Issue> ClaimNotes(const v1::Policy& policy, const v1::AdapterOptions& options);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_CLAIMS_H_
