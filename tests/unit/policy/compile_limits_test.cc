// Limits that only lowering can judge: each its own error.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "precedent/policy.h"

namespace precedent {
namespace {

std::string FirstError(const std::string& text, const CompileOptions& options) {
  CompileOptions as_text = options;
  as_text.format = PolicyFormat::kText;
  const CompileResult result = LoadPolicy(text, as_text);
  for (const Issue& issue : result.issues)
    if (issue.severity == Severity::kError) {
      EXPECT_FALSE(result.ok());
      return absl::StrCat(issue.path, ": ", issue.message);
    }
  EXPECT_TRUE(result.ok());
  return "";
}

constexpr char kMixed[] =
    "stages { rules { id: 'a' add: 1 when { team { in: 'a' prefix: 'b' suffix: 'c' }"
    " image { in: 'a' prefix: 'b' contains: 'c' } } } }";

TEST(CompileLimits, AlternativesOfOneMatch) {
  CompileOptions options;
  options.limits.alternatives_per_match = 9;
  EXPECT_EQ(FirstError(kMixed, options), "");
  options.limits.alternatives_per_match = 8;
  EXPECT_EQ(FirstError(kMixed, options),
            "stages[0].rules[0].when[0]: the kinds of lists in one match combine to more than 8 "
            "alternatives");
}

TEST(CompileLimits, AttributesAndBytesOfAJob) {
  std::string text = "stages {";
  for (int i = 0; i < 50; ++i)
    absl::StrAppend(&text, " rules { id: 'r", i, "' add: 1 when { labels { key: 'k", i,
                    "' value { in: 'x' } } } }");
  text += " }";
  CompileOptions options;
  options.limits.attributes = 50;
  EXPECT_EQ(FirstError(text, options), "");
  options.limits.attributes = 49;
  EXPECT_EQ(FirstError(text, options),
            "stages: the rules look at 50 different attributes, labels and metrics; the limit is 49");
}

TEST(CompileLimits, BytesOfTheImage) {
  CompileOptions options;
  options.limits.image_bytes = 600;
  EXPECT_TRUE(absl::StrContains(FirstError(kMixed, options), "bytes; the limit is 600"));
}

TEST(CompileLimits, PatternsThatNeedAnEngine) {
  const std::string text =
      "stages { rules { id: 'a' add: 1 when { team { regex: 'a[0-9]+' } } } }";
  CompileOptions options;
  EXPECT_EQ(FirstError(text, options), "");
  options.require_lock_free = true;
  EXPECT_TRUE(absl::StrContains(FirstError(text, options), "not lock-free"));
  EXPECT_TRUE(absl::StrContains(FirstError(text, options), "regex"));
  EXPECT_EQ(FirstError("stages { rules { id: 'a' add: 1 when { team { regex: '(a|b.*)' } } } }",
                       options),
            "");
}

TEST(CompileLimits, UnknownTimeZone) {
  for (const char* zone : {"Europe/Nowhere", "localtime", "/etc/localtime", "../localtime"})
    EXPECT_TRUE(absl::StrContains(FirstError(absl::StrCat("time_zone: '", zone, "' ", kMixed), {}),
                                  "this machine knows no time zone"))
        << zone;
  EXPECT_EQ(FirstError(absl::StrCat("time_zone: 'Asia/Tokyo' ", kMixed), {}), "");
}

}  // namespace
}  // namespace precedent
