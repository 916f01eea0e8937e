// What a job descriptor from a file may not say.
#ifndef PRECEDENT_SRC_CLI_DESCRIPTOR_CHECK_H_
#define PRECEDENT_SRC_CLI_DESCRIPTOR_CHECK_H_

#include <vector>

#include "precedent/issue.h"
#include "precedent/v1/job.pb.h"

namespace precedent::cli {

// Appends an error, with its path, for every value that no job can have: NaN,
// infinities, negative numbers where there can be none, times that are none, unknown
// attributes and relations. The evaluator would answer such a job with the fallback;
// at the door its author can still be told.
void CheckDescriptor(const v1::JobDescriptor& job, std::vector<Issue>* issues);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_DESCRIPTOR_CHECK_H_
