// One event about a job: its chain's lineage, its service job's priority, its return.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_STATE_CHANGE_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_STATE_CHANGE_H_

#include <string_view>

#include "examples/batch_lambda/handler.h"

namespace precedent::batch_lambda {

// Events come at least once and in any order. Of each job the item `job/<id>` says how
// many of its attempts were counted as what; an event adds what it knows beyond that, to
// the job and to its chain in one transaction. So neither an event that comes twice nor one
// that comes late counts anything twice.
//
// A job that ended because it was preempted or lost its host goes back to the queue, see
// requeue.h. A service job that waits or runs gets its priority of now. Events of jobs that
// this program has not submitted are passed over.
Verdict HandleStateChange(Work& work, std::string_view event, std::string_view message_id);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_STATE_CHANGE_H_
