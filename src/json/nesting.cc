#include "src/json/nesting.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "src/json/limits.h"

namespace precedent::json {

// The parser has a depth limit of its own. This pass comes before it because the
// parser first allocates some 15 bytes for each byte of text and indexes all of it.
absl::Status CheckNesting(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') {
      return absl::InvalidArgumentError(
          absl::StrCat("byte ", i, " is NUL, which JSON text cannot hold"));
    }
    if (in_string) {
      if (c == '"') {
        in_string = false;
      } else if (c == '\\' && i + 1 < text.size() && text[i + 1] != '\0') {
        ++i;  // the escaped character ends no string
      }
      continue;
    }
    if (c == '"') {
      in_string = true;
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
