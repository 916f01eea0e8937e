#include "src/json/nesting.h"

#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "src/json/limits.h"

namespace precedent::json {

namespace {

// Index of the quote that ends the string whose first character is at `begin`, or the
// size of the text. A quote after an odd number of backslashes is escaped; the runs of
// two quotes do not overlap, so all counting together is linear.
std::size_t EndOfString(std::string_view text, std::size_t begin) {
  std::size_t from = begin;
  for (;;) {
    const void* quote = std::memchr(text.data() + from, '"', text.size() - from);
    if (quote == nullptr) return text.size();
    const std::size_t at = static_cast<std::size_t>(static_cast<const char*>(quote) - text.data());
    std::size_t backslashes = 0;
    while (at - backslashes > begin && text[at - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return at;
    from = at + 1;
  }
}

}  // namespace

// The parser has the same limit, and memory is bounded by the size of the text alone: a
// pass over every text before it is parsed cost as much as the parser and saved nothing
// that a flat text of that size would not cost too. So this one runs on texts that were
// refused, to say where they are too deep.
absl::Status CheckNesting(std::string_view text) {
  if (text.empty()) return absl::OkStatus();
  if (const void* nul = std::memchr(text.data(), '\0', text.size()); nul != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("byte ",
                                                   static_cast<const char*>(nul) - text.data(),
                                                   " is NUL, which JSON text cannot hold"));
  }
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = EndOfString(text, i + 1);
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) {
        return absl::InvalidArgumentError(absl::StrCat("byte ", i, " opens level ", depth,
                                                       "; arrays and objects may nest ", kMaxDepth,
                                                       " deep"));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return absl::OkStatus();
}

}  // namespace precedent::json
