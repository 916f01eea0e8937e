#include "examples/batch_lambda/sqs.h"

#include "absl/strings/str_cat.h"
#include "src/json/document.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using json::AppendKey;
using json::AppendMember;

AwsReply Send(Aws& aws, const char* operation, std::string body) {
  AwsRequest request;
  request.service = "sqs";
  request.target = absl::StrCat("AmazonSQS.", operation);
  request.body = std::move(body);
  return aws.Call(request);
}

std::string Text(json::Value value) {
  return std::string(value.String().value_or(std::string_view()));
}

}  // namespace

absl::Status SendMessage(Aws& aws, std::string_view queue_url, std::string_view body,
                         std::chrono::milliseconds delay,
                         const std::map<std::string, std::string>& attributes) {
  std::string text = "{";
  AppendMember("QueueUrl", queue_url, &text);
  AppendMember("MessageBody", body, &text);
  if (delay.count() > 0) {
    AppendKey("DelaySeconds", &text);
    absl::StrAppend(&text, (delay.count() + 999) / 1000);
  }
  if (!attributes.empty()) {
    AppendKey("MessageAttributes", &text);
    text += '{';
    for (const auto& [name, value] : attributes) {
      AppendKey(name, &text);
      text += '{';
      AppendMember("DataType", "String", &text);
      AppendMember("StringValue", value, &text);
      text += '}';
    }
    text += '}';
  }
  text += '}';
  return StatusOf(Send(aws, "SendMessage", std::move(text)), "SendMessage");
}

absl::Status ChangeVisibility(Aws& aws, std::string_view queue_url, std::string_view receipt,
                              std::chrono::seconds timeout) {
  std::string text = "{";
  AppendMember("QueueUrl", queue_url, &text);
  AppendMember("ReceiptHandle", receipt, &text);
  AppendKey("VisibilityTimeout", &text);
  absl::StrAppend(&text, timeout.count(), "}");
  return StatusOf(Send(aws, "ChangeMessageVisibility", std::move(text)), "ChangeMessageVisibility");
}

absl::StatusOr<std::vector<ReceivedMessage>> ReceiveMessages(Aws& aws, std::string_view queue_url,
                                                             std::chrono::seconds wait) {
  std::string text = "{";
  AppendMember("QueueUrl", queue_url, &text);
  text += ",\"AttributeNames\":[\"ApproximateReceiveCount\"],\"MaxNumberOfMessages\":10";
  AppendKey("WaitTimeSeconds", &text);
  absl::StrAppend(&text, wait.count(), "}");
  const AwsReply reply = Send(aws, "ReceiveMessage", std::move(text));
  if (!reply.ok()) return StatusOf(reply, "ReceiveMessage");
  const auto document = json::Document::Parse(reply.body, "ReceiveMessage");
  if (!document.ok()) return document.status();
  std::vector<ReceivedMessage> messages;
  for (const json::Value message : (*document)->root().Get("Messages").Items()) {
    messages.push_back({Text(message.Get("MessageId")), Text(message.Get("ReceiptHandle")),
                        Text(message.Get("Body")),
                        Text(message.Get("Attributes").Get("ApproximateReceiveCount"))});
  }
  if (!(*document)->status().ok()) return (*document)->status();
  return messages;
}

absl::Status DeleteMessages(Aws& aws, std::string_view queue_url,
                            const std::vector<std::string>& receipts) {
  if (receipts.empty()) return absl::OkStatus();
  std::string text = "{";
  AppendMember("QueueUrl", queue_url, &text);
  AppendKey("Entries", &text);
  text += '[';
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    text += i == 0 ? "{" : ",{";
    AppendMember("Id", absl::StrCat(i), &text);
    AppendMember("ReceiptHandle", receipts[i], &text);
    text += '}';
  }
  text += "]}";
  return StatusOf(Send(aws, "DeleteMessageBatch", std::move(text)), "DeleteMessageBatch");
}

}  // namespace precedent::batch_lambda
