#include "src/policy/detect.h"

#include <algorithm>
#include <cstddef>

#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

// Binary policies begin with a tag and a length, so control bytes come early; a
// stray one far inside a text is better reported by the text's reader.
constexpr std::size_t kBinaryWindow = 64;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool LooksBinary(std::string_view bytes) {
  std::string_view start = bytes.substr(0, kBinaryWindow);
  for (char c : start) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) return true;
  }
  // A character may be cut by the end of the window.
  const std::size_t bad = FindInvalidUtf8(start);
  return bad != start.size() && (start.size() == bytes.size() || bad + 4 <= start.size());
}

void TrimLeft(std::string_view* text) {
  while (!text->empty() && IsSpace(text->front())) text->remove_prefix(1);
}

// What the line says about the format; kDetect: it could be either.
PolicyFormat LineFormat(std::string_view line) {
  if (line.substr(0, 3) == "---" || line.substr(0, 1) == "%") return PolicyFormat::kYaml;
  TrimLeft(&line);
  if (line.substr(0, 2) == "- " || line == "-") return PolicyFormat::kYaml;
  if (line.substr(0, 1) == "\"" || line.substr(0, 1) == "'") return PolicyFormat::kYaml;
  std::size_t word = 0;
  while (word < line.size() && IsWordChar(line[word])) ++word;
  if (word == 0) return PolicyFormat::kDetect;
  line.remove_prefix(word);
  TrimLeft(&line);
  if (line.substr(0, 1) == "{" || line.substr(0, 1) == "<") return PolicyFormat::kText;
  if (line.substr(0, 1) != ":") return PolicyFormat::kDetect;
  line.remove_prefix(1);
  TrimLeft(&line);
  // `stages:` with its value on the next lines, or a bare text.
  if (line.empty() || line[0] == '#' || line[0] == '|' || line[0] == '>')
    return PolicyFormat::kYaml;
  // `name: "a"` can be both, unless a second field follows on the line.
  if (line[0] == '"' || line[0] == '\'') {
    const std::size_t end = line.find(line[0], 1);
    if (end == std::string_view::npos) return PolicyFormat::kDetect;
    line.remove_prefix(end + 1);
    TrimLeft(&line);
    return line.empty() || line[0] == '#' ? PolicyFormat::kDetect : PolicyFormat::kText;
  }
  // `time_zone: Europe/Berlin`: a bare word that is no number and no enum name.
  const std::size_t space = std::min(line.find_first_of(" \t\r#;,{}"), line.size());
  const bool bare = line.substr(0, space).find_first_of("abcdefghijklmnopqrstuvwxyz-/") !=
                    std::string_view::npos;
  std::string_view rest = line.substr(space);
  TrimLeft(&rest);
  if (!rest.empty() && rest[0] != '#' && rest.find(':') != std::string_view::npos)
    return PolicyFormat::kText;
  return bare && line[0] != '-' ? PolicyFormat::kYaml : PolicyFormat::kDetect;
}

}  // namespace

PolicyFormat DetectFormat(std::string_view bytes) {
  std::string_view text = bytes;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return PolicyFormat::kText;
  if (text[first] == '{' || text[first] == '[') return PolicyFormat::kJson;
  if (LooksBinary(bytes)) return PolicyFormat::kBinary;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
    if (!line.empty()) {
      const PolicyFormat format = LineFormat(line);
      if (format != PolicyFormat::kDetect) return format;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return PolicyFormat::kText;
}

}  // namespace precedent::internal
