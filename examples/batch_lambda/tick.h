// What is done every minute.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_TICK_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_TICK_H_

#include "examples/batch_lambda/handler.h"

namespace precedent::batch_lambda {

// Of each of Settings.snapshot_queues: a snapshot (GetJobQueueSnapshot), from which comes
// one line per share in CloudWatch's embedded metric format, and the priorities of the
// service jobs that wait in it (aging). An error of one queue does not keep the others from
// theirs.
absl::Status HandleTick(Work& work);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_TICK_H_
