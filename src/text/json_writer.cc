#include "src/text/json_writer.h"

#include <cstdint>

#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

// `digits` in a base that is a power of two, as decimal digits. Works on a number
// of any length, for a spelling of a value that no integer type holds is still its
// spelling; quadratic, so only for what is no longer than a person's number.
std::string DecimalDigits(std::string_view digits, unsigned base) {
  std::string decimal = "0";  // least digit first
  for (char c : digits) {
    unsigned carry = IsDigit(c) ? static_cast<unsigned>(c - '0')
                                : static_cast<unsigned>((c | 0x20) - 'a' + 10);
    for (char& d : decimal) {
      carry += static_cast<unsigned>(d - '0') * base;
      d = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry != 0; carry /= 10) decimal += static_cast<char>('0' + carry % 10);
  }
  return {decimal.rbegin(), decimal.rend()};
}

void AppendNumber(std::string_view text, std::string* json) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    if (text[0] == '-') *json += '-';
    text.remove_prefix(1);
  }
  const bool hex = text.substr(0, 2) == "0x";
  if (hex || text.substr(0, 2) == "0o") {
    *json += DecimalDigits(text.substr(2), hex ? 16 : 8);
    return;
  }
  // `.5` gets its zero, `5.` and `5.e1` lose their point.
  if (!text.empty() && text[0] == '.') *json += '0';
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '.' || (i + 1 < text.size() && IsDigit(text[i + 1]))) *json += text[i];
}

void Append(const Node& node, std::string* json) {
  switch (node.kind) {
    case Node::Kind::kNull: *json += "null"; return;
    case Node::Kind::kBoolean: *json += node.text; return;
    case Node::Kind::kNumber: AppendNumber(node.text, json); return;
    case Node::Kind::kString:
    case Node::Kind::kWord: AppendJsonString(node.text, json); return;
    case Node::Kind::kList:
    case Node::Kind::kObject: break;
  }
  const bool object = node.is_object();
  *json += object ? '{' : '[';
  bool first = true;
  for (const Node& child : node.children) {
    if (!first) *json += ',';
    first = false;
    if (object) {
      AppendJsonString(child.key, json);
      *json += ':';
    }
    Append(child, json);
  }
  *json += object ? '}' : ']';
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* json) {
  constexpr char kDigits[] = "0123456789abcdef";
  *json += '"';
  for (char c : text) {
    switch (c) {
      case '"': *json += "\\\""; break;
      case '\\': *json += "\\\\"; break;
      case '\n': *json += "\\n"; break;
      case '\r': *json += "\\r"; break;
      case '\t': *json += "\\t"; break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
          *json += c;
        } else {
          *json += "\\u00";
          *json += kDigits[byte >> 4];
          *json += kDigits[byte & 15];
        }
      }
    }
  }
  *json += '"';
}

std::string WriteJson(const Node& node) {
  std::string json;
  Append(node, &json);
  return json;
}

}  // namespace precedent::internal
