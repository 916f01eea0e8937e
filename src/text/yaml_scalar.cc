#include "src/text/yaml_scalar.h"

#include <algorithm>

#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool All(std::string_view text, bool (*is)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is);
}

bool OneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Takes the digits in front off `*text` and returns how many there were.
std::size_t TakeDigits(std::string_view* text) {
  std::size_t n = 0;
  while (n < text->size() && IsDigit((*text)[n])) ++n;
  text->remove_prefix(n);
  return n;
}

bool IsNumber(std::string_view text) {
  // The schema has no sign before these.
  if (text.substr(0, 2) == "0x") return text.size() <= 18 && All(text.substr(2), IsHex);
  if (text.substr(0, 2) == "0o") return text.size() <= 24 && All(text.substr(2), IsOctal);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && IsDigit(text[1])) return false;
  std::size_t digits = TakeDigits(&text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    digits += TakeDigits(&text);
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return All(text, IsDigit);
}

}  // namespace

Node::Kind PlainScalarKind(std::string_view text) {
  if (OneOf(text, {"", "~", "null", "Null", "NULL"})) return Node::Kind::kNull;
  if (OneOf(text, {"true", "True", "TRUE", "false", "False", "FALSE"}))
    return Node::Kind::kBoolean;
  return IsNumber(text) ? Node::Kind::kNumber : Node::Kind::kString;
}

bool IsNonFiniteScalar(std::string_view text) {
  if (OneOf(text, {".nan", ".NaN", ".NAN"})) return true;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return OneOf(text, {".inf", ".Inf", ".INF"});
}

}  // namespace precedent::internal
