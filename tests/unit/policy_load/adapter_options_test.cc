#include "precedent/adapter_options.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;

// What is wrong; empty: nothing.
std::string Problem(const std::string& bytes) {
  const AdapterOptionsResult result = ReadAdapterOptions(bytes);
  EXPECT_EQ(result.options.has_value(), !HasErrors(result.issues));
  return result.issues.empty() ? "" : result.issues[0].message;
}

TEST(AdapterOptionsFile, TextAndJson) {
  for (const char* bytes :
       {"tier_label: \"t\"\nfallback { priority: 7 }\n", R"({"tierLabel":"t","fallback":{"priority":7}})"}) {
    const AdapterOptionsResult result = ReadAdapterOptions(bytes);
    ASSERT_TRUE(result.options) << bytes << Problem(bytes);
    EXPECT_EQ(result.options->tier_label(), "t");
    EXPECT_EQ(result.options->fallback().priority(), 7);
  }
  EXPECT_TRUE(ReadAdapterOptions("{}").options);
  EXPECT_TRUE(ReadAdapterOptions("# nothing\n").options);
}

#ifdef PRECEDENT_HAVE_YAML
TEST(AdapterOptionsFile, Yaml) {
  // The second could be protobuf text until its value is read.
  for (const char* bytes : {"tierLabel: t\nfallback:\n  priority: 7\n", "fallback: {priority: 7, priorityClass: spare}"}) {
    const AdapterOptionsResult result = ReadAdapterOptions(bytes);
    ASSERT_TRUE(result.options) << bytes << Problem(bytes);
    EXPECT_EQ(result.options->fallback().priority(), 7);
  }
  EXPECT_THAT(Problem("---\ntierLabel: a\n---\ntierLabel: b\n"), HasSubstr("second YAML document"));
}
#endif

// Half of a write must not become the default options.
TEST(AdapterOptionsFile, NothingIsNoOptions) {
  EXPECT_THAT(Problem(""), HasSubstr("empty"));
  EXPECT_THAT(Problem(" \n\t"), HasSubstr("empty"));
  EXPECT_THAT(Problem(std::string((1 << 20) + 1, '#')), HasSubstr("1048577 bytes"));
  EXPECT_THAT(Problem("tier_labl: \"t\""), HasSubstr("unknown field"));
  EXPECT_THAT(Problem("{\"tierLabel\":"), testing::Not(""));
  EXPECT_THAT(Problem(std::string("\0\1\2", 3)), testing::Not(""));
}

}  // namespace
}  // namespace precedent
