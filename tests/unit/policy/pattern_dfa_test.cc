// Automata match exactly what RE2 matches as a whole, whatever the bytes are.
#include "src/policy/pattern_dfa.h"

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "re2/re2.h"

namespace precedent::internal {
namespace {

constexpr std::int64_t kMuch = 100'000'000;

RE2::Options Options() {
  RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  return options;
}

std::optional<PatternDfa> Make(const std::vector<std::string>& patterns) {
  PatternNfa nfa;
  for (std::uint32_t i = 0; i < patterns.size(); ++i)
    if (!AddPattern(patterns[i], i, &nfa)) return std::nullopt;
  std::int64_t budget = kMuch;
  return PatternDfa::Make(nfa, &budget);
}

std::string Pick(std::mt19937* random, const std::vector<std::string>& pieces, unsigned most) {
  std::string text;
  for (unsigned n = (*random)() % (most + 1); n > 0; --n) text += pieces[(*random)() % pieces.size()];
  return text;
}

// Three random patterns in one automaton, on random texts; `\xe2\x82` and its like are
// no UTF-8, `\xc0\x80` and `\xed\xa0\x80` are none of RFC 3629.
TEST(PatternDfa, AgreesWithRe2) {
  const std::vector<std::string> pieces = {
      "a",  "b",     "ab",   "-",    ".",      ".*",   "(",     ")",    "(?:",   "|",    "*",
      "+",  "?",     "{2}",  "{1,}", "{0,2}",  "^",    "$",     "[ab]", "[^a]",  "\\d",  "\\W",
      "é",  "[a-c]", "\\.",  "\\n",  "[^-b]",  "[]a]", "[\\d-]", "\\s", "(?i)a", "[a-b-]", "9",
      "**", "(a|b)", "(é|)", "\\D",  "{3,1}"};
  const std::vector<std::string> bytes = {"a",        "b",        "c",    "-",    ".",  "\n", "9",
                                          "é",        "€",        "\xff", "\xe2\x82",   "\xc3", " ",
                                          "\xc0\x80", "\xed\xa0\x80",     "\xf4\xbf\xbf\xbf",
                                          std::string(1, '\0'), "B", "\x80"};
  std::mt19937 random(5);
  int compared = 0, matched = 0, refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> patterns;
    while (patterns.size() < 3) {
      std::string pattern = Pick(&random, pieces, 6);
      if (!RE2(pattern, Options()).ok()) continue;
      PatternNfa nfa;
      if (AddPattern(pattern, 0, &nfa)) {
        patterns.push_back(std::move(pattern));
      } else {
        EXPECT_TRUE(nfa.nodes.empty());
        ++refused;
      }
    }
    const std::optional<PatternDfa> dfa = Make(patterns);
    ASSERT_TRUE(dfa.has_value());
    std::vector<std::unique_ptr<RE2>> regexes;
    for (const std::string& pattern : patterns)
      regexes.push_back(std::make_unique<RE2>(pattern, Options()));
    for (int i = 0; i < 12; ++i) {
      const std::string text = i == 0 ? "" : Pick(&random, bytes, 5);
      std::vector<bool> found(patterns.size());
      for (const std::uint32_t p : dfa->Match(text)) found[p] = true;
      for (std::size_t p = 0; p < patterns.size(); ++p) {
        const bool expected = RE2::FullMatch(text, *regexes[p]);
        ASSERT_EQ(found[p], expected) << "`" << patterns[p] << "` on `" << text << "`";
        ++compared;
        matched += expected;
      }
    }
  }
  EXPECT_GT(compared, 50'000);
  EXPECT_GT(matched, 3000);
  EXPECT_GT(refused, 300);
}

TEST(PatternDfa, SaysWhatItLeavesToRe2) {
  for (const char* pattern : {"(?i)a", "\\bab", "a^b", "(^a)", "\\pL", "[é]", "[[:alpha:]]", "\\Qa\\E",
                              "a{200}", "(?P<n>a)", "\\x41"}) {
    PatternNfa nfa;
    EXPECT_TRUE(RE2(pattern, Options()).ok()) << pattern;
    EXPECT_FALSE(AddPattern(pattern, 0, &nfa)) << pattern;
  }
  EXPECT_TRUE(Make({"^org-[0-9]*7-(production|staging)$"}).has_value());
}

TEST(PatternDfa, StaysWithinItsBounds) {
  // Which of the last 13 bytes was an `a` are 8192 states.
  EXPECT_FALSE(Make({".*a.{12}"}).has_value());
  PatternNfa nfa;
  ASSERT_TRUE(AddPattern("[ab]*a[ab]{8}", 0, &nfa));
  std::int64_t budget = 500;
  EXPECT_FALSE(PatternDfa::Make(nfa, &budget).has_value());
  EXPECT_LT(budget, 0);
  budget = kMuch;
  EXPECT_TRUE(PatternDfa::Make(nfa, &budget).has_value());
}

}  // namespace
}  // namespace precedent::internal
