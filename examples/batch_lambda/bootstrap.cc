// `bootstrap`: a custom runtime of AWS Lambda.
//
// Asks the Runtime API for the next event, answers it, and so on. Whatever cannot be
// answered is an error of that invocation, so that Lambda sends the event again; only what
// keeps every event from being handled ends the process.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/service.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using Clock = HttpAws::Clock;
using std::chrono::milliseconds;

// Lambda ends the sandbox where no answer has come by the deadline.
constexpr milliseconds kForTheAnswer{300};

std::string ErrorBody(const absl::Status& status) {
  std::string body = "{";
  json::AppendMember("errorMessage", std::string(status.message()), &body);
  json::AppendMember("errorType", absl::StatusCodeToString(status.code()), &body);
  return body + ",\"stackTrace\":[]}";
}

bool Post(Http& http, const std::string& url, std::string body, const std::string& error_type) {
  HttpRequest request;
  request.method = "POST";
  request.url = url;
  request.headers = {"Content-Type: application/json"};
  if (!error_type.empty()) {
    request.headers.push_back(absl::StrCat("Lambda-Runtime-Function-Error-Type: ", error_type));
  }
  request.body = std::move(body);
  return http.Send(request).status / 100 == 2;
}

// From what the header says, milliseconds since 1970.
Clock::time_point DeadlineOf(const HttpResponse& next) {
  const auto header = next.headers.find("lambda-runtime-deadline-ms");
  std::int64_t deadline_ms = 0;
  if (header == next.headers.end() || !absl::SimpleAtoi(header->second, &deadline_ms)) {
    return Clock::now() + std::chrono::minutes(1);
  }
  const auto now_ms =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const std::int64_t left = std::clamp<std::int64_t>(deadline_ms - now_ms, 0, 900'000);
  return Clock::now() + milliseconds(left) - kForTheAnswer;
}

int Run() {
  const std::string api = FromEnvironment("AWS_LAMBDA_RUNTIME_API");
  if (api.empty()) {
    std::fputs(
        "AWS_LAMBDA_RUNTIME_API: is not set; Lambda sets it, and "
        "precedent-batch-worker needs none\n",
        stderr);
    return 2;
  }
  const std::string base = absl::StrCat("http://", api, "/2018-06-01/runtime");
  Http http;
  const auto service = Service::Create(FromEnvironment);
  if (!service.ok()) {
    std::fprintf(stderr, "%s\n", std::string(service.status().message()).c_str());
    Post(http, absl::StrCat(base, "/init/error"), ErrorBody(service.status()), "Runtime.Settings");
    return 1;
  }
  for (;;) {
    HttpRequest request;
    request.url = absl::StrCat(base, "/invocation/next");
    // The sandbox is frozen here until there is something to do.
    request.timeout = milliseconds(0);
    const HttpResponse next = http.Send(request);
    const auto id = next.headers.find("lambda-runtime-aws-request-id");
    if (next.status != 200 || id == next.headers.end()) {
      std::fprintf(stderr, "the Runtime API gives no event: status %d %s\n", next.status,
                   next.error.c_str());
      return 1;
    }
    const absl::StatusOr<std::string> answer = (*service)->Handle(next.body, DeadlineOf(next));
    const std::string url = absl::StrCat(base, "/invocation/", id->second);
    if (answer.ok()) {
      Post(http, absl::StrCat(url, "/response"), *answer, "");
    } else {
      std::fprintf(stderr, "%s\n", std::string(answer.status().message()).c_str());
      Post(http, absl::StrCat(url, "/error"), ErrorBody(answer.status()),
           absl::StrCat("Function.", absl::StatusCodeToString(answer.status().code())));
    }
  }
}

}  // namespace
}  // namespace precedent::batch_lambda

int main() { return precedent::batch_lambda::Run(); }
