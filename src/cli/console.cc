#include "src/cli/console.h"

#include <cstddef>
#include <utility>

namespace precedent::cli {
namespace {

// Bytes of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf5   ? 0
                             : first >= 0xf0 ? 4
                             : first >= 0xe0 ? 3
                             : first >= 0xc2 ? 2
                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond the last code point.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

bool IsControl(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  // U+0080 to U+009F: terminals take some of them for escape sequences.
  return first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
}

void AppendEscaped(std::string_view bytes, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || IsControl(sequence))
      AppendEscaped(sequence, out);
    else
      out += sequence;
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::size_t Width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return width;
}

std::string Truncate(std::string_view text, std::size_t width) {
  if (Width(text) <= width) return std::string(text);
  const std::size_t keep = width > 3 ? width - 3 : 0;
  std::size_t seen = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) continue;
    if (seen++ == keep) break;
  }
  return std::string(text.substr(0, end)) + std::string("...").substr(0, width);
}

std::string FileLabel(std::string_view file) { return file == "-" ? "<stdin>" : Printable(file); }

void Report(Console& console, const Issue& issue, std::string_view file) {
  console.err << Printable(FormatIssue(issue, FileLabel(file))) << '\n';
}

void Report(Console& console, const std::vector<Issue>& issues, std::string_view file) {
  for (const Issue& issue : issues) Report(console, issue, file);
}

Issue Error(std::string message, int line) {
  Issue issue;
  issue.line = line;
  issue.message = std::move(message);
  return issue;
}

int Fail(Console& console, std::string_view message) {
  console.err << "precedent: " << Printable(message) << '\n';
  return kUsage;
}

}  // namespace precedent::cli
