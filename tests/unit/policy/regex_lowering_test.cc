// What a pattern is lowered to must match exactly what RE2 says that the pattern
// matches: over all short patterns and texts of a small alphabet.
#include "src/policy/regex_lowering.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "re2/re2.h"

namespace precedent::internal {
namespace {

bool Matches(const LoweredPattern& p, const std::string& text) {
  switch (p.kind) {
    case LoweredPattern::kLiteral: return text == p.text;
    case LoweredPattern::kPrefix: return text.rfind(p.text, 0) == 0;
    case LoweredPattern::kSuffix:
      return text.size() >= p.text.size() &&
             text.compare(text.size() - p.text.size(), p.text.size(), p.text) == 0;
    case LoweredPattern::kContains: return text.find(p.text) != std::string::npos;
    case LoweredPattern::kRegex: break;
  }
  ADD_FAILURE() << "not lowered";
  return false;
}

std::vector<std::string> AllStrings(const std::vector<std::string>& alphabet, int length) {
  std::vector<std::string> result = {""};
  std::size_t begin = 0;
  for (int i = 0; i < length; ++i) {
    const std::size_t end = result.size();
    for (std::size_t k = begin; k < end; ++k)
      for (const std::string& piece : alphabet) result.push_back(result[k] + piece);
    begin = end;
  }
  return result;
}

TEST(RegexLowering, AgreesWithRe2OnAllShortPatterns) {
  const std::vector<std::string> texts = AllStrings({"a", "b", ".", "\n", "é", "|"}, 4);
  RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  int lowered_patterns = 0, kept = 0;
  for (const std::string& pattern :
       AllStrings({"a", "b", ".*", ".", "\\.", "|", "^", "$", "(", ")", "é", "?", "(?i)"}, 4)) {
    const RE2 regex(pattern, options);
    if (!regex.ok()) continue;
    const std::vector<LoweredPattern> lowered = LowerPattern(pattern);
    ASSERT_FALSE(lowered.empty());
    if (lowered.front().kind == LoweredPattern::kRegex) {
      EXPECT_EQ(lowered.size(), 1u);
      EXPECT_EQ(lowered.front().text, pattern);
      ++kept;
      continue;
    }
    ++lowered_patterns;
    for (const std::string& text : texts) {
      bool any = false;
      for (const LoweredPattern& p : lowered) any |= Matches(p, text);
      ASSERT_EQ(any, RE2::FullMatch(text, regex)) << "`" << pattern << "` on `" << text << "`";
    }
  }
  // Neither side of the comparison is empty.
  EXPECT_GT(lowered_patterns, 1000);
  EXPECT_GT(kept, 1000);
}

TEST(RegexLowering, TheFormsThatPeopleWrite) {
  const auto kind = [](const char* pattern) { return LowerPattern(pattern).front().kind; };
  EXPECT_EQ(kind("prod"), LoweredPattern::kLiteral);
  EXPECT_EQ(kind("^prod$"), LoweredPattern::kLiteral);
  EXPECT_EQ(kind("prod-.*"), LoweredPattern::kPrefix);
  EXPECT_EQ(kind("^prod-.*$"), LoweredPattern::kPrefix);
  EXPECT_EQ(kind(".*-gpu"), LoweredPattern::kSuffix);
  EXPECT_EQ(kind(".*train.*"), LoweredPattern::kContains);
  EXPECT_EQ(kind("registry\\.example\\.com/.*"), LoweredPattern::kPrefix);
  EXPECT_EQ(LowerPattern("^(a|b-.*|.*c)$").size(), 3u);
  EXPECT_EQ(LowerPattern("(?:a|b)").size(), 2u);
  for (const char* pattern : {"a|[b]", "team-[0-9]+", "(?i)prod", "a\\d", "\\Qa|b\\E", "(a)|(b)",
                              "a+", "a.b", "ab?", ".*?a*", "x{2}"})
    EXPECT_EQ(kind(pattern), LoweredPattern::kRegex) << pattern;
}

}  // namespace
}  // namespace precedent::internal
