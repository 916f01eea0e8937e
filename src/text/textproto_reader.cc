#include "src/text/textproto_reader.h"

#include <string>
#include <utility>

#include "src/text/cursor.h"
#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Recursive descent; the depth limit bounds the stack. A function that returns false
// has reported a problem, and its caller skips to where reading can go on.
class TextParser {
 public:
  TextParser(std::string_view bytes, std::vector<Issue>* problems, const ReadLimits& limits)
      : cursor_{bytes}, limits_(limits), problems_(problems) {}

  Document Run() {
    Document document;
    document_ = &document;
    document.root.kind = Node::Kind::kObject;
    document.root.line = document.root.column = 1;
    SkipSpace();
    Fields(&document.root, '\0', 0);
    return document;
  }

 private:
  static constexpr std::size_t kMostProblems = 20;

  bool Fail(const Cursor& at, std::string message, std::string hint = {}) {
    if (++failures_ <= kMostProblems)
      problems_->push_back(ProblemAt(at, std::move(message), std::move(hint)));
    if (failures_ >= kMostProblems) cursor_.at = cursor_.text.size();
    return false;
  }
  // For what makes reading on pointless.
  bool FailForGood(std::string message) {
    Fail(cursor_, std::move(message));
    failures_ = kMostProblems;
    cursor_.at = cursor_.text.size();
    return false;
  }

