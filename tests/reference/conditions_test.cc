#include "tests/reference/conditions.h"

#include "gtest/gtest.h"
#include "tests/reference/test_policies.h"

namespace precedent::reference {
namespace {

// Whether the TextMatch `match` holds for `text` (nullopt: absent).
bool Text(const std::string& match, std::optional<std::string> text) {
  const v1::Policy policy = PolicyOf(
      "sets { name: \"s\" values: [\"x\", \"y\"] } stages { rules { id: \"r\" when { team {" +
      match + "} } } }");
  return Conditions(policy).TextHolds(policy.stages(0).rules(0).when(0).team(), text);
}

TEST(ReferenceTextTest, AnyValueOfAnyPositiveListSuffices) {
  const char* match =
      "in: 'a' in: 'b' in_set: 's' prefix: 'pre' suffix: 'suf' contains: '-c-' "
      "regex: 'r[0-9]+'";
  for (const char* text :
       {"a", "b", "x", "y", "pre", "prefix", "suf", "asuf", "1-c-2", "-c-", "r12"})
    EXPECT_TRUE(Text(match, text)) << text;
  for (const char* text : {"", "c", "ab", "apre", "sufa", "c-", "r", "r1x", "xr1"})
    EXPECT_FALSE(Text(match, text)) << text;
  EXPECT_FALSE(Text(match, std::nullopt));
}

TEST(ReferenceTextTest, NotInExcludesAfterThePositiveLists) {
  EXPECT_TRUE(Text("prefix: 'a' not_in: 'ab'", "aa"));
  EXPECT_FALSE(Text("prefix: 'a' not_in: 'ab'", "ab"));
  EXPECT_FALSE(Text("prefix: 'a' not_in: 'ab'", "b"));
  EXPECT_FALSE(Text("prefix: 'a' not_in: 'ab'", std::nullopt));
  EXPECT_TRUE(Text("not_in: 'ab'", "b"));
  EXPECT_TRUE(Text("not_in: 'ab'", ""));
  EXPECT_FALSE(Text("not_in: 'ab'", "ab"));
}

TEST(ReferenceTextTest, AbsentSatisfiesOnlyPresentFalseAndNotInAlone) {
  EXPECT_TRUE(Text("present: false", std::nullopt));
  EXPECT_FALSE(Text("present: false", ""));
  EXPECT_TRUE(Text("not_in: 'a'", std::nullopt));
  EXPECT_FALSE(Text("not_in: 'a' present: true", std::nullopt));
  EXPECT_FALSE(Text("present: true", std::nullopt));
  EXPECT_TRUE(Text("present: true", ""));
  EXPECT_FALSE(Text("regex: '.*'", std::nullopt));
}

TEST(ReferenceTextTest, RegexMatchesTheWholeTextAndDotANewline) {
  EXPECT_TRUE(Text("regex: 'a.b'", "a\nb"));
  EXPECT_FALSE(Text("regex: 'a'", "ab"));
  EXPECT_TRUE(Text("regex: '.'", "é"));
  EXPECT_TRUE(Text("regex: ''", ""));
  EXPECT_FALSE(Text("regex: ''", "a"));
}

bool Holds(const std::string& match, std::optional<double> number) {
  v1::NumberMatch message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(match, &message));
  return NumberHolds(message, number);
}

TEST(ReferenceNumberTest, AllBoundsMustHold) {
  EXPECT_FALSE(Holds("above: 4", 4));
  EXPECT_TRUE(Holds("above: 4", 4.000001));
  EXPECT_TRUE(Holds("at_least: 4", 4));
  EXPECT_FALSE(Holds("below: 4", 4));
  EXPECT_TRUE(Holds("at_most: 4", 4));
  EXPECT_FALSE(Holds("above: 4 at_most: 8", 4));
  EXPECT_TRUE(Holds("above: 4 at_most: 8", 8));
  EXPECT_FALSE(Holds("above: 4 at_most: 8", 8.5));
  EXPECT_TRUE(Holds("at_least: 0", -0.0));
}

TEST(ReferenceNumberTest, AbsentSatisfiesOnlyPresentFalse) {
  EXPECT_TRUE(Holds("present: false", std::nullopt));
  EXPECT_FALSE(Holds("present: false", 0));
  EXPECT_TRUE(Holds("present: true", 0));
  EXPECT_FALSE(Holds("present: true", std::nullopt));
  EXPECT_FALSE(Holds("below: 4", std::nullopt));
}

TEST(ReferenceListsTest, TheFirstOfDuplicateKeysCounts) {
  Job job;
  job.labels = {{"a", "1"}, {"a", "2"}, {"b", ""}};
  job.metrics = {{"m", 1}, {"m", 2}, {"n", std::nan("")}, {"n", 3}};
  EXPECT_EQ(LabelOf(job, "a"), "1");
  EXPECT_EQ(LabelOf(job, "b"), "");
  EXPECT_EQ(LabelOf(job, "c"), std::nullopt);
  EXPECT_EQ(MetricOf(job, "m"), 1);
  EXPECT_EQ(MetricOf(job, "n"), std::nullopt);
}

TEST(ReferenceActivityTest, FromIsInsideAndUntilIsOutsideToTheNanosecond) {
  const v1::Policy policy = PolicyOf(R"(stages { rules { id: "r"
      active_from { seconds: 10 nanos: 1500 } active_until { seconds: 20 nanos: 2000 } } })");
  const v1::Rule& rule = policy.stages(0).rules(0);
  EXPECT_FALSE(IsActive(rule, 10'000'001));  // 500 ns too early
  EXPECT_TRUE(IsActive(rule, 10'000'002));
  EXPECT_TRUE(IsActive(rule, 20'000'001));
  EXPECT_FALSE(IsActive(rule, 20'000'002));
}

