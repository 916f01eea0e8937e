#include "src/json/quantity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "src/json/path.h"

namespace precedent::json {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

// digits x 10^ten x 2^two, negated where it says so. `digits` has no zero at either
// end, so that 0 is the empty text and a value has one spelling.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t ten = 0;
  int two = 0;
};

struct Suffix {
  std::string_view text;
  int ten;
  int two;
};
constexpr Suffix kSuffixes[] = {
    {"", 0, 0},    {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},   {"G", 9, 0},
    {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

std::size_t DigitsAtFront(std::string_view text) {
  return std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin();
}

// The exponent after `e` or `E`. Saturates: a text is far shorter than 10^12, so an
// exponent beyond that decides alone.
std::optional<std::int64_t> ParseExponent(std::string_view text) {
  constexpr std::int64_t kSaturated = 1'000'000'000'000;
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || DigitsAtFront(text) != text.size()) return std::nullopt;
  std::int64_t value = 0;
  for (char c : text) value = std::min(value * 10 + (c - '0'), kSaturated);
  return negative ? -value : value;
}

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal out;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t whole = DigitsAtFront(text);
  out.digits.assign(text.data(), whole);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    fraction = DigitsAtFront(text);
    out.digits.append(text.data(), fraction);
    text.remove_prefix(fraction);
  }
  if (out.digits.empty()) return std::nullopt;

  bool known = false;
  for (const Suffix& suffix : kSuffixes) {
    if (text != suffix.text) continue;
    out.ten = suffix.ten;
    out.two = suffix.two;
    known = true;
  }
  if (!known && (text[0] == 'e' || text[0] == 'E')) {
    const std::optional<std::int64_t> exponent = ParseExponent(text.substr(1));
    if (!exponent.has_value()) return std::nullopt;
    out.ten = *exponent;
    known = true;
  }
  if (!known) return std::nullopt;

  out.ten -= static_cast<std::int64_t>(fraction);
  const std::size_t last = out.digits.find_last_not_of('0');
  if (last == std::string::npos) return Decimal{};
  out.ten += static_cast<std::int64_t>(out.digits.size() - 1 - last);
  out.digits.resize(last + 1);
  out.digits.erase(0, out.digits.find_first_not_of('0'));
  return out;
}

enum class Whole { kYes, kFraction, kTooLarge };

// digits := digits / 5; false where that leaves a remainder.
bool DivideBy5(std::string& digits) {
  int remainder = 0;
  for (char& c : digits) {
    const int value = remainder * 10 + (c - '0');
    c = static_cast<char>('0' + value / 5);
    remainder = value % 5;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return remainder == 0;
}

// The value of a Decimal that is not negative, as a whole number. `decimal.digits`
// is not a multiple of 10.
Whole ToWhole(Decimal decimal, std::int64_t& out) {
  out = 0;
  if (decimal.digits.empty()) return Whole::kYes;
  std::int64_t two = decimal.two;
  if (decimal.ten < 0) {
    // digits x 2^(two + ten) / 5^-ten. Were -ten above two, a whole value would need
    // digits that 2 and 5 divide. So at most 60 divisions, and as each is exact, a
    // text that passes them had at most 19 + 42 digits.
    if (-decimal.ten > two) return Whole::kFraction;
    if (decimal.digits.size() > 62) {
      // Beyond 5^60 x 2^63. Whether it is a fraction too does not matter.
      return Whole::kTooLarge;
    }
    for (std::int64_t i = decimal.ten; i < 0; ++i) {
      if (!DivideBy5(decimal.digits)) return Whole::kFraction;
    }
    two += decimal.ten;
    decimal.ten = 0;
  }
  if (decimal.digits.size() + static_cast<std::uint64_t>(decimal.ten) > 19) return Whole::kTooLarge;
  // At most 19 digits fit in uint64.
  std::uint64_t value = 0;
  for (char c : decimal.digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  for (; decimal.ten > 0; --decimal.ten) value *= 10;
  for (; two > 0; --two) {
    if (value > static_cast<std::uint64_t>(kMaxInt64) / 2) return Whole::kTooLarge;
    value *= 2;
  }
  if (value > static_cast<std::uint64_t>(kMaxInt64)) return Whole::kTooLarge;
  out = static_cast<std::int64_t>(value);
  return Whole::kYes;
}

absl::Status Error(std::string_view text, const char* message) {
  return absl::InvalidArgumentError(absl::StrCat("`", Printable(text), "` ", message));
}

}  // namespace

absl::StatusOr<std::int64_t> ParseDeviceCount(std::string_view text) {
  // Nearly every count is a few digits.
  if (!text.empty() && text.size() <= 9) {
    std::int64_t plain = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      plain = plain * 10 + (text[i] - '0');
    }
    if (i == text.size()) return plain;
  }
  std::optional<Decimal> decimal = ParseDecimal(text);
  if (!decimal.has_value())
    return Error(text, "is no quantity (write a whole number, such as `2`)");
  if (decimal->negative) return Error(text, "is negative; a device count is 0 or more");
  std::int64_t value = 0;
  switch (ToWhole(*std::move(decimal), value)) {
    case Whole::kFraction:
      return Error(text, "is not whole; devices are counted in whole numbers");
    case Whole::kTooLarge:
      return Error(text, "is too large for a count");
    case Whole::kYes:
      break;
  }
  return value;
}

absl::StatusOr<double> ParseBytes(std::string_view text) {
  std::optional<Decimal> decimal = ParseDecimal(text);
  if (!decimal.has_value()) {
    return Error(text, "is no size (write bytes or a quantity, such as `2Ti`)");
  }
  if (decimal->negative) return Error(text, "is negative; a size is 0 or more");
  if (decimal->digits.empty()) return 0.0;
  // from_chars rounds correctly whatever the number of digits, and a power of two
  // scales without rounding. Its exponent is an int; beyond 10^8 nothing changes
  // unless there are as many digits, which no text has.
  constexpr std::int64_t kFar = 100'000'000;
  const std::string number =
      absl::StrCat(decimal->digits, "e", std::clamp(decimal->ten, -kFar, kFar));
  double value = 0;
  const absl::from_chars_result result =
      absl::from_chars(number.data(), number.data() + number.size(), value);
  const bool beyond = result.ec == std::errc::result_out_of_range && value > 1;
  value = std::ldexp(value, decimal->two);
  if (beyond || !std::isfinite(value)) return Error(text, "is too large for a size");
  return value;
}

}  // namespace precedent::json
