#include "src/json/writer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace precedent::json {
namespace {

// Whether one of the eight bytes is to be escaped. May be wrong only in saying yes: a
// byte above one that is 0 after the subtraction borrows.
bool NeedsEscape(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHigh = 0x8080808080808080u;
  std::uint64_t word;
  std::memcpy(&word, eight, sizeof(word));
  const auto has_zero = [&](std::uint64_t x) { return (x - kOnes) & ~x & kHigh; };
  const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHigh;
  return (control | has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\'))) != 0;
}

}  // namespace

void AppendString(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  // Most texts need no escape, and then this is one append.
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.size() - i >= 8 && !NeedsEscape(text.data() + i)) {
      i += 7;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out->append(text.data() + done, i - done);
    done = i + 1;
    if (byte < 0x20) {
      out->append("\\u00");
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    } else {
      out->push_back('\\');
      out->push_back(text[i]);
    }
  }
  out->append(text.data() + done, text.size() - done);
  out->push_back('"');
}

void AppendKey(std::string_view key, std::string* out) {
  if (!out->empty() && out->back() != '{' && out->back() != '[') out->push_back(',');
  AppendString(key, out);
  out->push_back(':');
}

void AppendMember(std::string_view key, std::string_view text, std::string* out) {
  AppendKey(key, out);
  AppendString(text, out);
}

}  // namespace precedent::json
