#include "src/json/time.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace precedent::json {

std::optional<absl::Time> ParseTime(std::string_view text) {
  absl::Time time;
  std::string ignored;
  const absl::Time first = absl::FromUnixSeconds(-62'135'596'800);
  const absl::Time end = absl::FromUnixSeconds(253'402'300'800);
  if (!absl::ParseTime(absl::RFC3339_full, absl::string_view(text.data(), text.size()), &time,
                       &ignored) ||
      time < first || time >= end) {
    return std::nullopt;
  }
  return time;
}

google::protobuf::Timestamp ToTimestamp(absl::Time time) {
  google::protobuf::Timestamp timestamp;
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(
      static_cast<std::int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
  return timestamp;
}

}  // namespace precedent::json
