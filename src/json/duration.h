// Texts of metadata that are durations, counts and booleans.
#ifndef PRECEDENT_SRC_JSON_DURATION_H_
#define PRECEDENT_SRC_JSON_DURATION_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace precedent::json {

// Seconds: a whole number (`3600`), or whole numbers with units from long to short,
// each at most once (`2d`, `4h`, `30m`, `90s`, `1h30m`). INVALID_ARGUMENT for all
// else: no sign, no fraction, no space, and nothing above 10^15 seconds.
absl::StatusOr<std::int64_t> ParseDuration(std::string_view text);

// Digits only, 0 to 2^63 - 1.
absl::StatusOr<std::int64_t> ParseWholeNumber(std::string_view text);

// A finite decimal number, such as `0.75` or `-3`.
absl::StatusOr<double> ParseNumber(std::string_view text);

// `true` or `false`, in this spelling only.
absl::StatusOr<bool> ParseBool(std::string_view text);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_DURATION_H_
