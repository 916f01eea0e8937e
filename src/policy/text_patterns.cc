#include "src/policy/text_patterns.h"

#include <cstddef>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "src/policy/check.h"
#include "src/policy/pattern_nfa.h"

namespace precedent::internal {
namespace {

// What all automata of a policy may cost: a tenth of a second or so.
constexpr std::int64_t kMostWork = 20'000'000;

constexpr std::size_t kBytes = 8;

// The first bytes as a number: monotone in the text, as texts are ordered by bytes.
std::uint64_t KeyOf(std::string_view text) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < kBytes; ++i)
    key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
  return key;
}

void SetBit(std::uint32_t bit, std::uint64_t* bits) {
  bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

SlowPattern::SlowPattern(std::unique_ptr<RE2> regex, std::uint32_t bit)
    : regex_(std::move(regex)), bit_(bit) {
  std::string least, most;
  if (!regex_->PossibleMatchRange(&least, &most, kBytes)) return;
  least_ = KeyOf(least);
  most_ = KeyOf(most);
}

bool SlowPattern::Matches(std::string_view text) const {
  const std::uint64_t key = KeyOf(text);
  return least_ <= key && key <= most_ &&
         RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

void TextPatterns::Match(std::string_view text, std::uint64_t* bits) const noexcept {
  for (const auto& [word, mask] : alone_) bits[word] &= ~mask;
  for (const PatternDfa& dfa : fast_)
    for (const std::uint32_t bit : dfa.Match(text)) SetBit(bit, bits);
  for (const SlowPattern& pattern : slow_)
    if (pattern.Matches(text)) SetBit(pattern.bit(), bits);
}

class TextPatternsMaker {
 public:
  explicit TextPatternsMaker(const PolicyLimits& limits) : limits_(limits) {}

  std::vector<TextPatterns> Make(const std::vector<PatternUse>& patterns) {
    for (const PatternUse& pattern : patterns) {
      if (pattern.source >= result_.size()) result_.resize(pattern.source + 1);
      if (pattern.alone) MarkAlone(pattern.bit, &result_[pattern.source].alone_);
    }
    // Those of one source stand together.
    const auto all = absl::MakeConstSpan(patterns);
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && all[end].source == all[begin].source) ++end;
      Add(all.subspan(begin, end - begin), &result_[all[begin].source]);
      begin = end;
    }
    return std::move(result_);
  }

 private:
  static void MarkAlone(std::uint32_t bit,
                        std::vector<std::pair<std::uint32_t, std::uint64_t>>* alone) {
    if (alone->empty() || alone->back().first != bit / 64) alone->emplace_back(bit / 64, 0);
    alone->back().second |= std::uint64_t{1} << (bit % 64);
  }

  // Those that are no automata do not keep the others from being one.
  void Add(absl::Span<const PatternUse> patterns, TextPatterns* out) {
    std::vector<const PatternUse*> plain;
    for (const PatternUse& pattern : patterns) {
      PatternNfa nfa;
      if (AddPattern(pattern.regex, pattern.bit, &nfa)) {
        plain.push_back(&pattern);
      } else {
        AddSlow(pattern, out);
      }
    }
    AddPlain(plain, out);
  }

  // One automaton for all, or for each half, down to single patterns.
  void AddPlain(absl::Span<const PatternUse* const> patterns, TextPatterns* out) {
    if (patterns.empty()) return;
    if (budget_ > 0) {
      PatternNfa nfa;
      for (const PatternUse* pattern : patterns) AddPattern(pattern->regex, pattern->bit, &nfa);
      if (std::optional<PatternDfa> dfa = PatternDfa::Make(nfa, &budget_)) {
        out->fast_.push_back(*std::move(dfa));
        return;
      }
    }
    if (patterns.size() == 1) return AddSlow(*patterns[0], out);
    AddPlain(patterns.subspan(0, patterns.size() / 2), out);
    AddPlain(patterns.subspan(patterns.size() / 2), out);
  }

  void AddSlow(const PatternUse& pattern, TextPatterns* out) {
    out->slow_.emplace_back(std::make_unique<RE2>(pattern.regex, PatternOptions(limits_)),
                            pattern.bit);
  }

  const PolicyLimits& limits_;
  std::int64_t budget_ = kMostWork;
  std::vector<TextPatterns> result_;
};

std::vector<TextPatterns> MakeTextPatterns(const std::vector<PatternUse>& patterns,
                                           const PolicyLimits& limits) {
  return TextPatternsMaker(limits).Make(patterns);
}

}  // namespace precedent::internal
