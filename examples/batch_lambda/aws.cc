#include "examples/batch_lambda/aws.h"

#include "absl/strings/str_cat.h"

namespace precedent::batch_lambda {

absl::Status StatusOf(const AwsReply& reply, const std::string& what) {
  const std::string text =
      absl::StrCat(what, ": ", reply.code, reply.code.empty() ? "" : ": ", reply.message);
  switch (reply.outcome) {
    case AwsReply::Outcome::kDone:
      return absl::OkStatus();
    case AwsReply::Outcome::kRefused:
      return absl::FailedPreconditionError(text);
    case AwsReply::Outcome::kThrottled:
      return absl::ResourceExhaustedError(text);
    case AwsReply::Outcome::kUncertain:
      break;
  }
  return absl::UnavailableError(text);
}

}  // namespace precedent::batch_lambda
