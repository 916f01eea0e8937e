// The way back to the queue of a job that was preempted or lost its host.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_REQUEUE_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_REQUEUE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "examples/batch_lambda/handler.h"
#include "examples/batch_lambda/table.h"

namespace precedent::batch_lambda {

// What an event says of a job that this program has submitted.
struct Change {
  bool service = false;
  std::string job_name;
  std::string job_id;
  std::string job_queue;  // ARN
  std::string status;
  std::int64_t stopped_at = 0;  // milliseconds since 1970
  std::int32_t priority = 0;    // with which it ran
  Item submission;              // `submission/<job name>`
};

// Sends the chain's next attempt to the queue, to come when Backoff says, counted from the
// end of the job; among the jobs of one Batch queue that ended within one minute, none
// later than a less important one (`burst/<queue>/<minute>` holds what was placed). Where
// the attempts are used up, its request becomes a dead letter.
//
// Up to 900 s the message is delayed; up to 12 h it comes early, and whoever receives it
// hides it for the rest; beyond that EventBridge Scheduler sends it.
//
// May be called again for the same job: the time is that of the first call, and a message
// that is sent twice makes one job.
absl::Status Requeue(Work& work, const Change& change, std::string_view message_id);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_REQUEUE_H_
