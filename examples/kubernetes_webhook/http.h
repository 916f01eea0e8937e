// What the server reads and answers, and its limits.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_HTTP_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_HTTP_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace precedent::webhook {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpHeader = boost::beast::http::request_header<>;

struct Reply {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string body;
  std::string_view allow = {};  // methods, with a 405
};

// Answers requests. Called by several threads at once.
class Handler {
 public:
  virtual ~Handler() = default;
  // By the header alone, before a body is read: status 0 to go on.
  virtual Reply Screen(const HttpHeader& header) = 0;
  // `overload`: there are more connections than there should be; answer cheaply.
  virtual Reply Handle(HttpRequest&& request, bool overload) = 0;
  // A request that gets `status` from the server itself.
  virtual void OnError(int status) = 0;
  // A connection that is closed without an answer.
  virtual void OnDropped(std::string_view why) = 0;
};

struct Limits {
  std::size_t connections = 1024;  // beyond: one answer as Handle gives under overload, then
                                   // closed; beyond twice as many: closed at once
  std::size_t body_bytes = 7 << 20;
  std::size_t header_bytes = 16 << 10;
  std::size_t bodies_bytes = 256 << 20;  // of all bodies that are held at the same time
  std::chrono::milliseconds handshake{5'000};
  std::chrono::milliseconds header{5'000};
  std::chrono::milliseconds body{10'000};
  std::chrono::milliseconds write{10'000};
  std::chrono::milliseconds idle{90'000};
};

// What all connections of a server share.
struct Shared {
  Limits limits;
  Handler* handler = nullptr;
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> bodies{0};  // bytes
  // Answers end their connection; set before connections are closed.
  std::atomic<bool> draining{false};
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_HTTP_H_
