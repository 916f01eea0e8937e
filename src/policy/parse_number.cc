#include "src/policy/parse_number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "src/text/cursor.h"

#include "absl/strings/charconv.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace precedent::internal {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();


int DigitValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

// `digits` in `base` as a magnitude of at most 2^63.
NumberError Magnitude(std::string_view digits, int base, std::uint64_t* value) {
  if (digits.empty()) return NumberError::kNotANumber;
  *value = 0;
  for (char c : digits) {
    const int digit = DigitValue(c);
    if (digit >= base) return NumberError::kNotANumber;
    const auto b = static_cast<std::uint64_t>(base), d = static_cast<std::uint64_t>(digit);
    if (*value > (kMost + 1 - d) / b) return NumberError::kOutOfRange;
    *value = *value * b + d;
  }
  return NumberError::kNone;
}

// Decimal with an optional fraction and exponent.
NumberError DecimalMagnitude(std::string_view text, std::uint64_t* value) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits(mantissa.substr(0, point));
  std::size_t fraction = 0;
  if (point < mantissa.size()) {
    const std::string_view after = mantissa.substr(point + 1);
    digits += after;
    fraction = after.size();
  }
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), IsDigit))
    return NumberError::kNotANumber;
  std::int64_t exponent = 0;
  if (e < text.size()) {
    std::string_view power = text.substr(e + 1);
    const bool negative = !power.empty() && power[0] == '-';
    if (!power.empty() && (power[0] == '-' || power[0] == '+')) power.remove_prefix(1);
    if (power.empty() || !std::all_of(power.begin(), power.end(), IsDigit))
      return NumberError::kNotANumber;
    // No text is so long that a greater power would make another difference.
    for (char c : power) exponent = std::min<std::int64_t>(exponent * 10 + (c - '0'), 1 << 30);
    if (negative) exponent = -exponent;
  }
  // value = digits * 10^exponent; zeros at the end of digits go into the exponent.
  exponent -= static_cast<std::int64_t>(fraction);
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) {
    *value = 0;
    return NumberError::kNone;
  }
  exponent += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.resize(last + 1);
  if (exponent < 0) return NumberError::kFraction;
  if (exponent > 19) return NumberError::kOutOfRange;
  digits.append(static_cast<std::size_t>(exponent), '0');
  return Magnitude(digits, 10, value);
}

bool TakeSign(std::string_view* text) {
  const bool negative = !text->empty() && (*text)[0] == '-';
  if (negative || (!text->empty() && (*text)[0] == '+')) text->remove_prefix(1);
  return negative;
}

bool IsPrefixed(std::string_view text, char letter) {
  return text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == letter;
}

// `width` digits at the start of `*text`, taken off it; -1 if they are not there.
int TakeDigits(std::string_view* text, std::size_t width) {
  if (text->size() < width) return -1;
  int value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (!IsDigit((*text)[i])) return -1;
    value = value * 10 + ((*text)[i] - '0');
  }
  text->remove_prefix(width);
  return value;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || (*text)[0] != c) return false;
  text->remove_prefix(1);
  return true;
}

// `Z` or `+01:00`: seconds east of UTC.
bool TakeOffset(std::string_view* text, int* offset) {
  if (TakeChar(text, 'Z') || TakeChar(text, 'z')) {
    *offset = 0;
    return true;
  }
  const bool negative = TakeChar(text, '-');
  if (!negative && !TakeChar(text, '+')) return false;
  const int hours = TakeDigits(text, 2);
  if (hours < 0 || hours > 23 || !TakeChar(text, ':')) return false;
  const int minutes = TakeDigits(text, 2);
  if (minutes < 0 || minutes > 59) return false;
  *offset = (hours * 60 + minutes) * (negative ? -60 : 60);
  return true;
}

}  // namespace

NumberError ParseInteger(std::string_view text, bool leading_zero_is_octal, std::int64_t* value) {
  const bool negative = TakeSign(&text);
  std::uint64_t magnitude = 0;
  NumberError error;
  if (IsPrefixed(text, 'x')) {
    error = Magnitude(text.substr(2), 16, &magnitude);
  } else if (IsPrefixed(text, 'o')) {
    error = Magnitude(text.substr(2), 8, &magnitude);
  } else if (leading_zero_is_octal && text.size() > 1 && text[0] == '0' &&
             std::all_of(text.begin(), text.end(), IsDigit)) {
    error = Magnitude(text.substr(1), 8, &magnitude);
  } else {
    error = DecimalMagnitude(text, &magnitude);
  }
  if (error != NumberError::kNone) return error;
  if (magnitude > kMost && !negative) return NumberError::kOutOfRange;
  // Unsigned negation, as -2^63 has no positive.
  *value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
  return NumberError::kNone;
}

NumberError ParseDouble(std::string_view text, double* value) {
  const bool negative = TakeSign(&text);
  if (IsPrefixed(text, 'x') || IsPrefixed(text, 'o')) {
    std::int64_t whole = 0;
    const NumberError error = ParseInteger(text, false, &whole);
    *value = negative ? -static_cast<double>(whole) : static_cast<double>(whole);
    return error;
  }
  // from_chars takes `inf` and `nan` as well.
  if (text.empty() || (!IsDigit(text[0]) && text[0] != '.')) return NumberError::kNotANumber;
  const char* end = text.data() + text.size();
  const absl::from_chars_result result = absl::from_chars(text.data(), end, *value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument)
    return NumberError::kNotANumber;
  if (negative) *value = -*value;
  // Beyond the range it gives the largest double or 0, and the error tells.
  if (result.ec == std::errc::result_out_of_range && std::fabs(*value) > 1)
    return NumberError::kOutOfRange;
  return NumberError::kNone;
}

bool ParseRfc3339(std::string_view text, std::int64_t* seconds, std::int32_t* nanos) {
  const int year = TakeDigits(&text, 4);
  if (year < 1 || !TakeChar(&text, '-')) return false;
  const int month = TakeDigits(&text, 2);
  if (month < 1 || month > 12 || !TakeChar(&text, '-')) return false;
  const int day = TakeDigits(&text, 2);
  if (day < 1 || (!TakeChar(&text, 'T') && !TakeChar(&text, 't'))) return false;
  const int hour = TakeDigits(&text, 2);
  if (hour < 0 || hour > 23 || !TakeChar(&text, ':')) return false;
  const int minute = TakeDigits(&text, 2);
  if (minute < 0 || minute > 59 || !TakeChar(&text, ':')) return false;
  const int second = TakeDigits(&text, 2);
  if (second < 0 || second > 59) return false;
  *nanos = 0;
  if (TakeChar(&text, '.')) {
    int digits = 0;
    for (; digits < 9 && !text.empty() && IsDigit(text[0]); ++digits)
      *nanos = *nanos * 10 + TakeDigits(&text, 1);
    if (digits == 0) return false;
    for (; digits < 9; ++digits) *nanos *= 10;
  }
  int offset = 0;
  if (!TakeOffset(&text, &offset) || !text.empty()) return false;
  const absl::CivilSecond civil(year, month, day, hour, minute, second);
  if (civil.day() != day) return false;  // February 30 and its like became another day
  *seconds = absl::ToUnixSeconds(absl::FromCivil(civil, absl::UTCTimeZone())) - offset;
  return *seconds >= -62'135'596'800 && *seconds <= 253'402'300'799;
}

}  // namespace precedent::internal
