#include "src/text/json_reader.h"

#include <string>
#include <utility>

#include "src/text/cursor.h"
#include "src/text/unique_keys.h"
#include "src/text/utf8.h"

namespace precedent::internal {
namespace {


// Recursive descent; the depth limit bounds the stack. After the first problem
// every function returns false without going on.
class JsonParser {
 public:
  JsonParser(Cursor cursor, const ReadLimits& limits) : cursor_(cursor), limits_(limits) {}

  Cursor& cursor() { return cursor_; }
  Issue& problem() { return problem_; }

  void SkipSpace() {
    while (!cursor_.done()) {
      const char c = cursor_.peek();
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
      cursor_.Step();
    }
  }

  bool Value(Document* document) {
    document_ = document;
    values_ = 0;
    return Value(&document->root, 0);
  }

  bool Fail(std::string message, std::string hint = {}) {
    problem_ = ProblemAt(cursor_, std::move(message), std::move(hint));
    return false;
  }

 private:
  bool Value(Node* node, std::size_t depth) {
    node->line = cursor_.line;
    node->column = cursor_.column();
    if (++values_ > limits_.values)
      return Fail("more than " + std::to_string(limits_.values) + " values in one document");
    switch (cursor_.peek()) {
      case '{':
        node->kind = Node::Kind::kObject;
        return Object(node, depth);
      case '[':
        node->kind = Node::Kind::kList;
        return List(node, depth);
      case '"':
        node->kind = Node::Kind::kString;
        node->quoted = true;
        return String(&node->text);
      case 't': node->kind = Node::Kind::kBoolean; return Word("true", &node->text);
      case 'f': node->kind = Node::Kind::kBoolean; return Word("false", &node->text);
      case 'n': {
        std::string_view unused;
        return Word("null", &unused);
      }
      default:
        if (cursor_.peek() == '-' || IsDigit(cursor_.peek())) {
          node->kind = Node::Kind::kNumber;
          return Number(&node->text);
        }
        return FailValue();
    }
  }

  bool FailValue() {
    const std::string_view rest = cursor_.text.substr(cursor_.at);
    for (std::string_view name : {"NaN", "Infinity", "+Infinity", "nan", "inf"})
      if (rest.substr(0, name.size()) == name)
        return Fail("`" + std::string(name) + "` is not a number that JSON has");
    return Fail("expected a value and found " + Here(cursor_));
  }

  bool Enter(std::size_t depth) {
    if (depth < limits_.depth) return true;
    return Fail("nested deeper than " + std::to_string(limits_.depth) + " levels");
  }

  bool Object(Node* node, std::size_t depth) {
    if (!Enter(depth)) return false;
    cursor_.Step();
    SkipSpace();
    if (cursor_.peek() == '}') {
      cursor_.Step();
      return true;
    }
    while (true) {
      if (cursor_.peek() != '"')
        return Fail("expected a key in double quotes and found " + Here(cursor_));
      Node member;
      member.key_line = cursor_.line;
      member.key_column = cursor_.column();
      if (!String(&member.key)) return false;
      SkipSpace();
      if (cursor_.peek() != ':')
        return Fail("expected `:` after the key " + Quote(member.key) + " and found " +
                    Here(cursor_));
      cursor_.Step();
      SkipSpace();
      if (!Value(&member, depth + 1)) return false;
      node->children.push_back(std::move(member));
      SkipSpace();
      if (cursor_.peek() == '}') break;
      if (!Comma("`,` or `}`")) return false;
    }
    cursor_.Step();
    if (const Node* twice = FindDuplicateKey(*node)) {
      problem_ = ProblemAt(twice->key_line, twice->key_column,
                           "the key " + Quote(twice->key) + " stands twice in this object");
      return false;
    }
    return true;
  }

  bool List(Node* node, std::size_t depth) {
    if (!Enter(depth)) return false;
    cursor_.Step();
    SkipSpace();
    if (cursor_.peek() == ']') {
      cursor_.Step();
      return true;
    }
    while (true) {
      Node item;
      if (!Value(&item, depth + 1)) return false;
      node->children.push_back(std::move(item));
      SkipSpace();
      if (cursor_.peek() == ']') break;
      if (!Comma("`,` or `]`")) return false;
    }
    cursor_.Step();
    return true;
  }

  bool Comma(const char* expected) {
    if (cursor_.peek() != ',')
      return Fail(std::string("expected ") + expected + " and found " + Here(cursor_));
    cursor_.Step();
    SkipSpace();
    return true;
  }

  bool Word(std::string_view word, std::string_view* text) {
    if (cursor_.text.substr(cursor_.at, word.size()) != word) return FailValue();
    cursor_.at += word.size();
    *text = word == "true" ? "true" : "false";
    return true;
  }

  bool Digits() {
    if (!IsDigit(cursor_.peek())) return Fail("expected a digit and found " + Here(cursor_));
    while (IsDigit(cursor_.peek())) ++cursor_.at;
    return true;
  }

  bool Number(std::string_view* text) {
    const std::size_t start = cursor_.at;
    if (cursor_.peek() == '-') ++cursor_.at;
    if (cursor_.peek() == 'I' || cursor_.peek() == 'N') return FailValue();
    if (cursor_.peek() == '0') {
      ++cursor_.at;
      if (IsDigit(cursor_.peek())) return Fail("a number does not begin with a superfluous `0`");
    } else if (!Digits()) {
      return false;
    }
    if (cursor_.peek() == '.') {
      ++cursor_.at;
      if (!Digits()) return false;
    }
    if (cursor_.peek() == 'e' || cursor_.peek() == 'E') {
      ++cursor_.at;
      if (cursor_.peek() == '+' || cursor_.peek() == '-') ++cursor_.at;
      if (!Digits()) return false;
    }
    *text = document_->store.Keep(cursor_.text.substr(start, cursor_.at - start));
    return true;
  }

