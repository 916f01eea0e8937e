// The calls of SQS that are needed.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_SQS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_SQS_H_

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/batch_lambda/aws.h"

namespace precedent::batch_lambda {

// A message has at most 1 MiB, its attributes counted.
inline constexpr std::size_t kMaxMessage = 1 << 20;

// `delay` up to 900 s; whole seconds, rounded up. Attributes are texts, none empty.
absl::Status SendMessage(Aws& aws, std::string_view queue_url, std::string_view body,
                         std::chrono::milliseconds delay = {},
                         const std::map<std::string, std::string>& attributes = {});

// The message comes back after `timeout`, up to 12 h from when it was received.
absl::Status ChangeVisibility(Aws& aws, std::string_view queue_url, std::string_view receipt,
                              std::chrono::seconds timeout);

struct ReceivedMessage {
  std::string id;
  std::string receipt;
  std::string body;
  std::string received;  // ApproximateReceiveCount
};
// Up to ten; waits for the first for up to `wait` (20 s at most).
absl::StatusOr<std::vector<ReceivedMessage>> ReceiveMessages(Aws& aws, std::string_view queue_url,
                                                             std::chrono::seconds wait);

// REQUIRES: at most ten.
absl::Status DeleteMessages(Aws& aws, std::string_view queue_url,
                            const std::vector<std::string>& receipts);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_SQS_H_
