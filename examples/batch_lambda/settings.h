// Settings: what the environment says.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SETTINGS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SETTINGS_H_

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "precedent/aws_batch.h"
#include "precedent/backoff.h"

namespace precedent::batch_lambda {

// The value of a variable, or empty: the environment's, or a test's.
using Variables = std::function<std::string(const std::string& name)>;
std::string FromEnvironment(const std::string& name);

struct Settings {
  std::string region;  // AWS_REGION, else AWS_DEFAULT_REGION
  // PRECEDENT_TABLE: of DynamoDB, with the key `itemKey`, a text.
  std::string table;
  // PRECEDENT_QUEUE_URL: of submissions, where requeued jobs go back to.
  std::string queue_url;
  // PRECEDENT_DEAD_LETTER_URL: where goes what can never succeed.
  std::string dead_letter_url;
  // PRECEDENT_EVENTS_URL: of state changes; `precedent-batch-worker` polls it as well.
  std::string events_url;
  // PRECEDENT_POLICY: a file, `s3://BUCKET/KEY`, or `ssm:NAME` for a parameter.
  std::string policy;
  // PRECEDENT_OPTIONS: file of AdapterOptions as protobuf text; empty: the defaults.
  std::string options;
  // PRECEDENT_JOB_QUEUE: for submissions that name none.
  std::string job_queue;
  // PRECEDENT_QUEUE_POLICY: `fair-share` (also where unset), `quota-share` or `none`; and
  // after commas `NAME=POLICY` for single queues.
  aws::QueuePolicy queue_policy = aws::QueuePolicy::kFairShare;
  std::map<std::string, aws::QueuePolicy> queue_policies;
  // PRECEDENT_SNAPSHOT_QUEUES: of Batch, separated by commas, that the tick looks at.
  std::string snapshot_queues;
  // PRECEDENT_CLAIM_SECONDS: how long a submission belongs to who claimed it. Longer than
  // any run of the function, so that who claimed it has gone when it is over.
  std::chrono::milliseconds claim{960'000};
  // PRECEDENT_REQUEST_MILLISECONDS: time-out of one request.
  std::chrono::milliseconds request_timeout{10'000};
  // PRECEDENT_BACKOFF: `initial=30,factor=2,max=3600,jitter=0.5,attempts=10`, in seconds,
  // any part of it.
  BackoffOptions backoff;
  // PRECEDENT_SCHEDULE_ROLE_ARN, PRECEDENT_QUEUE_ARN: for schedules of requeues beyond
  // 12 hours.
  std::string schedule_role;
  std::string queue_arn;

  aws::QueuePolicy PolicyOf(std::string_view job_queue_or_arn) const;
};

// INVALID_ARGUMENT names the variable that is missing or that nobody can read.
absl::StatusOr<Settings> ReadSettings(const Variables& variables);

// `https://sqs.us-east-1.amazonaws.com`, or what AWS_ENDPOINT_URL_<SERVICE> or
// AWS_ENDPOINT_URL says, without a slash at its end.
std::string EndpointOf(const std::string& service, const std::string& region,
                       const Variables& variables);

// `job-queue/gpu` or a whole ARN: `gpu`.
std::string_view LastPart(std::string_view arn);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SETTINGS_H_
