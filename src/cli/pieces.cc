#include "src/cli/pieces.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(kSpace) == std::string_view::npos;
}

// A lower-case identifier at the start, as field names are; may be empty.
std::string_view Identifier(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && (std::islower(static_cast<unsigned char>(text[n])) ||
                             std::isdigit(static_cast<unsigned char>(text[n])) || text[n] == '_'))
    ++n;
  return text.substr(0, n);
}

std::string_view SkipSpace(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kSpace), text.size()));
}

// The value of `name: value` at the start, quoted or one word; what follows it.
std::string_view AfterValue(std::string_view text) {
  if (text.empty()) return text;
  if (text[0] != '"' && text[0] != '\'')
    return text.substr(std::min(text.find_first_of(kSpace), text.size()));
  std::size_t i = 1;
  while (i < text.size() && text[i] != text[0]) i += text[i] == '\\' ? 2 : 1;
  return text.substr(std::min(i + 1, text.size()));
}

// True where the text cannot be YAML and can be text format: `name {`, two fields in
// a line, or a field at the margin that stands twice. What is left reads the same in
// both. Only lines at the margin count: a script in a YAML block is always indented.
bool LooksLikeText(std::string_view start) {
  std::set<std::string_view> seen;
  while (!start.empty()) {
    const std::string_view line = start.substr(0, start.find('\n'));
    start.remove_prefix(std::min(line.size() + 1, start.size()));
    if (StartsWith(line, "---")) return false;
    const std::string_view name = Identifier(line);
    if (name.empty()) continue;
    std::string_view rest = SkipSpace(line.substr(name.size()));
    if (StartsWith(rest, "{") || StartsWith(rest, "<")) return true;
    if (!StartsWith(rest, ":")) continue;
    if (!seen.insert(name).second) return true;
    rest = SkipSpace(AfterValue(SkipSpace(rest.substr(1))));
    const std::string_view second = Identifier(rest);
    if (!second.empty() && StartsWith(SkipSpace(rest.substr(second.size())), ":")) return true;
  }
  return false;
}

bool IsDocumentMark(std::string_view line) {
  return StartsWith(line, "---") && (line.size() == 3 || kSpace.find(line[3]) != kSpace.npos);
}

}  // namespace

Format DetectFormat(std::string_view file, std::string_view start) {
  for (const std::string_view end : {".json", ".jsonl", ".ndjson"})
    if (EndsWith(file, end)) return Format::kJson;
  for (const std::string_view end : {".yaml", ".yml"})
    if (EndsWith(file, end)) return Format::kYaml;
  for (const std::string_view end : {".txtpb", ".textproto", ".textpb", ".pbtxt"})
    if (EndsWith(file, end)) return Format::kText;
  if (StartsWith(start, "\xef\xbb\xbf")) start.remove_prefix(3);
  const std::string_view text = SkipSpace(start);
  if (StartsWith(text, "{") || StartsWith(text, "[")) return Format::kJson;
  return LooksLikeText(start) ? Format::kText : Format::kYaml;
}

std::optional<Piece> PieceReader::Next() {
  for (;;) {
    if (!has_next_ && !ReadLine()) break;
    if (text_.size() >= piece_bytes_ && EndsBefore(next_)) break;
    if (next_cut_ || text_.size() + next_.size() > max_bytes_) {
      if (std::optional<Piece> piece = TooLarge()) return piece;
      continue;
    }
    text_ += next_;
    Track(next_);
    has_next_ = false;
    ++line_;
  }
  if (!text_.empty()) return TakeText(text_.size(), line_ - first_line_);
  if (!error_.empty()) return Piece{{}, 0, std::exchange(error_, {})};
  return std::nullopt;
}

// The first `lines` of text_, which are `bytes`, as a piece. What is left begins anew.
Piece PieceReader::TakeText(std::size_t bytes, int lines) {
  Piece piece{{}, first_line_, {}};
  if (bytes == text_.size()) {
    piece.text = std::exchange(text_, {});
    depth_ = 0;
  } else {
    piece.text = text_.substr(0, bytes);
    text_.erase(0, bytes);
  }
  first_line_ += lines;
  whole_ = 0;
  whole_lines_ = 0;
  return piece;
}

bool PieceReader::ReadLine() {
  if (ended_) return false;
  next_.clear();
  const absl::StatusOr<bool> more = lines_.ReadLine(&next_, max_bytes_, &next_cut_);
  if (!more.ok()) error_ = std::string(more.status().message());
  has_next_ = more.ok() && *more;
  ended_ = !has_next_;
  return has_next_;
}

// True if a document has ended with text_.
bool PieceReader::EndsBefore(std::string_view line) {
  switch (format_) {
    case Format::kJson:
      return depth_ == 0 || (line_values_ && StartsWith(line, "{"));
    case Format::kYaml:
      return IsDocumentMark(line);
    case Format::kText:
      return false;
  }
  return false;
}

// Follows brackets outside of strings. A string cannot go on in the next line, so
// one that is not closed spoils no more than its own.
void PieceReader::Track(std::string_view line) {
  if (format_ != Format::kJson) return;
  const bool fresh = depth_ == 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '{' || c == '['))
      ++depth_;
    else if (!quoted && (c == '}' || c == ']') && depth_ > 0)
      --depth_;
  }
  if (depth_ != 0) return;
  whole_ = text_.size();
  whole_lines_ = line_ + 1 - first_line_;
  if (!IsBlank(line)) line_values_ = fresh;
}

// The next line does not fit. Empty: it does now, or was read over.
std::optional<Piece> PieceReader::TooLarge() {
  const std::string limit =
      absl::StrCat("a document is larger than the limit of ", max_bytes_ >> 20, " MiB");
  if (format_ == Format::kJson) {
    if (whole_ > 0) return TakeText(whole_, whole_lines_);
    if (line_values_ && !text_.empty() && StartsWith(next_, "{"))
      return TakeText(text_.size(), line_ - first_line_);
    if (text_.empty()) {
      // A line of its own: the next one begins another value.
      has_next_ = false;
      first_line_ = line_ + 1;
      return Piece{{}, line_++, limit};
    }
  }
  Piece piece{{}, first_line_, limit};
  text_.clear();
  if (format_ == Format::kYaml) {
    do ++line_;
    while (ReadLine() && !IsDocumentMark(next_));
  } else {
    ended_ = true;
    has_next_ = false;
  }
  first_line_ = line_;
  return piece;
}

}  // namespace precedent::cli