  // The decoded string goes to the store; without escapes in one copy.
  bool String(std::string_view* text) {
    cursor_.Step();
    scratch_.clear();
    while (true) {
      const std::size_t start = cursor_.at;
      while (!cursor_.done() && cursor_.peek() != '"' && cursor_.peek() != '\\' &&
             static_cast<unsigned char>(cursor_.peek()) >= 0x20)
        ++cursor_.at;
      const std::string_view plain = cursor_.text.substr(start, cursor_.at - start);
      if (const std::size_t bad = FindInvalidUtf8(plain); bad != plain.size()) {
        cursor_.at = start + bad;
        return Fail("invalid UTF-8: byte " + Here(cursor_));
      }
      if (cursor_.done()) return Fail("the string does not end");
      if (cursor_.peek() == '"') {
        if (scratch_.empty()) {
          *text = document_->store.Keep(plain);
        } else {
          scratch_ += plain;
          *text = document_->store.Keep(scratch_);
        }
        cursor_.Step();
        return true;
      }
      scratch_ += plain;
      if (cursor_.peek() != '\\')
        return Fail("control character " + Here(cursor_) + " in a string", "write it as `\\u00XX`");
      if (!Escape()) return false;
    }
  }

  bool Escape() {
    const Cursor start = cursor_;
    const auto fail_at_start = [&](std::string message) {
      cursor_ = start;
      return Fail(std::move(message));
    };
    cursor_.Step();
    const char c = cursor_.peek();
    constexpr std::string_view kNames = "\"\\/bfnrt", kBytes = "\"\\/\b\f\n\r\t";
    if (c != '\0' && kNames.find(c) != std::string_view::npos) {
      scratch_ += kBytes[kNames.find(c)];
      cursor_.Step();
      return true;
    }
    if (c != 'u') return fail_at_start("unknown escape in a string");
    std::uint32_t rune = 0;
    if (!Hex4(&rune)) return fail_at_start("`\\u` needs four hexadecimal digits");
    if (rune == 0) return fail_at_start("`\\u0000` (NUL) in a string");
    if (rune >= 0xd800 && rune < 0xe000) {
      std::uint32_t low = 0;
      const bool pair = rune < 0xdc00 && cursor_.text.substr(cursor_.at, 2) == "\\u" &&
                        (cursor_.Step(), Hex4(&low)) && low >= 0xdc00 && low < 0xe000;
      if (!pair) return fail_at_start("lone surrogate in a string");
      rune = 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(rune, &scratch_);
    return true;
  }

  // Four hexadecimal digits after the `u` at the cursor.
  bool Hex4(std::uint32_t* value) {
    cursor_.Step();
    for (int i = 0; i < 4; ++i) {
      const char c = cursor_.peek();
      std::uint32_t digit;
      if (IsDigit(c)) {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A' + 10);
      } else {
        return false;
      }
      *value = *value * 16 + digit;
      cursor_.Step();
    }
    return true;
  }

  Cursor cursor_;
  const ReadLimits& limits_;
  Document* document_ = nullptr;
  std::size_t values_ = 0;
  std::string scratch_;
  Issue problem_;
};

bool FailByteOrderMark(JsonParser* parser) {
  if (parser->cursor().text.substr(0, 3) != "\xef\xbb\xbf") return false;
  parser->Fail("the text begins with a byte order mark", "save it as UTF-8 without one");
  return true;
}

// Goes to the next line that begins with `{`: at the cursor or behind it.
void SkipDamage(Cursor* cursor) {
  while (!cursor->done() && !(cursor->at == cursor->line_start && cursor->peek() == '{')) {
    const std::size_t end = cursor->text.find('\n', cursor->at);
    cursor->at = end == std::string_view::npos ? cursor->text.size() : end;
    if (!cursor->done()) cursor->Step();
  }
}

}  // namespace

std::optional<Document> ReadJson(std::string_view bytes, Issue* problem,
                                 const ReadLimits& limits) {
  JsonParser parser(Cursor{bytes}, limits);
  std::optional<Document> document(std::in_place);
  bool ok = !FailByteOrderMark(&parser);
  if (ok) {
    parser.SkipSpace();
    ok = parser.Value(&*document);
  }
  if (ok) {
    parser.SkipSpace();
    if (!parser.cursor().done())
      ok = parser.Fail("expected nothing after the value and found " + Here(parser.cursor()));
  }
  if (ok) return document;
  *problem = std::move(parser.problem());
  return std::nullopt;
}

std::vector<Document> ReadJsonValues(std::string_view bytes, std::vector<Issue>* problems,
                                     const ReadLimits& limits) {
  std::vector<Document> documents;
  JsonParser parser(Cursor{bytes}, limits);
  if (FailByteOrderMark(&parser)) {
    problems->push_back(std::move(parser.problem()));
    return documents;
  }
  for (parser.SkipSpace(); !parser.cursor().done(); parser.SkipSpace()) {
    const Cursor start = parser.cursor();
    Document document;
    if (parser.Value(&document)) {
      documents.push_back(std::move(document));
      continue;
    }
    problems->push_back(std::move(parser.problem()));
    // Where the damage shows only on a later line (a line that was cut off), that
    // line is the next value; at the start of the damaged value itself it is not.
    if (parser.cursor().at == start.at) parser.cursor().Step();
    SkipDamage(&parser.cursor());
  }
  return documents;
}

}  // namespace precedent::internal
