#include "src/policy/parse_number.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>

namespace precedent::internal {
namespace {

TEST(ParseInteger, IsExact) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0}, {"-0", 0}, {"+7", 7}, {"1e3", 1000}, {"10.0", 10}, {"1.5e1", 15}, {"0e99999999", 0},
      {"9007199254740993", 9007199254740993}, {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN}, {"0x1F", 31}, {"-0x10", -16}, {"0o17", 15}, {"017", 17}};
  for (const auto& [text, value] : cases) {
    std::int64_t read = -1;
    EXPECT_EQ(ParseInteger(text, false, &read), NumberError::kNone) << text;
    EXPECT_EQ(read, value) << text;
  }
  std::int64_t read = 0;
  EXPECT_EQ(ParseInteger("017", true, &read), NumberError::kNone);
  EXPECT_EQ(read, 15);
  EXPECT_EQ(ParseInteger("018", true, &read), NumberError::kNotANumber);
  for (const char* text : {"1.5", "1e-1", "0.001"})
    EXPECT_EQ(ParseInteger(text, false, &read), NumberError::kFraction) << text;
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1e19", "1e999999999999",
                           "0x8000000000000000"})
    EXPECT_EQ(ParseInteger(text, false, &read), NumberError::kOutOfRange) << text;
  for (const char* text : {"", "-", "x", "1x", "1e", "e1", ".", "0x", "1.2.3", "--1", "1e1.0"})
    EXPECT_EQ(ParseInteger(text, false, &read), NumberError::kNotANumber) << text;
}

TEST(ParseDouble, TakesFiniteNumbersOnly) {
  double read = 0;
  EXPECT_EQ(ParseDouble("1e12", &read), NumberError::kNone);
  EXPECT_EQ(read, 1e12);
  EXPECT_EQ(ParseDouble("-.5", &read), NumberError::kNone);
  EXPECT_EQ(read, -0.5);
  EXPECT_EQ(ParseDouble("-0", &read), NumberError::kNone);
  EXPECT_TRUE(std::signbit(read));
  EXPECT_EQ(ParseDouble("1e-400", &read), NumberError::kNone);
  EXPECT_EQ(read, 0);
  EXPECT_EQ(ParseDouble("0x10", &read), NumberError::kNone);
  EXPECT_EQ(read, 16);
  EXPECT_EQ(ParseDouble("1e400", &read), NumberError::kOutOfRange);
  EXPECT_EQ(ParseDouble("-1e400", &read), NumberError::kOutOfRange);
  for (const char* text : {"", "inf", "nan", "-inf", "1x", "Infinity", "--1"})
    EXPECT_EQ(ParseDouble(text, &read), NumberError::kNotANumber) << text;
}

TEST(ParseRfc3339, AgreesWithTheCalendar) {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  ASSERT_TRUE(ParseRfc3339("1970-01-01T00:00:00Z", &seconds, &nanos));
  EXPECT_EQ(seconds, 0);
  ASSERT_TRUE(ParseRfc3339("2026-03-01T12:00:00.25+01:30", &seconds, &nanos));
  EXPECT_EQ(seconds, 1772361000);
  EXPECT_EQ(nanos, 250'000'000);
  ASSERT_TRUE(ParseRfc3339("2024-02-29t23:59:59z", &seconds, &nanos));
  for (const char* text :
       {"", "2026-03-01", "2026-03-01T12:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zx",
        "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
        "26-01-01T00:00:00Z", "2026-01-01 00:00:00Z"})
    EXPECT_FALSE(ParseRfc3339(text, &seconds, &nanos)) << text;
}

}  // namespace
}  // namespace precedent::internal
