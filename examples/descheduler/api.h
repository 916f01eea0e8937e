// Requests to the API server, and its clock.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_API_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_API_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "api_client.h"
#include "precedent/time.h"

namespace precedent::descheduler {

struct Answer {
  int status = 0;      // 0: there was none
  bool whole = false;  // it arrived to its end
  bool too_large = false;
  std::string body;
  std::string error;  // for people; empty where the status is 200 or 201, and the body whole
  std::chrono::seconds retry_after{0};

  bool ok() const { return whole && (status == 200 || status == 201); }
};

// Not thread-safe. Times are the API server's, by the Date of its answers: those of pods and
// of what other replicas write are its, too. Before the first answer, and where answers have
// no date, they are this machine's.
class Api {
 public:
  // `abort` outlives it; set by any thread it ends a request within about a second.
  Api(webhook::ApiOptions options, std::chrono::milliseconds timeout,
      const std::atomic<bool>* abort);

  // `body` is JSON; empty: none. Fails after the timeout, or `at_most` if that is shorter.
  // A request with a body is sent once, whatever comes of it.
  Answer Call(const char* method, const std::string& path, const std::string& body = "",
              std::chrono::milliseconds at_most = std::chrono::milliseconds::max(),
              std::size_t max_bytes = 4 << 20);

  // The server's time is between these two: answers tell whole seconds, and take a while.
  TimePoint Earliest() const;
  TimePoint Latest() const;

  std::chrono::milliseconds timeout() const { return timeout_; }

 private:
  webhook::ApiClient client_;
  const std::chrono::milliseconds timeout_;
  std::int64_t date_ = -1;
  std::chrono::steady_clock::time_point sent_, received_;
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_API_H_
