#include "src/aws/shares.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "precedent/aws_batch.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

bool IsAlphanumeric(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

absl::Status CheckShare(const std::string& path, const std::string& share) {
  if (IsShareIdentifier(share) || IsQuotaShareName(share)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": `", json::Printable(share),
      "` is the name of no share (letters and digits; quota shares also `-` and `_`)"));
}

}  // namespace

bool IsShareIdentifier(std::string_view share) {
  if (!share.empty() && share.back() == '*') share.remove_suffix(1);
  return !share.empty() && share.size() <= kMaxShareIdentifier &&
         std::all_of(share.begin(), share.end(), IsAlphanumeric);
}

bool IsQuotaShareName(std::string_view share) {
  return !share.empty() && share.size() <= kMaxQuotaShareName &&
         std::all_of(share.begin(), share.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_'; });
}

absl::Status ShareTable::Set(const v1::AdapterOptions& options) {
  for (int i = 0; i < options.known_shares_size(); ++i) {
    const std::string& share = options.known_shares(i);
    absl::Status status = CheckShare(absl::StrCat("known_shares[", i, "]"), share);
    if (!status.ok()) return status;
    known_.push_back(share);
  }
  default_ = options.default_share();
  if (default_.empty()) return absl::OkStatus();
  if (absl::Status status = CheckShare("default_share", default_); !status.ok()) return status;
  if (!Knows(default_)) {
    return absl::InvalidArgumentError(
        absl::StrCat("default_share: `", json::Printable(default_), "` is none of known_shares"));
  }
  return absl::OkStatus();
}

bool ShareTable::Knows(std::string_view share) const {
  return known_.empty() || std::any_of(known_.begin(), known_.end(), [&](std::string_view known) {
           if (known.back() != '*') return known == share;
           known.remove_suffix(1);
           return share.substr(0, known.size()) == known;
         });
}

absl::StatusOr<std::string> ShareTable::Resolve(std::string_view share) const {
  if (Knows(share)) return std::string(share);
  if (!default_.empty()) return default_;
  return absl::InvalidArgumentError(
      absl::StrCat("share `", json::Printable(share),
                   "` is none of AdapterOptions.known_shares, and default_share is not set"));
}

absl::StatusOr<std::string> ShareName(std::string_view name) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (name.empty()) return absl::InvalidArgumentError("a share needs a name");
  std::string share;
  for (const char c : name) {
    if (IsAlphanumeric(c) && c != 'Z') {
      share += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      share += 'Z';
      share += kDigits[byte >> 4];
      share += kDigits[byte & 15];
    }
    if (share.size() > kMaxShareIdentifier) {
      return absl::InvalidArgumentError(absl::StrCat("the share of `", json::Printable(name),
                                                     "` would have more than ", kMaxShareIdentifier,
                                                     " characters, which Batch does not take"));
    }
  }
  return share;
}

}  // namespace precedent::aws
