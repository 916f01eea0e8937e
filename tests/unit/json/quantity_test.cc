#include "src/json/quantity.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace precedent::json {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(DeviceCount, ReadsEverySpellingOfAWholeNumber) {
  struct Case {
    const char* text;
    std::int64_t value;
  };
  const Case cases[] = {
      {"0", 0},
      {"1", 1},
      {"+1", 1},
      {"-0", 0},
      {"007", 7},
      {"2e0", 2},
      {"1e3", 1000},
      {"1E3", 1000},
      {"1E+3", 1000},
      {"1000e-3", 1},
      {"1000m", 1},
      {"0m", 0},
      {"1k", 1000},
      {"1M", 1'000'000},
      {"2G", 2'000'000'000},
      {"3T", 3'000'000'000'000},
      {"4P", 4'000'000'000'000'000},
      {"1E", 1'000'000'000'000'000'000},
      {"9E", 9'000'000'000'000'000'000},
      {"1Ki", 1024},
      {"1Mi", 1 << 20},
      {"1Gi", 1 << 30},
      {"1Ti", std::int64_t{1} << 40},
      {"1Pi", std::int64_t{1} << 50},
      {"1Ei", std::int64_t{1} << 60},
      {"7Ei", 7 * (std::int64_t{1} << 60)},
      {"1.", 1},
      {"1.0", 1},
      {".5k", 500},
      {"1.5k", 1500},
      {"0.5Ki", 512},
      {"2.50e1", 25},
      {"0.0009765625Ki", 1},
      {"0.000000000000000000000000e99", 0},
      {"0e999999999999999999", 0},
      {"9223372036854775807", kMax},
      {"9223372036854775807.000", kMax},
      {"9223372036854775807000m", kMax},
      {"9007199254740993", 9007199254740993},
      {"0.9223372036854775807e19", kMax},
  };
  for (const Case& c : cases) {
    const auto value = ParseDeviceCount(c.text);
    ASSERT_TRUE(value.ok()) << c.text << ": " << value.status();
    EXPECT_EQ(*value, c.value) << c.text;
  }
}

TEST(DeviceCount, ReadsBinaryFractionsOfAnyLength) {
  // 2^-60, all its digits, times 2^60.
  EXPECT_THAT(ParseDeviceCount("0.000000000000000000867361737988403547205962240695953369140625Ei")
                  .value_or(-1),
              1);
  // One digit more and it is no whole number.
  EXPECT_FALSE(
      ParseDeviceCount("0.0000000000000000008673617379884035472059622406959533691406251Ei").ok());
}

TEST(DeviceCount, RefusesWhatIsNoCount) {
  const char* const fractions[] = {"0.5",
                                   "100m",
                                   "1e-1",
                                   "1.5",
                                   "0.1Ki",
                                   "1001m",
                                   "0.99999999999999999999",
                                   "1e-999999999999999999999"};
  for (const char* text : fractions) {
    const auto value = ParseDeviceCount(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_THAT(std::string(value.status().message()), ::testing::HasSubstr("not whole")) << text;
  }
  const char* const large[] = {"1e30",
                               "10E",
                               "8Ei",
                               "9223372036854775808",
                               "1e19",
                               "9223372036854775.808k",
                               "1e999999999999999999999"};
  for (const char* text : large) {
    const auto value = ParseDeviceCount(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_THAT(std::string(value.status().message()), ::testing::HasSubstr("too large")) << text;
  }
  for (const char* text : {"-1", "-1k", "-0.5", "-1e99999999999"}) {
    const auto value = ParseDeviceCount(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_THAT(std::string(value.status().message()), ::testing::HasSubstr("negative")) << text;
  }
  const char* const unreadable[] = {"",   " ",    "1 ",  " 1",   "x",     "1x",   "1kk", "1ki",
                                    "1K", "9E9E", "1e",  "1e+",  "1e1.5", "1e1k", "++1", "+",
                                    ".",  "-.",   "k",   "Ki",   "0x10",  "1,5",  "1_0", "1n",
                                    "1u", "NaN",  "inf", "1e 3", "１"};
  for (const char* text : unreadable) {
    const auto value = ParseDeviceCount(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_THAT(std::string(value.status().message()), ::testing::HasSubstr("is no quantity"))
        << text;
  }
}

// The time is bounded by the length: were it by the value, these would never end.
TEST(DeviceCount, IsLinearInTheText) {
  const std::string zeros(200'000, '0');
  EXPECT_EQ(ParseDeviceCount(zeros + "1").value_or(-1), 1);
  EXPECT_EQ(ParseDeviceCount("1." + zeros).value_or(-1), 1);
  EXPECT_EQ(ParseDeviceCount("0." + zeros + "1e200001").value_or(-1), 1);
  EXPECT_EQ(ParseDeviceCount("1" + zeros + "e-200000").value_or(-1), 1);
  EXPECT_FALSE(ParseDeviceCount("1" + zeros).ok());
  EXPECT_FALSE(ParseDeviceCount("0." + zeros + "1").ok());
  EXPECT_FALSE(ParseDeviceCount("0." + std::string(200'000, '5') + "Ei").ok());
  EXPECT_FALSE(ParseDeviceCount("1e" + std::string(200'000, '9')).ok());
  // The message does not repeat it all.
  EXPECT_LT(ParseDeviceCount("1" + zeros).status().message().size(), 300u);
}

TEST(Bytes, RoundsOnce) {
  struct Case {
    const char* text;
    double value;
  };
  const Case cases[] = {
      {"0", 0},
      {"1e12", 1e12},
      {"2Ti", 2199023255552.0},
      {"1.5Ti", 1649267441664.0},
      {"500G", 5e11},
      {"1000000000001", 1000000000001.0},
      {"0.1", 0.1},
      {"100m", 0.1},
      {"1e30", 1e30},
      {"9007199254740993", 9007199254740992.0},             // a tie: to even
      {"9007199254740993.0000000001", 9007199254740994.0},  // just above it
      {"0.1Ki", 102.4},
      {"1E", 1e18},
      {"1Ei", 1152921504606846976.0},
      {"1e-999999999999", 0},
  };
  for (const Case& c : cases) {
    const auto value = ParseBytes(c.text);
    ASSERT_TRUE(value.ok()) << c.text << ": " << value.status();
    EXPECT_EQ(*value, c.value) << c.text;
    EXPECT_FALSE(std::signbit(*value));
  }
  for (const char* text : {"-1", "2TB", "x", "", "1e309", "1e999999999999", "1.8e308Ki"}) {
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
  }
}

}  // namespace
}  // namespace precedent::json
