// The regular expressions of a policy, as a PatternMatcher looks for them.
#ifndef PRECEDENT_SRC_POLICY_TEXT_PATTERNS_H_
#define PRECEDENT_SRC_POLICY_TEXT_PATTERNS_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "precedent/policy.h"
#include "re2/re2.h"
#include "src/policy/image_parts.h"
#include "src/policy/pattern_dfa.h"

namespace precedent::internal {

// One that is left to RE2, and the range that the beginnings of its matches lie in: most
// texts are told by it for a hundredth of what RE2 takes.
class SlowPattern {
 public:
  SlowPattern(std::unique_ptr<RE2> regex, std::uint32_t bit);

  bool Matches(std::string_view text) const;
  std::uint32_t bit() const { return bit_; }

 private:
  std::unique_ptr<RE2> regex_;
  std::uint32_t bit_;
  std::uint64_t least_ = 0;
  std::uint64_t most_ = ~std::uint64_t{0};
};

// Those on one text. What an automaton can say takes one look at each byte, however many
// patterns there are; RE2 takes a lock and a look for each.
class TextPatterns {
 public:
  // As PatternMatcher::match.
  void Match(std::string_view text, std::uint64_t* bits) const noexcept;

 private:
  friend class TextPatternsMaker;
  std::vector<PatternDfa> fast_;
  std::vector<SlowPattern> slow_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> alone_;  // words and their bits
};

// By text source, up to the last that has any.
std::vector<TextPatterns> MakeTextPatterns(const std::vector<PatternUse>& patterns,
                                           const PolicyLimits& limits);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_TEXT_PATTERNS_H_
