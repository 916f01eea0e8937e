#include "examples/batch_lambda/http.h"

#include <curl/curl.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace precedent::batch_lambda {
namespace {

constexpr std::size_t kMaxAnswer = 8 << 20;

std::size_t TakeBody(char* data, std::size_t, std::size_t size, void* to) {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + size > kMaxAnswer) return 0;  // an error of the transfer
  body.append(data, size);
  return size;
}

std::size_t TakeHeader(char* data, std::size_t, std::size_t size, void* to) {
  const std::string_view line(data, size);
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    auto& headers = *static_cast<std::map<std::string, std::string>*>(to);
    const absl::string_view value(data + colon + 1, size - colon - 1);
    headers[absl::AsciiStrToLower(absl::string_view(data, colon))] =
        std::string(absl::StripAsciiWhitespace(value));
  }
  return size;
}

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

}  // namespace

class Http::Impl {
 public:
  Impl() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    curl_ = curl_easy_init();
  }
  ~Impl() { curl_easy_cleanup(curl_); }

  HttpResponse Send(const HttpRequest& request) {
    HttpResponse response;
    if (curl_ == nullptr) {
      response.error = "libcurl did not start";
      return response;
    }
    curl_easy_reset(curl_);  // keeps connections
    Set(CURLOPT_URL, request.url.c_str());
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_NOSIGNAL, 1L);
    // As every SDK of AWS does. A libcurl of another system looks where there are none.
    if (const char* certificates = std::getenv("AWS_CA_BUNDLE"); certificates != nullptr) {
      Set(CURLOPT_CAINFO, certificates);
    }
    Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
    Set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    Set(CURLOPT_FRESH_CONNECT, request.fresh_connection ? 1L : 0L);
    if (request.method != "GET") {
      Set(CURLOPT_POST, 1L);
      Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      Set(CURLOPT_POSTFIELDS, request.body.c_str());
      if (request.method != "POST") Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    // Without `Expect`, for which a body of 1 MiB would wait a second. Not `Expect:`,
    // which would be signed as a header that is not there.
    Set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
    std::unique_ptr<curl_slist, ListDeleter> headers;
    const auto add = [&headers](const std::string& header) {
      curl_slist* longer = curl_slist_append(headers.get(), header.c_str());
      if (longer == nullptr) return;
      static_cast<void>(headers.release());
      headers.reset(longer);
    };
    for (const std::string& header : request.headers) add(header);
    if (const HttpSigning* signing = request.signing) {
      Set(CURLOPT_AWS_SIGV4,
          absl::StrCat("aws:amz:", signing->region, ":", signing->service).c_str());
      Set(CURLOPT_USERNAME, signing->access_key.c_str());
      Set(CURLOPT_PASSWORD, signing->secret_key.c_str());
      if (!signing->session_token.empty()) {
        add(absl::StrCat("X-Amz-Security-Token: ", signing->session_token));
      }
    }
    Set(CURLOPT_HTTPHEADER, headers.get());
    Set(CURLOPT_WRITEFUNCTION, &TakeBody);
    Set(CURLOPT_WRITEDATA, &response.body);
    Set(CURLOPT_HEADERFUNCTION, &TakeHeader);
    Set(CURLOPT_HEADERDATA, &response.headers);
    char words[CURL_ERROR_SIZE] = "";
    Set(CURLOPT_ERRORBUFFER, words);
    const CURLcode code = curl_easy_perform(curl_);
    long sent = 0;
    curl_easy_getinfo(curl_, CURLINFO_REQUEST_SIZE, &sent);
    response.connected = sent > 0;
    if (code == CURLE_OK) {
      long status = 0;
      curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
      response.status = static_cast<int>(status);
    } else {
      response.error = words[0] != '\0' ? words : curl_easy_strerror(code);
    }
    return response;
  }

 private:
  template <typename T>
  void Set(CURLoption option, T value) {
    curl_easy_setopt(curl_, option, value);
  }

  CURL* curl_ = nullptr;
};

Http::Http() : impl_(std::make_unique<Impl>()) {}
Http::~Http() = default;
HttpResponse Http::Send(const HttpRequest& request) { return impl_->Send(request); }

}  // namespace precedent::batch_lambda
