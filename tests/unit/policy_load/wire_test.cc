#include "src/policy/parse_wire.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;

std::string Parse(const std::string& bytes) {
  v1::Policy policy;
  std::vector<Issue> issues;
  internal::ParseWire(bytes, &policy, &issues);
  return Report(issues);
}

// A length-delimited field.
std::string Field(int number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (std::size_t n = content.size();; n >>= 7) {
    if (n < 0x80) return bytes + static_cast<char>(n) + content;
    bytes += static_cast<char>(0x80 | (n & 0x7f));
  }
}

TEST(ParseWire, RefusesWithPath) {
  EXPECT_EQ(Parse(Field(1, "name")), "");
  EXPECT_THAT(Parse(Field(4, Field(3, Field(1, "a") + "\xf8\x7f\x01"))),
              HasSubstr("error: stages[0].rules[0].2047: unknown field"));
  EXPECT_THAT(Parse(Field(4, "") + Field(4, Field(1, "\xff"))),
              HasSubstr("error: stages[1].name: the text is not UTF-8"));
  EXPECT_THAT(Parse(Field(1, std::string(1, '\0'))), HasSubstr("error: name: NUL in a text"));
  EXPECT_THAT(Parse("\x08\x01"), HasSubstr("error: name: has the wire type 0, which is not that"));
  EXPECT_THAT(Parse("\x0a\x05" "abc"), HasSubstr("error: name: not a policy in wire format: the "
                                                 "bytes end in the middle of a field (at byte 2)"));
  EXPECT_THAT(Parse(std::string("\x18") + std::string(11, '\xff')), HasSubstr("more than ten bytes"));
  EXPECT_THAT(Parse("\x02"), HasSubstr("impossible tag"));
  EXPECT_THAT(Parse("\x0b"), HasSubstr("groups are not read"));
  const std::string report = Parse("\xf8\x7f\x01" + Field(1, "\xff"));
  EXPECT_THAT(report, HasSubstr("2047"));
  EXPECT_THAT(report, HasSubstr("not UTF-8"));
}

TEST(ParseWire, EveryPrefixIsAnErrorOrAPolicy) {
  v1::Policy policy;
  v1::Rule* rule = policy.add_stages()->add_rules();
  rule->set_id("rule");
  rule->add_when()->mutable_gpu_count()->set_above(4);
  (*rule->mutable_annotate())["k"] = "v";
  const std::string bytes = policy.SerializeAsString();
  EXPECT_EQ(Parse(bytes), "");
  for (std::size_t length = 1; length < bytes.size(); ++length)
    EXPECT_NE(Parse(bytes.substr(0, length)), "") << length;
}

TEST(LoadBinary, RefusesUnknownEnumNumbers) {
  v1::Policy policy;
  policy.add_stages()->set_mode(static_cast<v1::Stage::Mode>(9));
  policy.mutable_stages(0)->add_rules()->set_id("a");
  EXPECT_THAT(Check(policy.SerializeAsString()),
              HasSubstr("error: stages[0].mode: `9` is not the number of a value of Mode"));
}

}  // namespace
}  // namespace precedent
