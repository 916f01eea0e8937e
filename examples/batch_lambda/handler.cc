#include "examples/batch_lambda/handler.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/derive.h"
#include "examples/batch_lambda/report.h"
#include "examples/batch_lambda/state_change.h"
#include "examples/batch_lambda/submit.h"
#include "examples/batch_lambda/tick.h"
#include "src/json/document.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using json::Value;

std::string_view Text(Value value) { return value.String().value_or(std::string_view()); }

bool IsEvent(Value root) {
  return root.is_object() && root.HasKey("detail-type") && root.HasKey("detail");
}

Verdict HandleEvent(Work& work, Value root, std::string_view event, std::string_view id) {
  return Text(root.Get("detail-type")) == kReportType ? HandleReport(work, event, id)
                                                       : HandleStateChange(work, event, id);
}

// A message holds a submission, or what EventBridge put into the queue of events.
Verdict HandleMessage(Work& work, const Message& message) {
  if (const auto document = json::Document::Parse(message.body);
      document.ok() && IsEvent((*document)->root())) {
    return HandleEvent(work, (*document)->root(), message.body, message.id);
  }
  return HandleSubmission(work, message);
}

absl::StatusOr<std::string> HandleRecords(Work& work, Value records) {
  std::string failed = "{\"batchItemFailures\":[";
  bool first = true;
  bool stopped = false;  // a FIFO queue whose order a failure ended, or time is up
  for (const Value record : records.Items()) {
    const Message message{Text(record.Get("messageId")), Text(record.Get("body")),
                          Text(record.Get("receiptHandle"))};
    stopped = stopped || work.aws.Late();
    const Verdict verdict = stopped ? Verdict::kRetry : HandleMessage(work, message);
    if (verdict == Verdict::kDone) continue;
    stopped = stopped || absl::EndsWith(std::string(Text(record.Get("eventSourceARN"))), ".fifo");
    failed += first ? "{" : ",{";
    first = false;
    json::AppendMember("itemIdentifier", message.id, &failed);
    failed += '}';
  }
  failed += "]}";
  return failed;
}

absl::StatusOr<std::string> Dispatch(Work& work, std::string_view event) {
  const auto document = json::Document::Parse(event, "event");
  if (!document.ok()) return document.status();
  const Value root = (*document)->root();
  if (root.is_object() && root.HasKey("Records")) {
    absl::StatusOr<std::string> answer = HandleRecords(work, root.Get("Records"));
    // An answer to half an event would lose the rest of it.
    if (!(*document)->status().ok()) return (*document)->status();
    return answer;
  }
  if (IsEvent(root)) {
    const bool tick = Text(root.Get("detail-type")) == "Scheduled Event";
    if (tick) {
      if (absl::Status status = HandleTick(work); !status.ok()) return status;
      return std::string("{}");
    }
    if (HandleEvent(work, root, event, Text(root.Get("id"))) == Verdict::kDone) {
      return std::string("{}");
    }
    return absl::UnavailableError("the event is to come again");
  }
  return absl::InvalidArgumentError(
      "event: is neither messages of SQS nor an event of EventBridge");
}

}  // namespace

absl::StatusOr<Handler> Handler::Create(const Settings* settings, Aws* aws,
                                        v1::AdapterOptions options) {
  AddLineageKeys(options);
  absl::StatusOr<aws::Adapter> adapter = aws::Adapter::Create(options);
  if (!adapter.ok()) return adapter.status();
  return Handler(settings, aws, *std::move(adapter));
}

Answer Handler::Handle(std::string_view event, const Evaluator* evaluator,
                       const v1::Stability& stability, absl::Time now) {
  Answer answer;
  Work work{*settings_, *aws_, table_,        adapter_,       definitions_, evaluator,
            stability,  now,   answer.counts, answer.metrics, answer.log};
  answer.body = Dispatch(work, event);
  return answer;
}

}  // namespace precedent::batch_lambda
