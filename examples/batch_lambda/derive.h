// Derive: the request that goes to Batch, with the priority that the policy gives.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_DERIVE_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_DERIVE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "examples/batch_lambda/handler.h"
#include "examples/batch_lambda/submission.h"

namespace precedent::batch_lambda {

struct Derived {
  std::string body;           // for SubmitJob or SubmitServiceJob
  std::int32_t priority = 0;  // 0 to 9999
  std::string fallback;       // why the priority is the fallback; empty: it is derived
};

// PERMISSION_DENIED: the policy denies the job. INVALID_ARGUMENT: Batch would take it in
// no form. Any other error: worth another time.
//
// What cannot be derived, because no policy is live or because the job's metadata say
// something that nobody can read, goes out with the fallback's priority and with the tags
// `precedent.dev/reason` and `precedent.dev/fallback` that say why.
absl::StatusOr<Derived> Derive(Work& work, const Submission& submission);

// Keys of tags for what the adapters read from no metadata by default: infrastructure
// failures and the attempt, which requeued jobs bring along, and what a job reports of
// itself, see report.h.
void AddLineageKeys(v1::AdapterOptions& options);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_DERIVE_H_
