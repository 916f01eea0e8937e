// Points in time as platforms write them.
#ifndef PRECEDENT_SRC_JSON_TIME_H_
#define PRECEDENT_SRC_JSON_TIME_H_

#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"

namespace precedent::json {

// RFC 3339, as `2006-01-02T15:04:05Z`; nothing for any other text and outside the range
// of protobuf's Timestamp, years 1 to 9999.
std::optional<absl::Time> ParseTime(std::string_view text);

// REQUIRES: within that range.
google::protobuf::Timestamp ToTimestamp(absl::Time time);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_TIME_H_
