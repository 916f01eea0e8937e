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

std::string Harmless(std::string_view text) {
  std::string harmless;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
    };
    std::size_t length = 1;
    bool harm = byte(0) < 0x20 || byte(0) == 0x7f;
    if (byte(0) == 0xc2 && byte(1) < 0xa0) {  // C1
      harm = true;
      length = 2;
    } else if (byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                                   (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9))) {
      harm = true;  // U+2028 to U+202E, U+2066 to U+2069
      length = 3;
    }
    if (harm) {
      harmless += '?';
      i += length - 1;
    } else {
      harmless += text[i];
    }
  }
  return harmless;
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = text.size();
  if (length > kLongest) {
    length = kLongest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u) --length;
  }
  std::string quoted = Harmless(text.substr(0, length));
  std::replace(quoted.begin(), quoted.end(), '`', '\'');
  return '`' + quoted + (length < text.size() ? "...`" : "`");
}

}  // namespace precedent::internal
