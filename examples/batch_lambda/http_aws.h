// HttpAws: Aws over HTTP, signed, with time-outs and retries.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_HTTP_AWS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_HTTP_AWS_H_

#include <chrono>
#include <random>

#include "examples/batch_lambda/aws.h"
#include "examples/batch_lambda/credentials.h"
#include "examples/batch_lambda/http.h"
#include "examples/batch_lambda/settings.h"

namespace precedent::batch_lambda {

struct RetryOptions {
  int attempts = 5;
  // The n-th pause is anything between 0 and base * 2^n, at most max (full jitter).
  std::chrono::milliseconds base{50};
  std::chrono::milliseconds max{5'000};
};

class HttpAws : public Aws {
 public:
  using Clock = std::chrono::steady_clock;

  HttpAws(const Settings& settings, Variables variables, RetryOptions retry = {});

  AwsReply Call(const AwsRequest& request) override;
  bool Late() const override;
  // No request takes longer than until then, and a second before then it is late.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  // For a request that waits by itself, such as a long poll: added to the time-out.
  void set_patience(std::chrono::milliseconds more) { patience_ = more; }

 private:
  AwsReply Once(const AwsRequest& request);

  std::string region_;
  std::chrono::milliseconds timeout_;
  std::chrono::milliseconds patience_{0};
  Variables variables_;
  RetryOptions retry_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Http http_;
  CredentialSource credentials_;
  std::minstd_rand random_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_HTTP_AWS_H_
