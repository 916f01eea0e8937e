// The priority of a service job that waits or runs, brought up to date.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SERVICE_PRIORITY_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SERVICE_PRIORITY_H_

#include <string>

#include "examples/batch_lambda/handler.h"
#include "examples/batch_lambda/table.h"

namespace precedent::batch_lambda {

// Asks Batch for the job (an event has neither its tags nor its payload, but these tell
// its lineage, and DescribeServiceJob the preemptions since), derives its priority of now,
// and gives it to Batch where it differs by at least Stability.min_change, the last change
// is at least min_interval_seconds ago, and no more than max_changes_per_hour were made in
// the hour. `submission` is the item `submission/<job name>`.
absl::Status RefreshPriority(Work& work, const std::string& job_id, const std::string& job_name,
                             const Item& submission);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SERVICE_PRIORITY_H_