  void SkipSpace() {
    while (!cursor_.done()) {
      const char c = cursor_.peek();
      if (c == '#') {
        const std::size_t end = cursor_.text.find('\n', cursor_.at);
        cursor_.at = end == std::string_view::npos ? cursor_.text.size() : end;
      } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
        cursor_.Step();
      } else {
        return;
      }
    }
  }

  // Fields up to `close`, which it takes, or to the end where that is NUL.
  bool Fields(Node* node, char close, std::size_t depth) {
    const Cursor start = cursor_;
    while (true) {
      if (cursor_.done()) {
        if (close == '\0') return true;
        if (failures_ >= kMostProblems) return false;
        return Fail(cursor_, std::string("expected `") + close + "` and found the end",
                    "the message begins in line " + std::to_string(start.line));
      }
      if (cursor_.peek() == close) {
        cursor_.Step();
        SkipSpace();
        return true;
      }
      const std::size_t before = cursor_.at;
      if (!Field(node, depth)) Resume(before);
      if (cursor_.peek() == ',' || cursor_.peek() == ';') {
        cursor_.Step();
        SkipSpace();
      }
    }
  }

  // After a problem: past the rest of the line, unless the message ends before.
  void Resume(std::size_t field_start) {
    while (!cursor_.done() && cursor_.peek() != '\n' && cursor_.peek() != '}') cursor_.Step();
    SkipSpace();
    // A `}` that closes nothing that is open here would be met for ever.
    if (cursor_.peek() == '}' && (depth_ == 0 || cursor_.at == field_start)) {
      cursor_.Step();
      SkipSpace();
    }
  }

  bool Field(Node* node, std::size_t depth) {
    Node member;
    member.key_line = cursor_.line;
    member.key_column = cursor_.column();
    if (cursor_.peek() == '[')
      return Fail(cursor_, "expected a field name and found `[`", "extensions are not read");
    const Cursor start = cursor_;
    if (!IsLetter(cursor_.peek()))
      return Fail(cursor_, "expected a field name and found " + Here(cursor_));
    member.key = Identifier();
    SkipSpace();
    const bool colon = cursor_.peek() == ':';
    if (colon) {
      cursor_.Step();
      SkipSpace();
    }
    const char c = cursor_.peek();
    if (!colon && c != '{' && c != '<')
      return Fail(start, "expected `:` or `{` after " + Quote(member.key) + " and found " +
                             Here(cursor_));
    if (!Value(&member, depth)) {
      // What could be read of a message is kept, so that it is checked as well.
      if (member.is_object()) node->children.push_back(std::move(member));
      return false;
    }
    node->children.push_back(std::move(member));
    return true;
  }

  std::string_view Identifier() {
    const std::size_t start = cursor_.at;
    while (IsLetter(cursor_.peek()) || IsDigit(cursor_.peek())) ++cursor_.at;
    return document_->store.Keep(cursor_.text.substr(start, cursor_.at - start));
  }

  bool Value(Node* node, std::size_t depth) {
    node->line = cursor_.line;
    node->column = cursor_.column();
    if (++values_ > limits_.values)
      return FailForGood("more than " + std::to_string(limits_.values) + " values in one document");
    const char c = cursor_.peek();
    if (c == '{' || c == '<' || c == '[') {
      if (depth >= limits_.depth)
        return FailForGood("nested deeper than " + std::to_string(limits_.depth) + " levels");
      cursor_.Step();
      SkipSpace();
      ++depth_;
      node->kind = c == '[' ? Node::Kind::kList : Node::Kind::kObject;
      const bool ok = c == '[' ? Items(node, depth + 1)
                               : Fields(node, c == '{' ? '}' : '>', depth + 1);
      --depth_;
      return ok;
    }
    if (c == '"' || c == '\'') return String(node);
    if (IsLetter(c)) {
      node->kind = Node::Kind::kWord;
      node->text = Identifier();
      SkipSpace();
      return true;
    }
    if (IsDigit(c) || c == '.' || c == '-') return Number(node);
    return Fail(cursor_, "expected a value and found " + Here(cursor_));
  }

  bool Items(Node* node, std::size_t depth) {
    if (cursor_.peek() == ']') {
      cursor_.Step();
      SkipSpace();
      return true;
    }
    while (true) {
      if (cursor_.peek() == '[') return Fail(cursor_, "a list stands in a list");
      Node item;
      if (!Value(&item, depth)) return false;
      node->children.push_back(std::move(item));
      const char c = cursor_.peek();
      if (c != ',' && c != ']')
        return Fail(cursor_, "expected `,` or `]` and found " + Here(cursor_));
      cursor_.Step();
      SkipSpace();
      if (c == ']') return true;
    }
  }

  // The spelling goes into the tree; whether it fits the field, FillMessage says.
  bool Number(Node* node) {
    const Cursor start = cursor_;
    node->kind = Node::Kind::kNumber;
    std::string spelling;
    if (cursor_.peek() == '-') {
      spelling = "-";
      cursor_.Step();
      SkipSpace();
      if (IsLetter(cursor_.peek())) {  // -inf, -nan
        node->kind = Node::Kind::kWord;
        spelling += Identifier();
        node->text = document_->store.Keep(spelling);
        SkipSpace();
        return true;
      }
    }
    const std::size_t first = cursor_.at;
    while (IsLetter(cursor_.peek()) || IsDigit(cursor_.peek()) || cursor_.peek() == '.' ||
           ((cursor_.peek() == '-' || cursor_.peek() == '+') && cursor_.at > first &&
            (cursor_.text[cursor_.at - 1] | 0x20) == 'e' &&
            cursor_.text.substr(first, 2) != "0x"))
      ++cursor_.at;
    const std::string_view digits = cursor_.text.substr(first, cursor_.at - first);
    if (!IsNumber(digits)) return Fail(start, Quote(digits) + " is not a number");
    spelling += digits;
    // `1.5f` is C's spelling of 1.5.
    if ((spelling.back() | 0x20) == 'f' && digits.substr(0, 2) != "0x") spelling.pop_back();
    node->text = document_->store.Keep(spelling);
    SkipSpace();
    return true;
  }

  static bool IsNumber(std::string_view text) {
    if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") {
      text.remove_prefix(2);
      for (char c : text)
        if (HexValue(c) < 0) return false;
      return !text.empty();
    }
    std::size_t digits = 0, i = 0;
    for (; i < text.size() && IsDigit(text[i]); ++i) ++digits;
    if (i < text.size() && text[i] == '.')
      for (++i; i < text.size() && IsDigit(text[i]); ++i) ++digits;
    if (digits == 0) return false;
    if (i < text.size() && (text[i] | 0x20) == 'e') {
      if (++i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
      const std::size_t start = i;
      while (i < text.size() && IsDigit(text[i])) ++i;
      if (i == start) return false;
    }
    if (i < text.size() && (text[i] | 0x20) == 'f') ++i;
    return i == text.size();
  }

  // One or more strings; neighbours are one text.
  bool String(Node* node) {
    const Cursor start = cursor_;
    node->kind = Node::Kind::kString;
    node->quoted = true;
    scratch_.clear();
    while (cursor_.peek() == '"' || cursor_.peek() == '\'') {
      const Cursor quote = cursor_;
      cursor_.Step();
      while (cursor_.peek() != quote.peek()) {
        if (cursor_.done() || cursor_.peek() == '\n')
          return Fail(quote, "the string does not end on its line");
        if (cursor_.peek() == '\\') {
          if (!Escape()) return false;
        } else {
          scratch_ += cursor_.peek();
          cursor_.Step();
        }
      }
      cursor_.Step();
      SkipSpace();
    }
    if (scratch_.find('\0') != std::string::npos) return Fail(start, "NUL in a string");
    if (!IsUtf8(scratch_)) return Fail(start, "the string is not UTF-8");
    node->text = document_->store.Keep(scratch_);
    return true;
  }

  bool Escape() {
    const Cursor start = cursor_;
    cursor_.Step();
    const char c = cursor_.peek();
    constexpr std::string_view kNames = "abfnrtv\\'\"?", kBytes = "\a\b\f\n\r\t\v\\'\"?";
    if (c != '\0' && kNames.find(c) != std::string_view::npos) {
      scratch_ += kBytes[kNames.find(c)];
      cursor_.Step();
      return true;
    }
    if (IsOctal(c)) {
      unsigned value = 0;
      for (int i = 0; i < 3 && IsOctal(cursor_.peek()); ++i, cursor_.Step())
        value = value * 8 + static_cast<unsigned>(cursor_.peek() - '0');
      if (value > 255) return Fail(start, "octal escape above `\\377`");
      scratch_ += static_cast<char>(value);
      return true;
    }
    if (c == 'x' || c == 'X') {
      cursor_.Step();
      std::uint32_t value = 0;
      if (!Hex(1, 2, &value)) return Fail(start, "`\\x` needs hexadecimal digits");
      scratch_ += static_cast<char>(value);
      return true;
    }
    if (c == 'u' || c == 'U') {
      cursor_.Step();
      const int digits = c == 'u' ? 4 : 8;
      std::uint32_t rune = 0;
      if (!Hex(digits, digits, &rune) || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000))
        return Fail(start, std::string("`\\") + c + "` needs " + std::to_string(digits) +
                               " hexadecimal digits of a character");
      AppendUtf8(rune, &scratch_);
      return true;
    }
    return Fail(start, "unknown escape in a string");
  }

  bool Hex(int least, int most, std::uint32_t* value) {
    int digits = 0;
    for (; digits < most && HexValue(cursor_.peek()) >= 0; ++digits, cursor_.Step())
      *value = *value * 16 + static_cast<std::uint32_t>(HexValue(cursor_.peek()));
    return digits >= least;
  }

  Cursor cursor_;
  const ReadLimits& limits_;
  std::vector<Issue>* problems_;
  Document* document_ = nullptr;
  std::size_t failures_ = 0;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  std::string scratch_;
};

}  // namespace

Document ReadTextProto(std::string_view bytes, std::vector<Issue>* problems,
                       const ReadLimits& limits) {
  Issue problem;
  if (FindBadByte(bytes, &problem)) {
    problems->push_back(std::move(problem));
    return {};
  }
  return TextParser(bytes, problems, limits).Run();
}

}  // namespace precedent::internal
