// Credentials: whose name requests are signed in, kept fresh.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_CREDENTIALS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_CREDENTIALS_H_

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "examples/batch_lambda/http.h"
#include "examples/batch_lambda/settings.h"

namespace precedent::batch_lambda {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;
};

// In this order: AWS_ACCESS_KEY_ID and its like; the container's endpoint
// (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI); the instance's metadata, IMDSv2
// only (AWS_EC2_METADATA_DISABLED=true: not; AWS_EC2_METADATA_SERVICE_ENDPOINT: elsewhere).
// Not thread-safe.
class CredentialSource {
 public:
  CredentialSource(Variables variables, Http* http)
      : variables_(std::move(variables)), http_(http) {}

  // Those of now; asks again five minutes before they end. UNAVAILABLE says what was tried.
  absl::StatusOr<Credentials> Get(std::chrono::system_clock::time_point now);
  // The service has refused them: ask again the next time.
  void Forget() { valid_until_ = {}; }

 private:
  absl::Status FromContainer(const std::string& url);
  absl::Status FromInstance();
  absl::Status Read(const HttpResponse& response, const std::string& what);

  Variables variables_;
  Http* http_;
  Credentials held_;
  std::chrono::system_clock::time_point valid_until_{};
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_CREDENTIALS_H_
