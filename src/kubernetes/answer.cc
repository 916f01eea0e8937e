#include "src/kubernetes/answer.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "src/json/path.h"
#include "src/json/writer.h"

namespace precedent::kubernetes {
namespace {

constexpr std::size_t kMaxWarnings = 10;
constexpr std::size_t kMaxWarning = 120;
constexpr std::size_t kMaxAudit = 1024;

// At most `max` bytes, whole characters, the cut marked. REQUIRES: UTF-8.
std::string Cut(std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::string(text);
  std::size_t end = max - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

bool IsPlain(std::string_view text) {
  for (const char c : text) {
    if (c < ' ' || c > '~') return false;
  }
  return true;
}

// Printable cuts too, at a length of its own: so piece by piece.
std::string OneLine(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = std::min(i + 64, text.size());
    while (end < text.size() && end > i + 1 &&
           (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;
    }
    out += json::Printable(text.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace

std::string Answer::ToJson() const {
  std::string out;
  // What most answers are; a longer one grows.
  out.reserve(512 + patch.size() * 4 / 3);
  out += '{';
  json::AppendMember("apiVersion", api_version, &out);
  json::AppendMember("kind", "AdmissionReview", &out);
  json::AppendKey("response", &out);
  out += '{';
  json::AppendMember("uid", uid, &out);
  json::AppendKey("allowed", &out);
  out += allowed ? "true" : "false";
  if (!allowed) {
    json::AppendKey("status", &out);
    out += '{';
    json::AppendKey("code", &out);
    absl::StrAppend(&out, code);
    json::AppendMember("reason", reason, &out);
    json::AppendMember("message", OneLine(message), &out);
    out += '}';
  } else if (!patch.empty()) {
    json::AppendMember("patchType", "JSONPatch", &out);
    json::AppendMember("patch", absl::Base64Escape(patch), &out);
  }
  if (!warnings.empty()) {
    json::AppendKey("warnings", &out);
    out += '[';
    for (std::size_t i = 0; i < warnings.size() && i < kMaxWarnings; ++i) {
      if (i > 0) out += ',';
      json::AppendString(Cut(OneLine(warnings[i]), kMaxWarning), &out);
    }
    out += ']';
  }
  if (!audit.empty()) {
    json::AppendKey("auditAnnotations", &out);
    out += '{';
    for (const auto& [key, value] : audit) {
      json::AppendMember(key, Cut(OneLine(value), kMaxAudit), &out);
    }
    out += '}';
  }
  return std::move(out) + "}}";
}

}  // namespace precedent::kubernetes
