// Aws: one request to a service, and what became of it.
//
// All that this program does to the world goes through here, so a test can put something
// else in its place and run the handlers without a network.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_AWS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_AWS_H_

#include <string>

#include "absl/status/status.h"

namespace precedent::batch_lambda {

struct AwsRequest {
  // As signatures name it: `sqs`, `dynamodb`, `batch`. To `s3` it is a GET without body.
  std::string service;
  std::string path = "/";  // nothing in it may need escaping
  std::string target;      // X-Amz-Target of the JSON protocols; else empty
  std::string body;        // JSON
  // Whether sending it twice does no more than sending it once. If not, it is sent again
  // only where the service has said that it did nothing.
  bool repeatable = true;
};

struct AwsReply {
  enum class Outcome {
    kDone,       // 2xx
    kRefused,    // the service did nothing, and would not the next time either
    kThrottled,  // the service did nothing, for now
    kUncertain,  // nobody can tell whether it did: 5xx, no answer, a broken one
  };
  Outcome outcome = Outcome::kUncertain;
  std::string body;
  std::string code;     // of the error, such as `ClientException`; may be empty
  std::string message;  // of the error

  bool ok() const { return outcome == Outcome::kDone; }
};

// The reply as a status: OK, FAILED_PRECONDITION (refused), RESOURCE_EXHAUSTED
// (throttled), UNAVAILABLE (uncertain), with `what` in front of the service's words.
absl::Status StatusOf(const AwsReply& reply, const std::string& what);

// Not thread-safe.
class Aws {
 public:
  virtual ~Aws() = default;
  // Sends, and sends again after growing random pauses where that may help.
  virtual AwsReply Call(const AwsRequest& request) = 0;
  // Whether it is too late to begin with another message: the caller's time is up soon.
  virtual bool Late() const { return false; }
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_AWS_H_
