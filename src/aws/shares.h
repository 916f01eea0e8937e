// Shares: the names under which a fair-share or quota-share queue counts its use.
#ifndef PRECEDENT_SRC_AWS_SHARES_H_
#define PRECEDENT_SRC_AWS_SHARES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/v1/adapter.pb.h"

namespace precedent::aws {

// Longest names, from the API reference.
inline constexpr std::size_t kMaxShareIdentifier = 255;
inline constexpr std::size_t kMaxQuotaShareName = 128;

class ShareTable {
 public:
  // INVALID_ARGUMENT names the entry of known_shares or default_share that no queue can
  // have, or a default that is not known.
  absl::Status Set(const v1::AdapterOptions& options);

  // `share` where it is known, else the default. INVALID_ARGUMENT where there is none.
  absl::StatusOr<std::string> Resolve(std::string_view share) const;
  const std::string& default_share() const { return default_; }

 private:
  bool Knows(std::string_view share) const;

  std::vector<std::string> known_;  // empty: all
  std::string default_;
};

// Whether Batch takes `share` as a shareIdentifier (letters and digits, then perhaps a
// `*`), or as a quotaShareName (letters, digits, `-` and `_`).
bool IsShareIdentifier(std::string_view share);
bool IsQuotaShareName(std::string_view share);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_SHARES_H_
