#include "examples/batch_lambda/credentials.h"

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "src/json/document.h"

namespace precedent::batch_lambda {
namespace {

constexpr auto kEarly = std::chrono::minutes(5);

HttpRequest Metadata(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  // It is on this machine or nowhere.
  request.connect_timeout = std::chrono::seconds(1);
  request.timeout = std::chrono::seconds(2);
  return request;
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  while (!all.empty() && (all.back() == '\n' || all.back() == '\r')) all.pop_back();
  return all;
}

}  // namespace

absl::StatusOr<Credentials> CredentialSource::Get(std::chrono::system_clock::time_point now) {
  Credentials given{variables_("AWS_ACCESS_KEY_ID"), variables_("AWS_SECRET_ACCESS_KEY"),
                    variables_("AWS_SESSION_TOKEN")};
  if (!given.access_key.empty() && !given.secret_key.empty()) return given;
  if (now + kEarly < valid_until_) return held_;
  std::string url = variables_("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (const std::string path = variables_("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
      !path.empty()) {
    url = absl::StrCat("http://169.254.170.2", path);
  }
  absl::Status status;
  if (!url.empty()) {
    status = FromContainer(url);
  } else if (variables_("AWS_EC2_METADATA_DISABLED") != "true") {
    status = FromInstance();
  } else {
    status = absl::UnavailableError(
        "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where a "
        "container or an instance has a role");
  }
  // Those that are held may still be good for the five minutes.
  if (!status.ok() && now >= valid_until_) return status;
  return held_;
}

absl::Status CredentialSource::FromContainer(const std::string& url) {
  HttpRequest request = Metadata(url);
  std::string token = variables_("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = variables_("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
      !file.empty()) {
    token = FileText(file);
  }
  if (!token.empty()) request.headers.push_back(absl::StrCat("Authorization: ", token));
  return Read(http_->Send(request), "credentials of the container");
}

absl::Status CredentialSource::FromInstance() {
  std::string base = variables_("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base.empty()) base = "http://169.254.169.254";
  while (absl::EndsWith(base, "/")) base.pop_back();
  HttpRequest request = Metadata(absl::StrCat(base, "/latest/api/token"));
  request.method = "PUT";
  request.headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"};
  const HttpResponse token = http_->Send(request);
  if (token.status != 200) {
    return absl::UnavailableError(absl::StrCat("credentials of the instance: no token (status ",
                                               token.status, ") ", token.error));
  }
  const std::string header = absl::StrCat("X-aws-ec2-metadata-token: ", token.body);
  const std::string path = absl::StrCat(base, "/latest/meta-data/iam/security-credentials/");
  request = Metadata(path);
  request.headers = {header};
  const HttpResponse role = http_->Send(request);
  if (role.status != 200) {
    return absl::UnavailableError(absl::StrCat("credentials of the instance: it has no role ",
                                               "(status ", role.status, ") ", role.error));
  }
  request = Metadata(absl::StrCat(path, role.body.substr(0, role.body.find('\n'))));
  request.headers = {header};
  return Read(http_->Send(request), "credentials of the instance");
}

absl::Status CredentialSource::Read(const HttpResponse& response, const std::string& what) {
  if (response.status != 200) {
    return absl::UnavailableError(
        absl::StrCat(what, ": status ", response.status, " ", response.error));
  }
  const auto document = json::Document::Parse(response.body, what);
  if (!document.ok()) return absl::UnavailableError(document.status().message());
  const json::Value root = (*document)->root();
  const auto text = [&root](const char* key) {
    return std::string(root.Get(key).String().value_or(std::string_view()));
  };
  Credentials read{text("AccessKeyId"), text("SecretAccessKey"), text("Token")};
  absl::Time end;
  std::string error;
  const bool timed = absl::ParseTime(absl::RFC3339_full, text("Expiration"), &end, &error);
  if (read.access_key.empty() || read.secret_key.empty()) {
    return absl::UnavailableError(absl::StrCat(what, ": the answer has none"));
  }
  held_ = std::move(read);
  valid_until_ =
      timed ? absl::ToChronoTime(end) : std::chrono::system_clock::now() + std::chrono::hours(1);
  return absl::OkStatus();
}

}  // namespace precedent::batch_lambda
