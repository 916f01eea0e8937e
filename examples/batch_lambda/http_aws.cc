#include "examples/batch_lambda/http_aws.h"

#include <algorithm>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/document.h"

namespace precedent::batch_lambda {
namespace {

using std::chrono::milliseconds;
using Outcome = AwsReply::Outcome;

constexpr milliseconds kLate{1'000};
// SHA-256 of no bytes, without which S3 answers nobody.
constexpr char kHashOfNothing[] =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::vector<std::string> HeadersOf(const AwsRequest& request) {
  if (request.target.empty()) return {"Content-Type: application/json"};
  std::vector<std::string> headers = {absl::StrCat("Content-Type: application/x-amz-json-",
                                                   request.service == "ssm" ? "1.1" : "1.0"),
                                      absl::StrCat("X-Amz-Target: ", request.target)};
  // Asks SQS for the names of errors that it always had.
  if (request.service == "sqs") headers.push_back("x-amzn-query-mode: true");
  return headers;
}

// Where the services put the name of an error: a header, or `__type` with a namespace in
// front, or `code`.
std::string ErrorCode(const HttpResponse& response, json::Value root) {
  std::string code;
  const auto header = response.headers.find("x-amzn-errortype");
  if (header != response.headers.end()) code = header->second;
  for (const char* member : {"__type", "code"}) {
    if (code.empty()) code = std::string(root.Get(member).String().value_or(std::string_view()));
  }
  code = code.substr(0, code.find(':'));
  return code.substr(code.rfind('#') + 1);
}

bool IsThrottling(int status, absl::string_view code) {
  return status == 429 || absl::StrContains(code, "Throttl") ||
         absl::StrContains(code, "TooManyRequests") || code == "RequestLimitExceeded" ||
         code == "ProvisionedThroughputExceededException" || code == "SlowDown" ||
         code == "TransactionInProgressException" || code == "LimitExceededException";
}

AwsReply ReplyOf(HttpResponse response) {
  AwsReply reply;
  if (response.status == 0) {
    reply.message = std::move(response.error);
    // It has not left, so it was not carried out.
    if (!response.connected) reply.outcome = Outcome::kThrottled;
    return reply;
  }
  if (response.status / 100 == 2) {
    reply.outcome = Outcome::kDone;
    reply.body = std::move(response.body);
    return reply;
  }
  reply.message = absl::StrCat("status ", response.status);
  if (const auto document = json::Document::Parse(response.body); document.ok()) {
    const json::Value root = (*document)->root();
    if (root.is_object()) {
      reply.code = ErrorCode(response, root);
      for (const char* member : {"message", "Message"}) {
        const auto text = root.Get(member).String();
        if (text.has_value()) reply.message = std::string(*text);
      }
    }
  }
  reply.body = std::move(response.body);
  // A transaction that met another one was not carried out, and may be the next time.
  const bool conflict = reply.code == "TransactionCanceledException" &&
                        absl::StrContains(reply.body, "\"TransactionConflict\"");
  if (conflict || IsThrottling(response.status, reply.code)) {
    reply.outcome = Outcome::kThrottled;
  } else if (response.status / 100 == 4) {
    reply.outcome = Outcome::kRefused;
  }
  return reply;
}

}  // namespace

HttpAws::HttpAws(const Settings& settings, Variables variables, RetryOptions retry)
    : region_(settings.region),
      timeout_(settings.request_timeout),
      variables_(std::move(variables)),
      retry_(retry),
      credentials_(variables_, &http_),
      random_(std::random_device{}()) {}

bool HttpAws::Late() const {
  return deadline_ != Clock::time_point::max() && Clock::now() + kLate >= deadline_;
}

AwsReply HttpAws::Once(const AwsRequest& request) {
  AwsReply reply;
  reply.outcome = Outcome::kThrottled;  // until something leaves
  const auto credentials = credentials_.Get(std::chrono::system_clock::now());
  if (!credentials.ok()) {
    reply.message = std::string(credentials.status().message());
    return reply;
  }
  milliseconds timeout = timeout_ + patience_;
  if (deadline_ != Clock::time_point::max()) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
    if (left < milliseconds(50)) {
      reply.message = "the time of this invocation is up";
      return reply;
    }
    timeout = std::min(timeout, left - milliseconds(20));
  }
  const HttpSigning signing{region_, request.service, credentials->access_key,
                            credentials->secret_key, credentials->session_token};
  HttpRequest http;
  http.url = absl::StrCat(EndpointOf(request.service, region_, variables_), request.path);
  if (request.service == "s3") {
    http.headers = {absl::StrCat("x-amz-content-sha256: ", kHashOfNothing)};
  } else {
    http.method = "POST";
    http.body = request.body;
    http.headers = HeadersOf(request);
  }
  http.signing = &signing;
  http.timeout = timeout;
  http.connect_timeout = std::min(http.connect_timeout, timeout);
  http.fresh_connection = !request.repeatable;
  reply = ReplyOf(http_.Send(http));
  if (absl::StrContains(reply.code, "ExpiredToken")) credentials_.Forget();
  return reply;
}

AwsReply HttpAws::Call(const AwsRequest& request) {
  AwsReply reply;
  for (int attempt = 0;; ++attempt) {
    reply = Once(request);
    const bool again = reply.outcome == Outcome::kThrottled ||
                       (reply.outcome == Outcome::kUncertain && request.repeatable) ||
                       absl::StrContains(reply.code, "ExpiredToken");
    if (!again || attempt + 1 >= retry_.attempts) return reply;
    const milliseconds most = std::min(retry_.base * (1 << attempt), retry_.max);
    const milliseconds pause(std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
    if (deadline_ != Clock::time_point::max() && Clock::now() + pause >= deadline_) return reply;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace precedent::batch_lambda