TEST(ReferenceClockTest, WaitHourAndDay) {
  EXPECT_EQ(WaitSeconds(1'000'000, 2'500'000), 1.5);
  EXPECT_EQ(WaitSeconds(2'500'000, 1'000'000), 0);
  EXPECT_EQ(WaitSeconds(std::nullopt, 1'000'000), std::nullopt);
  EXPECT_EQ(WaitSeconds(INT64_MIN, INT64_MAX), 18446744073709.551615);
  const std::int64_t time = At("2024-02-29T22:30:15.999999Z");  // a Thursday
  EXPECT_EQ(SecondOfDay(time, 0), 22 * 3600 + 30 * 60 + 15);
  EXPECT_EQ(HourOfDay(time, 0), (22 * 3600 + 30 * 60 + 15) / 3600.0);
  EXPECT_EQ(DayOfWeek(time, 0), 4);
  EXPECT_EQ(DayOfWeek(time, 7200), 5);
  EXPECT_EQ(SecondOfDay(time, 7200), 30 * 60 + 15);
  EXPECT_EQ(Midnight(time, 7200), At("2024-02-29T22:00:00Z"));
  EXPECT_EQ(DayOfWeek(-1, 0), 3);  // 1969-12-31 was a Wednesday
  EXPECT_EQ(SecondOfDay(-1, 0), 86399);
}

TEST(ReferenceClockTest, TransitionsOfAZone) {
  const Zone& berlin = Zone::Named("Europe/Berlin");
  EXPECT_EQ(berlin.OffsetAt(At("2024-03-31T00:59:59Z")), 3600);
  EXPECT_EQ(berlin.OffsetAt(At("2024-03-31T01:00:00Z")), 7200);
  EXPECT_EQ(berlin.NextTransition(At("2024-03-31T00:59:59Z")), At("2024-03-31T01:00:00Z"));
  EXPECT_EQ(berlin.NextTransition(At("2024-03-31T01:00:00Z")), At("2024-10-27T01:00:00Z"));
  EXPECT_EQ(berlin.NextTransition(At("2099-12-01T00:00:00Z")), std::nullopt);
  EXPECT_TRUE(Zone::Named("").transitions().empty());
  EXPECT_TRUE(Zone::Named("Etc/GMT+5").transitions().empty());
  EXPECT_EQ(Zone::Named("Etc/GMT+5").OffsetAt(0), -5 * 3600);
  // Half an hour of daylight saving, in the south.
  EXPECT_EQ(Zone::Named("Australia/Lord_Howe").OffsetAt(At("2024-07-01T00:00:00Z")), 37800);
  EXPECT_EQ(Zone::Named("Australia/Lord_Howe").OffsetAt(At("2024-01-01T00:00:00Z")), 39600);
}

}  // namespace
}  // namespace precedent::reference
