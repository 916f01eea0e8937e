#include "api.h"

#include <algorithm>
#include <utility>

namespace precedent::descheduler {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

TimePoint After(std::int64_t seconds, SteadyTime since) {
  return TimePoint(std::chrono::seconds(seconds)) +
         std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               since);
}

TimePoint OwnTime() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace

Api::Api(webhook::ApiOptions options, std::chrono::milliseconds timeout,
         const std::atomic<bool>* abort)
    : client_(std::move(options), abort), timeout_(timeout) {}

Answer Api::Call(const char* method, const std::string& path, const std::string& body,
                 std::chrono::milliseconds at_most, std::size_t max_bytes) {
  Answer answer;
  const SteadyTime sent = std::chrono::steady_clock::now();
  const webhook::ApiResult result =
      client_.Send(method, path, body, std::min(at_most, timeout_), max_bytes, &answer.body);
  answer.status = result.status;
  answer.whole = result.whole;
  answer.too_large = result.too_large;
  answer.error = result.error;
  answer.retry_after = result.retry_after;
  if (result.date > 0) {
    date_ = result.date;
    sent_ = sent;
    received_ = std::chrono::steady_clock::now();
  }
  return answer;
}

TimePoint Api::Earliest() const { return date_ < 0 ? OwnTime() : After(date_, received_); }
TimePoint Api::Latest() const { return date_ < 0 ? OwnTime() : After(date_ + 1, sent_); }

}  // namespace precedent::descheduler
