// Http: one request at a time over libcurl, with time-outs on everything.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_HTTP_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_HTTP_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace precedent::batch_lambda {

// Signed by libcurl (Signature Version 4). What its version 7.88 asks of a request:
// - no query, whose parameters it does not sort, and no path that needs escaping, which
//   it does not encode a second time
// - the session token as a header of ours; ours are all signed
struct HttpSigning {
  std::string region;
  std::string service;
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: none
};

struct HttpRequest {
  std::string method = "GET";  // GET, POST or PUT; a POST and a PUT have a body
  std::string url;             // http or https
  std::vector<std::string> headers;
  std::string body;
  const HttpSigning* signing = nullptr;  // borrowed; null: not signed
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds timeout{10'000};  // of all
  // On a connection that stood idle, libcurl sends a request again by itself where the
  // connection breaks before an answer. Nobody knows then whether it was carried out once
  // or twice; a connection of its own prevents it.
  bool fresh_connection = false;
};

struct HttpResponse {
  int status = 0;  // 0: there was no answer, and `error` says why
  std::string body;
  std::map<std::string, std::string> headers;  // names in lower case; the last of a name
  std::string error;
  bool connected = false;  // false: the request has not left
};

// Not thread-safe. Keeps connections open between requests.
class Http {
 public:
  Http();
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  // An answer has at most 8 MiB; a longer one is an error.
  HttpResponse Send(const HttpRequest& request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_HTTP_H_
