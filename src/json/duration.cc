#include "src/json/duration.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "src/json/path.h"

namespace precedent::json {
namespace {

constexpr std::int64_t kMaxSeconds = 1'000'000'000'000'000;

struct Unit {
  char letter;
  std::int64_t seconds;
};
constexpr Unit kUnits[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

absl::Status Error(std::string_view text, const char* message) {
  return absl::InvalidArgumentError(absl::StrCat("`", Printable(text), "` ", message));
}

// Takes the digits at the front of `text`; nullopt where there are none or where
// they pass `max`.
std::optional<std::int64_t> TakeNumber(std::string_view& text, std::int64_t max) {
  if (text.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  while (!text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) {
    const std::int64_t digit = text[0] - '0';
    if (value > (max - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

absl::StatusOr<std::int64_t> ParseDuration(std::string_view text) {
  const char* const kUnreadable =
      "is no duration (write seconds or units from long to short: `90s`, `30m`, `4h`, `2d`, "
      "`1h30m`)";
  std::string_view rest = text;
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  do {
    const std::optional<std::int64_t> number = TakeNumber(rest, kMaxSeconds);
    if (!number.has_value()) return Error(text, kUnreadable);
    if (rest.empty() && next_unit == 0) return *number;
    while (next_unit < std::size(kUnits) && !rest.empty() && kUnits[next_unit].letter != rest[0]) {
      ++next_unit;
    }
    if (rest.empty() || next_unit == std::size(kUnits)) return Error(text, kUnreadable);
    const std::int64_t unit = kUnits[next_unit++].seconds;
    if (*number > (kMaxSeconds - total) / unit) {
      return Error(text, "is too long for a duration (at most 10^15 seconds)");
    }
    total += *number * unit;
    rest.remove_prefix(1);
  } while (!rest.empty());
  return total;
}

absl::StatusOr<std::int64_t> ParseWholeNumber(std::string_view text) {
  std::string_view rest = text;
  const std::optional<std::int64_t> number =
      TakeNumber(rest, std::numeric_limits<std::int64_t>::max());
  if (!number.has_value() || !rest.empty()) {
    return Error(text, "is no whole number of 0 or more (write digits only)");
  }
  return *number;
}

absl::StatusOr<double> ParseNumber(std::string_view text) {
  // from_chars also reads hexadecimal numbers, `inf` and `nan`.
  const bool decimal = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
  double value = 0;
  const char* const end = text.data() + text.size();
  const absl::from_chars_result result = absl::from_chars(text.data(), end, value);
  if (!decimal || text.empty() || result.ptr != end || result.ec != std::errc() ||
      !std::isfinite(value)) {
    return Error(text, "is no finite number");
  }
  return value;
}

absl::StatusOr<bool> ParseBool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return Error(text, "is neither `true` nor `false`");
}

}  // namespace precedent::json
