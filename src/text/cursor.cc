#include "src/text/cursor.h"

#include <algorithm>

#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

std::string Hex(unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

std::string Here(const Cursor& cursor) {
  if (cursor.done()) return "the end";
  const std::string_view rest = cursor.text.substr(cursor.at, 4);
  const auto first = static_cast<unsigned char>(rest[0]);
  if (first < 0x20 || first == 0x7f) return first == '\n' ? "the end of the line" : Hex(first);
  std::size_t length = 1;
  while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xc0u) == 0x80u)
    ++length;
  if (!IsUtf8(rest.substr(0, length))) return Hex(first);
  return Quote(rest.substr(0, length));
}

bool FindBadByte(std::string_view text, Issue* problem) {
  const std::size_t nul = text.find('\0');
  const std::size_t bad = FindInvalidUtf8(text.substr(0, nul));
  const std::size_t at = std::min(nul, bad);
  if (at >= text.size()) return false;
  const std::string_view before = text.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t line_start = line_end == std::string_view::npos ? 0 : line_end + 1;
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  std::string message = text[at] == '\0'
                            ? "NUL byte"
                            : "invalid UTF-8: byte " + Hex(static_cast<unsigned char>(text[at]));
  *problem = ProblemAt(static_cast<std::uint32_t>(line),
                       static_cast<std::uint32_t>(at - line_start + 1), std::move(message),
                       "texts are UTF-8");
  return true;
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = text.size();
  if (length > kLongest) {
    length = kLongest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u) --length;
  }
  std::string quoted = "`";
  for (std::size_t i = 0; i < length; ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    // C0 and DEL, C1 (0xc2 0x80 to 0x9f), line and paragraph separators and the
    // characters that turn the direction of writing (U+2028 to U+202E, U+2066 to
    // U+2069): a message is one line and shows what is there.
    const bool control = byte < 0x20 || byte == 0x7f;
    const bool c1 = byte == 0xc2 && i + 1 < length &&
                    static_cast<unsigned char>(text[i + 1]) < 0xa0;
    bool separator = false;
    if (byte == 0xe2 && i + 2 < length) {
      const auto second = static_cast<unsigned char>(text[i + 1]);
      const auto third = static_cast<unsigned char>(text[i + 2]);
      separator = (second == 0x80 && third >= 0xa8 && third <= 0xae) ||
                  (second == 0x81 && third >= 0xa6 && third <= 0xa9);
    }
    if (control || c1 || separator || c == '`') {
      quoted += c == '`' ? '\'' : '?';
      if (c1) i += 1;
      if (separator) i += 2;
    } else {
      quoted += c;
    }
  }
  if (length < text.size()) quoted += "...";
  quoted += '`';
  return quoted;
}

}  // namespace precedent::internal
