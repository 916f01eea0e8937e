// Service: all that `bootstrap` and `precedent-batch-worker` have in common.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SERVICE_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SERVICE_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "examples/batch_lambda/handler.h"
#include "examples/batch_lambda/http_aws.h"
#include "examples/batch_lambda/live_policy.h"
#include "examples/batch_lambda/settings.h"

namespace precedent::batch_lambda {

// Not thread-safe.
class Service {
 public:
  // An error names what of the environment is wrong, or the options' file.
  static absl::StatusOr<std::unique_ptr<Service>> Create(const Variables& variables);

  // Handles an event by the policy that is live now, and prints: metrics on standard
  // output, what people should know on standard error.
  absl::StatusOr<std::string> Handle(std::string_view event, HttpAws::Clock::time_point deadline);

  const Settings& settings() const { return settings_; }

 private:
  Service(Settings settings, const Variables& variables)
      : settings_(std::move(settings)),
        aws_(settings_, variables),
        policy_(settings_.policy, &aws_) {}

  Settings settings_;
  HttpAws aws_;
  LivePolicy policy_;
  std::unique_ptr<Handler> handler_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SERVICE_H_
