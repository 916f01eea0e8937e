#include "src/json/duration.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace precedent::json {
namespace {

TEST(Duration, ReadsSecondsAndUnits) {
  struct Case {
    const char* text;
    std::int64_t seconds;
  };
  const Case cases[] = {{"0", 0},
                        {"3600", 3600},
                        {"90s", 90},
                        {"30m", 1800},
                        {"4h", 14400},
                        {"2d", 172800},
                        {"1h30m", 5400},
                        {"1d12h", 129600},
                        {"1d1h1m1s", 90061},
                        {"90m", 5400},
                        {"007s", 7},
                        {"1h5s", 3605},
                        {"0d", 0},
                        {"1000000000000000", 1'000'000'000'000'000}};
  for (const Case& c : cases) {
    const auto seconds = ParseDuration(c.text);
    ASSERT_TRUE(seconds.ok()) << c.text << ": " << seconds.status();
    EXPECT_EQ(*seconds, c.seconds) << c.text;
  }
}

TEST(Duration, RefusesTheRest) {
  for (const char* text : {"",
                           " ",
                           "s",
                           "h1",
                           "-1",
                           "+1",
                           "1.5h",
                           "1 h",
                           "1h ",
                           "1w",
                           "1H",
                           "1ms",
                           "30m1h",
                           "1h1h",
                           "1h30",
                           "30s30s",
                           "1e3",
                           "4 hours",
                           "abc",
                           "1000000000000001",
                           "99999999999999999999",
                           "11574074075d",
                           "1d999999999999999s",
                           "PT1H"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
  EXPECT_FALSE(ParseDuration(std::string(100'000, '9')).ok());
}

TEST(WholeNumber, IsDigitsOnly) {
  EXPECT_EQ(ParseWholeNumber("0").value_or(-1), 0);
  EXPECT_EQ(ParseWholeNumber("9223372036854775807").value_or(-1), INT64_MAX);
  for (const char* text : {"", "-1", "+1", "1.0", "1 ", "9223372036854775808", "0x1", "1k"}) {
    EXPECT_FALSE(ParseWholeNumber(text).ok()) << text;
  }
}

TEST(Number, IsFinite) {
  EXPECT_EQ(ParseNumber("-3").value_or(0), -3);
  EXPECT_EQ(ParseNumber("0.75").value_or(0), 0.75);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "1x", " 1", "0x1p3"}) {
    EXPECT_FALSE(ParseNumber(text).ok()) << text;
  }
}

TEST(Bool, HasOneSpelling) {
  EXPECT_TRUE(ParseBool("true").value_or(false));
  EXPECT_FALSE(ParseBool("false").value_or(true));
  for (const char* text : {"", "True", "TRUE", "1", "yes", "true "}) {
    EXPECT_FALSE(ParseBool(text).ok()) << text;
  }
}

}  // namespace
}  // namespace precedent::json
