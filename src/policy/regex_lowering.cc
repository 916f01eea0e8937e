#include "regex_lowering.h"

#include <optional>

namespace precedent::internal {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Groups, classes, counted repeats and escapes with a meaning of their own (\d, \Q)
// are left to RE2; what remains is text, escaped punctuation and `. * + ? ^ $ |`.
bool IsPlain(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      if (i + 1 == pattern.size() || IsAlphanumeric(pattern[i + 1]) ||
          static_cast<unsigned char>(pattern[i + 1]) >= 0x80)
        return false;
      ++i;
    } else if (c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}') {
      return false;
    }
  }
  return true;
}

// `(a|b)` or `^(a|b)$` without its group, if it has one around the whole.
std::string_view WithoutGroup(std::string_view pattern) {
  std::string_view inner = pattern;
  if (!inner.empty() && inner.front() == '^') inner.remove_prefix(1);
  if (inner.size() >= 2 && inner.back() == '$' && inner[inner.size() - 2] == ')')
    inner.remove_suffix(1);
  if (inner.size() < 2 || inner.front() != '(' || inner.back() != ')') return pattern;
  inner.remove_prefix(1);
  inner.remove_suffix(1);
  if (inner.substr(0, 2) == "?:") inner.remove_prefix(2);
  // A `(?i)` or a second group stays in `inner` and is not plain.
  return IsPlain(inner) && (inner.empty() || inner.front() != '?') ? inner : pattern;
}

std::vector<std::string_view> SplitAlternatives(std::string_view pattern) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '|') {
      pieces.push_back(pattern.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  pieces.push_back(pattern.substr(begin));
  return pieces;
}

bool TakeDotStar(std::string_view* piece) {
  // `.*?` and `.*+` are not taken: their last character is no literal.
  if (piece->substr(0, 2) != ".*") return false;
  if (piece->size() > 2 && ((*piece)[2] == '?' || (*piece)[2] == '*' || (*piece)[2] == '+'))
    return false;
  piece->remove_prefix(2);
  return true;
}

// One alternative of the form ^? .*? literal .*? $?; nullopt if it is anything else.
std::optional<LoweredPattern> LowerPiece(std::string_view piece) {
  LoweredPattern result;
  while (!piece.empty() && piece.front() == '^') piece.remove_prefix(1);
  const bool open_begin = TakeDotStar(&piece);
  bool open_end = false;
  while (!piece.empty()) {
    char c = piece.front();
    if (c == '$') {
      // Only as the end: the rest must be nothing but anchors.
      if (piece.find_first_not_of('$') != std::string_view::npos) return std::nullopt;
      break;
    }
    if (c == '.') {
      if (!TakeDotStar(&piece)) return std::nullopt;
      open_end = true;
      if (piece.find_first_not_of('$') != std::string_view::npos) return std::nullopt;
      break;
    }
    if (c == '*' || c == '+' || c == '?' || c == '^') return std::nullopt;
    if (c == '\\') {
      piece.remove_prefix(1);
      c = piece.front();
    }
    piece.remove_prefix(1);
    // A repeat of this character; of a character of several bytes, of its last one.
    if (!piece.empty() && (piece.front() == '*' || piece.front() == '+' || piece.front() == '?'))
      return std::nullopt;
    result.text.push_back(c);
  }
  if (result.text.empty() && (open_begin || open_end)) {
    result.kind = LoweredPattern::kPrefix;  // any text
  } else if (open_begin && open_end) {
    result.kind = LoweredPattern::kContains;
  } else if (open_begin) {
    result.kind = LoweredPattern::kSuffix;
  } else if (open_end) {
    result.kind = LoweredPattern::kPrefix;
  } else {
    result.kind = LoweredPattern::kLiteral;
  }
  return result;
}

}  // namespace

std::vector<LoweredPattern> LowerPattern(std::string_view pattern) {
  const std::vector<LoweredPattern> as_it_is = {
      {LoweredPattern::kRegex, std::string(pattern)}};
  const std::string_view inner = WithoutGroup(pattern);
  if (!IsPlain(inner)) return as_it_is;
  std::vector<LoweredPattern> result;
  for (std::string_view piece : SplitAlternatives(inner)) {
    std::optional<LoweredPattern> lowered = LowerPiece(piece);
    if (!lowered.has_value()) return as_it_is;
    result.push_back(*std::move(lowered));
  }
  return result;
}

}  // namespace precedent::internal
