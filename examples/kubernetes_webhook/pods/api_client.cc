#include "api_client.h"

#include <cstdio>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace precedent::webhook {
namespace {

// Of an answer that is no 200: enough for its message.
constexpr std::size_t kMaxErrorBytes = 1 << 10;
constexpr std::size_t kMaxTokenBytes = 64 << 10;

// One request's state, for curl's callbacks.
struct Transfer {
  CURL* curl;
  const std::atomic<bool>* stop;
  const std::function<bool(std::string_view)>* sink;
  bool any_status;  // the sink takes the body of whatever is answered
  std::string error_body;
};

std::size_t OnBody(char* data, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  long status = 0;
  curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
  const std::string_view bytes(data, size);
  if (status != 200) {
    const bool full = transfer.error_body.size() >= kMaxErrorBytes;
    if (full && !transfer.any_status) return 0;
    transfer.error_body.append(bytes.substr(0, kMaxErrorBytes - transfer.error_body.size()));
    if (!transfer.any_status) return size;
  }
  return (*transfer.sink)(bytes) ? size : 0;
}

int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(user)->stop->load() ? 1 : 0;
}

// False where the file cannot be read, or is no token.
bool ReadToken(const std::string& path, std::string* token) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  token->resize(kMaxTokenBytes + 1);
  token->resize(std::fread(token->data(), 1, token->size(), file));
  std::fclose(file);
  absl::StripAsciiWhitespace(token);
  // A line break would begin another header.
  for (const char c : *token) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) return false;
  }
  return !token->empty() && token->size() <= kMaxTokenBytes;
}

}  // namespace

ApiClient::ApiClient(ApiOptions options, const std::atomic<bool>* stop)
    : options_(std::move(options)), stop_(stop), curl_(curl_easy_init()) {}

ApiResult ApiClient::Get(const std::string& path, std::chrono::seconds at_most,
                         std::chrono::seconds silence,
                         const std::function<bool(std::string_view)>& sink) {
  return Perform({"GET", path, nullptr, at_most, silence, false}, sink);
}

ApiResult ApiClient::Send(const char* method, const std::string& path, const std::string& body,
                          std::chrono::milliseconds at_most, std::size_t max_bytes,
                          std::string* answer) {
  answer->clear();
  bool too_large = false;
  ApiResult result = Perform({method, path, body.empty() ? nullptr : &body, at_most, at_most, true},
                             [&](std::string_view bytes) {
                               too_large = answer->size() + bytes.size() > max_bytes;
                               if (!too_large) answer->append(bytes);
                               return !too_large;
                             });
  result.too_large = too_large;
  if (result.status == 201 && result.whole) result.error.clear();
  return result;
}

ApiResult ApiClient::Perform(const Request& request,
                             const std::function<bool(std::string_view)>& sink) {
  ApiResult result;
  CURL* const curl = curl_.get();
  if (curl == nullptr) {
    result.error = "out of memory";
    return result;
  }
  curl_easy_reset(curl);  // connections stay
  Transfer transfer{curl, stop_, &sink, request.any_status, {}};
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      curl_slist_append(nullptr, "Accept: application/json"), curl_slist_free_all);
  // A token is a secret: only for TLS.
  if (!options_.token_file.empty() && absl::StartsWith(options_.server, "https://")) {
    std::string token;
    if (!ReadToken(options_.token_file, &token)) {
      result.error = absl::StrCat(options_.token_file, ": holds no token");
      return result;
    }
    curl_slist_append(headers.get(), absl::StrCat("Authorization: Bearer ", token).c_str());
  }
  char problem[CURL_ERROR_SIZE] = "";
  const std::string url = options_.server + request.path;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  if (request.body != nullptr) {
    curl_slist_append(headers.get(), "Content-Type: application/json");
    curl_slist_append(headers.get(), "Expect:");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body->data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method);
    // On a connection that it has used before, curl sends again what got no answer.
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  if (!options_.ca_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, options_.ca_file.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");  // a proxy is none of the token's business
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.at_most.count()));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(
      curl, CURLOPT_LOW_SPEED_TIME,
      static_cast<long>(std::chrono::ceil<std::chrono::seconds>(request.silence).count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
  const CURLcode code = curl_easy_perform(curl);

  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
  result.status = static_cast<int>(status);
  result.retry_after = std::chrono::seconds(retry_after);
  result.whole = code == CURLE_OK;
  curl_header* date = nullptr;
  if (curl_easy_header(curl, "Date", 0, CURLH_HEADER, -1, &date) == CURLHE_OK) {
    result.date = static_cast<std::int64_t>(curl_getdate(date->value, nullptr));
  }
  if (status != 0 && status != 200) {
    result.error = absl::StrCat("status ", status, ": ", transfer.error_body);
  } else if (code != CURLE_OK) {
    result.error = problem[0] != '\0' ? problem : curl_easy_strerror(code);
  }
  return result;
}

std::string ApiClient::Escape(const std::string& text) {
  char* const escaped = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  std::string result = escaped == nullptr ? "" : escaped;
  curl_free(escaped);
  return result;
}

}  // namespace precedent::webhook
