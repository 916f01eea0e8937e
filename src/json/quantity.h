// Kubernetes quantities, exactly.
//
//   quantity = [ "+" | "-" ] number [ suffix ]
//   number   = digits [ "." [ digits ] ] | "." digits
//   suffix   = "m" | "k" | "M" | "G" | "T" | "P" | "E"
//            | "Ki" | "Mi" | "Gi" | "Ti" | "Pi" | "Ei"
//            | ( "e" | "E" ) [ "+" | "-" ] digits
//
// An `E` without digits after it is 10^18. Nothing goes through double but the
// last, correctly rounded step of ParseBytes. Time is linear in the text, however
// large an exponent says the number is.
#ifndef PRECEDENT_SRC_JSON_QUANTITY_H_
#define PRECEDENT_SRC_JSON_QUANTITY_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace precedent::json {

// A whole number of devices, 0 to 2^63 - 1. Anything else (`0.5`, `-1`, `1e30`,
// `100m`, no quantity at all) is INVALID_ARGUMENT; the message quotes the text.
absl::StatusOr<std::int64_t> ParseDeviceCount(std::string_view text);

// A size in bytes, not negative: a quantity, fractions allowed, rounded once to the
// nearest double. INVALID_ARGUMENT where it is none or beyond double's range.
absl::StatusOr<double> ParseBytes(std::string_view text);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_QUANTITY_H_
