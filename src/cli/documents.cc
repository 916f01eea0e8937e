#include "src/cli/documents.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/console.h"
#include "src/text/json_reader.h"
#include "src/text/textproto_reader.h"
#include "src/text/yaml_reader.h"

namespace precedent::cli {
namespace {

// Enough to tell the format and to see that a file is not one of objects.
constexpr std::size_t kStartBytes = 64 << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Recursion is bounded by ReadLimits::depth.
void ShiftLines(internal::Node& node, std::uint32_t lines) {
  node.line += lines;
  if (node.key_line != 0) node.key_line += lines;
  for (internal::Node& child : node.children) ShiftLines(child, lines);
}

// Takes the next line from `text`, without its end.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

// One object a line, by most of the lines: the others are damaged. In any other layout
// hardly a line is an object at the margin.
bool IsLineByLine(std::string_view text) {
  std::size_t lines = 0;
  std::size_t objects = 0;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    lines += !line.empty();
    objects += !line.empty() && line.front() == '{' && line.back() == '}';
  }
  return objects > 0 && objects * 2 >= lines;
}

// Reads each line by itself, so that a value that is cut off does not take the next
// line with it.
std::vector<internal::Document> ReadJsonLines(std::string_view text, std::vector<Issue>* issues) {
  std::vector<internal::Document> documents;
  for (std::uint32_t before = 0; !text.empty(); ++before) {
    const std::string_view line = TakeLine(text);
    if (line.empty()) continue;
    Issue problem;
    if (std::optional<internal::Document> document = internal::ReadJson(line, &problem)) {
      ShiftLines(document->root, before);
      documents.push_back(*std::move(document));
    } else {
      problem.line += static_cast<int>(before);
      issues->push_back(std::move(problem));
    }
  }
  return documents;
}

std::vector<internal::Document> Parse(const Piece& piece, Format format,
                                      std::vector<Issue>* issues) {
  std::string_view text = piece.text;
  if (piece.line == 1 && text.substr(0, 3) == kByteOrderMark) text.remove_prefix(3);
  switch (format) {
    case Format::kJson:
      return IsLineByLine(text) ? ReadJsonLines(text, issues)
                                : internal::ReadJsonValues(text, issues);
    case Format::kYaml:
      return internal::ReadYaml(text, issues);
    case Format::kText:
      break;
  }
  std::vector<internal::Document> documents;
  internal::Document document = internal::ReadTextProto(text, issues);
  // With a syntax error the tree has holes, and would be an invalid job only by luck.
  if (!HasErrors(*issues) && !document.root.children.empty())
    documents.push_back(std::move(document));
  return documents;
}

// What can be said before the file is read, which may be long; empty if nothing.
std::string Refusal(std::string_view start, Format format, bool takes_lists) {
  if (start.find('\0') != std::string_view::npos)
    return "is not text: expected YAML, JSON or protobuf text format";
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (!takes_lists && format == Format::kJson && first != std::string_view::npos && start[first] == '[')
    return "holds a JSON list: give one object, one object per line, or an object of kind `List`";
  return "";
}

}  // namespace

void ReadDocuments(const std::string& file, const DocumentSink& sink, std::size_t max_bytes) {
  absl::StatusOr<LineReader> lines = LineReader::Open(file);
  if (!lines.ok()) return sink.issue(Error(std::string(lines.status().message())));
  ReadDocuments(*std::move(lines), file, sink, max_bytes);
}

void ReadDocuments(LineReader lines, const std::string& file, const DocumentSink& sink,
                   std::size_t max_bytes) {
  const absl::StatusOr<std::string_view> start = lines.Peek(kStartBytes);
  if (!start.ok()) return sink.issue(Error(std::string(start.status().message())));
  if (start->empty()) return sink.issue(Error("is empty"));
  const Format format = DetectFormat(file, *start);
  if (std::string refusal = Refusal(*start, format, sink.takes_lists); !refusal.empty())
    return sink.issue(Error(std::move(refusal), 1));

  bool any = false;
  PieceReader pieces(std::move(lines), format, max_bytes);
  while (const std::optional<Piece> piece = pieces.Next()) {
    if (!piece->error.empty()) {
      sink.issue(Error(piece->error, piece->line));
      any = true;
      continue;
    }
    const auto before = static_cast<std::uint32_t>(piece->line - 1);
    std::vector<Issue> issues;
    std::vector<internal::Document> documents = Parse(*piece, format, &issues);
    for (Issue& issue : issues) {
      if (issue.line > 0) issue.line += static_cast<int>(before);
      sink.issue(issue);
    }
    for (internal::Document& document : documents) {
      ShiftLines(document.root, before);
      sink.document(document.root, format);
    }
    any = any || !issues.empty() || !documents.empty();
  }
  if (!any) sink.issue(Error("holds nothing but comments or white space"));
}

}  // namespace precedent::cli
