#include "src/text/utf8.h"

#include <cstring>

namespace precedent::internal {
namespace {

// Bytes of the character at `i`, 0 if it is not a valid one.
std::size_t CharacterLength(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xc0u) == 0x80u; };
  const unsigned first = byte(i);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return follows(i + 1) ? 2 : 0;
  const unsigned second = byte(i + 1);
  if (first < 0xf0) {
    if (!follows(i + 1) || !follows(i + 2)) return 0;
    if (first == 0xe0 && second < 0xa0) return 0;
    if (first == 0xed && second > 0x9f) return 0;
    return 3;
  }
  if (first > 0xf4 || !follows(i + 1) || !follows(i + 2) || !follows(i + 3)) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return 4;
}

}  // namespace

std::size_t FindInvalidUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Most text is ASCII: eight bytes at a time.
    std::uint64_t word;
    if (text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const std::size_t length = CharacterLength(text, i);
    if (length == 0) return i;
    i += length;
  }
  return i;
}

void AppendUtf8(std::uint32_t rune, std::string* text) {
  const auto append = [text](std::uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (rune < 0x80) {
    append(rune);
  } else if (rune < 0x800) {
    append(0xc0 | rune >> 6);
    append(0x80 | (rune & 0x3f));
  } else if (rune < 0x10000) {
    append(0xe0 | rune >> 12);
    append(0x80 | (rune >> 6 & 0x3f));
    append(0x80 | (rune & 0x3f));
  } else {
    append(0xf0 | rune >> 18);
    append(0x80 | (rune >> 12 & 0x3f));
    append(0x80 | (rune >> 6 & 0x3f));
    append(0x80 | (rune & 0x3f));
  }
}

}  // namespace precedent::internal
