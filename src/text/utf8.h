// UTF-8, as RFC 3629 has it: no surrogates, no overlong forms, nothing above
// U+10FFFF.
#ifndef PRECEDENT_SRC_TEXT_UTF8_H_
#define PRECEDENT_SRC_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace precedent::internal {

// Index of the first byte that is not part of a whole, valid character;
// text.size() if all are.
std::size_t FindInvalidUtf8(std::string_view text);

inline bool IsUtf8(std::string_view text) { return FindInvalidUtf8(text) == text.size(); }

// REQUIRES: `rune` is a Unicode scalar value.
void AppendUtf8(std::uint32_t rune, std::string* text);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_UTF8_H_
