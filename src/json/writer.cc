#include "src/json/writer.h"

namespace precedent::json {

void AppendString(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (byte < 0x20) {
      out->append("\\u00");
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
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
