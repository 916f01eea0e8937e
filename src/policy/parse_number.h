// Numbers and times as people spell them, exactly.
#ifndef PRECEDENT_SRC_POLICY_PARSE_NUMBER_H_
#define PRECEDENT_SRC_POLICY_PARSE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace precedent::internal {

enum class NumberError {
  kNone,
  kNotANumber,
  kFraction,    // not whole
  kOutOfRange,  // does not fit
};

// A whole number from any spelling of JSON, YAML or protobuf text (`1e3`, `10.0`,
// `0x1f`, `0o17`, and with `leading_zero_is_octal` `017`). Never goes through a
// double: 2^53 + 1 stays what it is.
NumberError ParseInteger(std::string_view text, bool leading_zero_is_octal, std::int64_t* value);

// The nearest double; what is too large for one is kOutOfRange, too small is 0.
NumberError ParseDouble(std::string_view text, double* value);

// An RFC 3339 time (`2026-03-01T12:00:00Z`, `...+01:00`, up to nine digits of a
// second) in years 1 to 9999, as a Timestamp has it. False if it is none.
bool ParseRfc3339(std::string_view text, std::int64_t* seconds, std::int32_t* nanos);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_PARSE_NUMBER_H_
