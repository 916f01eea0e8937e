// One message of the queue of submissions, to one job.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SUBMIT_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SUBMIT_H_

#include <string_view>

#include "examples/batch_lambda/handler.h"

namespace precedent::batch_lambda {

struct Message {
  std::string_view id;
  std::string_view body;
  std::string_view receipt;
};

// At least once is how messages come; once is how jobs are submitted. The item
// `submission/<job name>` goes
//
//   nothing -> claimed -> submitted (jobId), or dead (which may be claimed again)
//
// by conditional writes. Who claims it submits the job and writes the id. Where the claimer
// is gone (the claim is older than Settings.claim) or is not sure what came of its request,
// the next one takes the claim over, and first asks Batch for a job of that name: there is
// no moment at which a crash loses the job or makes a second one.
Verdict HandleSubmission(Work& work, const Message& message);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SUBMIT_H_
