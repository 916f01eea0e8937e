// Requests to the Kubernetes API server, with the pod's own token.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_API_CLIENT_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_API_CLIENT_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <curl/curl.h>

namespace precedent::webhook {

struct ApiOptions {
  std::string server;      // https://host:port
  std::string token_file;  // read again for every request: the kubelet replaces it; empty: none
  std::string ca_file;     // PEM; empty: those of the system
  std::string user_agent = "precedent-webhook-pods";
};

struct ApiResult {
  int status = 0;     // of HTTP; 0: there was no answer
  bool whole = false;  // the answer arrived to its end
  std::string error;  // for people; empty where status is 200 and the answer whole
  std::chrono::seconds retry_after{0};  // what the server asks for
  std::int64_t date = -1;   // when the server says it answered, since 1970; below 0: it does not
  bool too_large = false;   // the answer is longer than was asked for
};

// One connection, kept alive. Thread-safety: one thread; `stop` may be set by any, and
// ends a request within about a second.
class ApiClient {
 public:
  // `stop` outlives it. curl_global_init was called before.
  ApiClient(ApiOptions options, const std::atomic<bool>* stop);

  // Reads `path`, with its query, and gives the body of a 200 to `sink` as it comes; the
  // answer ends where sink returns false. An answer that takes longer than `at_most`, or
  // that brings nothing for `silence`, fails.
  ApiResult Get(const std::string& path, std::chrono::seconds at_most,
                std::chrono::seconds silence, const std::function<bool(std::string_view)>& sink);

  // Sends `body`, JSON, or none where it is empty, and puts what is answered, whatever its
  // status, into `*answer`. An answer of more than `max_bytes` fails. `error` is empty where
  // the status is 200 or 201 and the answer whole. Nothing is sent twice.
  ApiResult Send(const char* method, const std::string& path, const std::string& body,
                 std::chrono::milliseconds at_most, std::size_t max_bytes, std::string* answer);

  // `text` as part of a query.
  static std::string Escape(const std::string& text);

 private:
  struct Request {
    const char* method;
    const std::string& path;
    const std::string* body;  // null: none
    std::chrono::milliseconds at_most;
    std::chrono::milliseconds silence;
    bool any_status;
  };
  ApiResult Perform(const Request& request, const std::function<bool(std::string_view)>& sink);

  struct Free {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  };

  const ApiOptions options_;
  const std::atomic<bool>* const stop_;
  std::unique_ptr<CURL, Free> curl_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_API_CLIENT_H_
