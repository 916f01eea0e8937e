#include "src/json/scanner.h"

#include "src/json/document.h"

namespace precedent::json {
namespace {

// Whether the JSON string stands for `key`. Few do: what differs before the first escape
// is not decoded.
bool Spells(std::string_view string, std::string_view key) {
  if (string.size() < 2) return false;
  const std::string_view inside = string.substr(1, string.size() - 2);
  const std::size_t plain = inside.find('\\');
  if (plain == std::string_view::npos) return inside == key;
  return inside.substr(0, plain) == key.substr(0, plain) && DecodeString(string) == key;
}

// Moves from a value to the member or the item of it that `step` names.
bool Enter(const PathStep& step, Scanner& scan) {
  const bool object = step.index == PathStep::kNoIndex;
  if (!scan.Take(object ? '{' : '[')) return false;
  for (std::size_t index = 0; !scan.Ended(); ++index) {
    scan.SkipSpace();
    if (object) {
      const std::size_t begin = scan.at();
      scan.SkipString();
      const std::string_view name = scan.From(begin);
      scan.SkipSpace();
      if (!scan.Take(':')) return false;
      scan.SkipSpace();
      if (Spells(name, step.key)) return true;
    } else if (index == step.index) {
      return true;
    }
    scan.SkipValue();
    scan.SkipSpace();
    if (!scan.Take(',')) return false;
  }
  return false;
}

bool Go(const PathStep* place, Scanner& scan) {
  if (place == nullptr) {
    scan.SkipSpace();
    return true;
  }
  return Go(place->parent, scan) && Enter(*place, scan);
}

}  // namespace

std::string DecodeString(std::string_view string) {
  if (string.find('\\') != std::string_view::npos) {
    const auto document = Document::Parse(string);
    if (document.ok()) return std::string((*document)->root().String().value_or(string));
  }
  return std::string(string.size() < 2 ? string : string.substr(1, string.size() - 2));
}

std::optional<std::string_view> FindText(std::string_view text, const PathStep* place) {
  Scanner scan(text);
  if (!Go(place, scan)) return std::nullopt;
  const std::size_t begin = scan.at();
  scan.SkipValue();
  return scan.From(begin);
}

}  // namespace precedent::json
