// Submission: what a message of the queue asks for.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SUBMISSION_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SUBMISSION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace precedent::batch_lambda {

// A message is
// - the body of SubmitJob or of SubmitServiceJob;
// - a team's own: like a SubmitJob, with its metadata as further members, which become
//   tags (`failure_count` the tag `failure-count`);
// - or an envelope {"submissionId": ..., "request": one of these}, whose id says which
//   submission it is however often it is sent. Without one, the message's own id does.
// A requeued job comes back in an envelope that also says which chain it belongs to.
struct Submission {
  std::string id;               // of the submission: one id, one job
  std::string chain;            // id of the first submission of these
  std::int64_t attempt = 1;     // in the chain
  std::int64_t not_before = 0;  // milliseconds since 1970; 0: at once
  bool service = false;         // SubmitServiceJob
  std::string request;          // body of the request, in Batch's own form but for jobName
  std::string job_name;         // the one that Batch will see, see JobName
  std::string job_queue;
  std::string job_definition;  // empty for a service job
};

// INVALID_ARGUMENT: can never succeed. `default_queue`, if not empty, is the job queue of
// a request that names none.
absl::StatusOr<Submission> ReadSubmission(std::string_view body, std::string_view message_id,
                                          std::string_view default_queue);

// `wanted` and 32 hex digits of a 128-bit hash of the submission's id, of at most 128
// characters: a long name loses its end, never the digits. So one id has one name, and two
// ids have two.
std::string JobName(std::string_view wanted, std::string_view submission_id);

// 32 hex digits that stand for a text: FNV-1a of 128 bits. Stored names depend on it: it
// never changes.
std::string Digest(std::string_view text);

// The envelope of attempt `attempt` of a chain.
std::string Envelope(std::string_view chain, std::int64_t attempt, std::int64_t not_before,
                     std::string_view request);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SUBMISSION_H_
