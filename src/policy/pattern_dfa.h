// Many regular expressions at once: one look at each byte of a text.
#ifndef PRECEDENT_SRC_POLICY_PATTERN_DFA_H_
#define PRECEDENT_SRC_POLICY_PATTERN_DFA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "src/policy/pattern_nfa.h"

namespace precedent::internal {

class PatternDfa {
 public:
  // Nothing if it would have more than 4096 states or the work is more than *budget,
  // which is what is left of a bound on the work for a policy; a step is some
  // nanoseconds.
  static std::optional<PatternDfa> Make(const PatternNfa& nfa, std::int64_t* budget);

  // The numbers of the patterns that match the whole of `text`. Takes no lock and
  // allocates nothing; linear in the text.
  absl::Span<const std::uint32_t> Match(std::string_view text) const noexcept {
    std::size_t state = start_;
    for (const char c : text) {
      state = next_[state << shift_ | columns_[static_cast<unsigned char>(c)]];
      if (state == kDead) return {};
    }
    return absl::MakeConstSpan(matched_).subspan(ends_[state], ends_[state + 1] - ends_[state]);
  }

 private:
  friend class DfaWriter;
  static constexpr std::size_t kDead = 0;

  std::array<std::uint8_t, 256> columns_{};  // of next_; bytes that nothing tells apart have one
  std::uint32_t shift_ = 0;
  std::size_t start_ = 0;
  std::vector<std::uint16_t> next_;     // by state and column
  std::vector<std::uint32_t> ends_;     // by state: where its part of matched_ begins
  std::vector<std::uint32_t> matched_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_PATTERN_DFA_H_
