#include "examples/batch_lambda/live_policy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/json/document.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

constexpr char kParameter[] = "ssm:";
constexpr char kBucket[] = "s3://";

// Read as text, or why there is none.
std::string ReadFile(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::strerror(errno);
  std::stringstream all;
  all << file.rdbuf();
  text = all.str();
  return "";
}

}  // namespace

// Empty, or why there is no text.
std::string LivePolicy::Read(std::string& text) const {
  AwsRequest request;
  if (absl::StartsWith(source_, kBucket)) {
    request.service = "s3";
    request.path = absl::StrCat("/", source_.substr(sizeof(kBucket) - 1));
    const auto plain = [](unsigned char c) {
      return absl::ascii_isalnum(c) || c == '/' || c == '.' || c == '-' || c == '_';
    };
    if (!std::all_of(request.path.begin(), request.path.end(), plain)) {
      return "a key has letters, digits, `/`, `.`, `-` and `_` only";
    }
    const AwsReply reply = aws_->Call(request);
    if (!reply.ok()) return std::string(StatusOf(reply, "GetObject").message());
    text = reply.body;
    return text.empty() ? "is empty" : "";
  }
  if (!absl::StartsWith(source_, kParameter)) {
    if (std::string error = ReadFile(source_, text); !error.empty()) return error;
    return text.empty() ? "is empty" : "";
  }
  request.service = "ssm";
  request.target = "AmazonSSM.GetParameter";
  request.body = "{";
  json::AppendMember("Name", source_.substr(sizeof(kParameter) - 1), &request.body);
  request.body += ",\"WithDecryption\":true}";
  const AwsReply reply = aws_->Call(request);
  if (!reply.ok()) return std::string(StatusOf(reply, "GetParameter").message());
  const auto document = json::Document::Parse(reply.body, "GetParameter");
  if (!document.ok()) return std::string(document.status().message());
  text = std::string(
      (*document)->root().Get("Parameter").Get("Value").String().value_or(std::string_view()));
  return text.empty() ? "is empty" : "";
}

std::string LivePolicy::Refresh(std::chrono::steady_clock::time_point now) {
  if (looked_.has_value() && now - *looked_ < refresh_) return "";
  looked_ = now;
  const std::string stays = policy_.has_value() ? "; the policy that was live stays"
                                                : "; no policy is live, and the fallback decides";
  std::string text;
  if (const std::string error = Read(text); !error.empty()) {
    return absl::StrCat(source_, ": ", error, stays);
  }
  if (text == text_) return "";
  CompileResult result = LoadPolicy(text);
  if (!result.ok()) {
    std::string why = "does not compile";
    for (const Issue& issue : result.issues) {
      if (issue.severity != Severity::kError) continue;
      absl::StrAppend(&why, "; ", issue.path, ": ", issue.message);
    }
    return absl::StrCat(source_, ": ", why, stays);
  }
  if (policy_.has_value() &&
      result.policy->source().generation() < policy_->source().generation()) {
    return absl::StrCat(source_, ": is of a lower generation than the live policy", stays);
  }
  policy_ = std::move(result.policy);
  text_ = std::move(text);
  return "";
}

}  // namespace precedent::batch_lambda
