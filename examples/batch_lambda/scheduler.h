// The call of EventBridge Scheduler that is needed.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SCHEDULER_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SCHEDULER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "examples/batch_lambda/aws.h"
#include "examples/batch_lambda/settings.h"

namespace precedent::batch_lambda {

// Has `message` sent to the queue of submissions at `time`, once; the schedule deletes
// itself. Made a second time under the same name it stays the first.
// FAILED_PRECONDITION where the settings have no role or no queue's ARN for it.
absl::Status ScheduleMessage(Aws& aws, const Settings& settings, std::string_view name,
                             absl::Time time, std::string_view message);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SCHEDULER_H_
