#include "src/text/yaml_reader.h"

#include "src/text/cursor.h"

#ifdef PRECEDENT_HAVE_YAML

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/text/unique_keys.h"
#include "src/text/yaml_scalar.h"

namespace precedent::internal {
namespace {

// yaml-cpp reports by exceptions and an event handler can stop it only by one: this
// one, which never leaves ReadYaml.
struct Stop {
  Issue problem;
};

// Builds the tree of one document from yaml-cpp's events. Events and not YAML::Load,
// because that loses quoting and duplicate keys and expands aliases without limit.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::uint32_t lines_before, const ReadLimits& limits)
      : lines_before_(lines_before), limits_(limits) {}

  const std::optional<Issue>& key_problem() const { return key_problem_; }
  std::optional<Document> TakeDocument() { return std::exchange(document_, std::nullopt); }

  void OnDocumentStart(const YAML::Mark&) override {
    document_.emplace();
    open_.clear();
    anchors_.clear();
    values_ = aliased_ = 0;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Attach(NewNode(Node::Kind::kNull, mark), anchor, 1, 0);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) Fail(mark, "an alias stands inside of what it names");
    Node place;
    place.line = Line(mark);
    place.column = Column(mark);
    CountAliased(place, found->second.values);
    if (open_.size() + found->second.depth > limits_.depth) FailDepth(mark);
    Node node = found->second.node;
    // The copied levels count for what the alias stands in, which may be anchored too.
    if (!open_.empty())
      open_.back().depth = std::max(open_.back().depth, found->second.depth + 1);
    node.line = place.line;
    node.column = place.column;
    Attach(std::move(node), YAML::NullAnchor, 1, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = NewNode(Node::Kind::kString, mark);
    const bool plain = tag == "?" || tag.empty();
    node.quoted = tag == "!";
    node.kind = plain ? PlainScalarKind(value) : node.quoted ? Node::Kind::kString
                                                             : TaggedKind(mark, tag, value);
    if (plain && IsNonFiniteScalar(value))
      Fail(mark, Quote(value) + " is not a finite number", "quote it if it is a text");
    if (node.kind == Node::Kind::kBoolean) {
      node.text = value[0] == 't' || value[0] == 'T' ? "true" : "false";
    } else if (node.kind != Node::Kind::kNull) {
      node.text = document_->store.Keep(value);
    }
    Attach(std::move(node), anchor, 1, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    CheckTag(mark, tag, "seq");
    Open(NewNode(Node::Kind::kList, mark), mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    CheckTag(mark, tag, "map");
    Open(NewNode(Node::Kind::kObject, mark), mark, anchor);
  }
  void OnMapEnd() override {
    if (const Node* twice = FindDuplicateKey(open_.back().node))
      throw Stop{ProblemAt(twice->key_line, twice->key_column,
                           "the key " + Quote(twice->key) + " stands twice in this mapping")};
    Close();
  }

 private:
  // A list or mapping that has begun. In a mapping a key waits for its value.
  struct OpenNode {
    Node node;
    YAML::anchor_t anchor;
    std::size_t values_before;
    std::size_t depth = 1;  // levels in it, itself included
    bool has_key = false;
    Node key;  // only its key fields are used
  };
  // What an alias copies.
  struct Anchored {
    Node node;
    std::size_t values;
    std::size_t depth;
  };

  std::uint32_t Line(const YAML::Mark& mark) const {
    return lines_before_ + static_cast<std::uint32_t>(mark.line) + 1;
  }
  static std::uint32_t Column(const YAML::Mark& mark) {
    return static_cast<std::uint32_t>(mark.column) + 1;
  }

  [[noreturn]] void Fail(const YAML::Mark& mark, std::string message, std::string hint = {}) {
    throw Stop{ProblemAt(Line(mark), Column(mark), std::move(message), std::move(hint))};
  }
  [[noreturn]] void FailDepth(const YAML::Mark& mark) {
    Fail(mark, "nested deeper than " + std::to_string(limits_.depth) + " levels");
  }

  Node NewNode(Node::Kind kind, const YAML::Mark& mark) {
    if (++values_ > limits_.values)
      Fail(mark, "more than " + std::to_string(limits_.values) + " values in one document");
    Node node;
    node.kind = kind;
    node.line = Line(mark);
    node.column = Column(mark);
    return node;
  }

  // Copies made for anchors and aliases: a few lines of nested aliases stand for
  // billions of values.
  void CountAliased(const Node& node, std::size_t values) {
    aliased_ += values;
    if (aliased_ > limits_.alias_values)
      throw Stop{ProblemAt(node.line, node.column,
                           "anchors and aliases stand for more than " +
                               std::to_string(limits_.alias_values) + " values")};
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag, const std::string& own) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:" + own)
      Fail(mark, "the tag " + Quote(tag) + " does not fit here");
  }

  Node::Kind TaggedKind(const YAML::Mark& mark, const std::string& tag,
                        const std::string& value) {
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    const std::string_view name =
        tag.compare(0, kCore.size(), kCore) == 0 ? std::string_view(tag).substr(kCore.size()) : "";
    if (name == "str") return Node::Kind::kString;
    const Node::Kind kind = PlainScalarKind(value);
    const bool fits = (name == "int" && kind == Node::Kind::kNumber &&
                       value.find_first_of(".eE") == std::string::npos) ||
                      (name == "float" && kind == Node::Kind::kNumber) ||
                      (name == "bool" && kind == Node::Kind::kBoolean) ||
                      (name == "null" && kind == Node::Kind::kNull);
    if (!fits) Fail(mark, "the tag " + Quote(tag) + " does not fit " + Quote(value));
    return kind;
  }

  void Open(Node node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= limits_.depth) FailDepth(mark);
    open_.push_back({std::move(node), anchor, values_ + aliased_, 1, false, {}});
  }

  void Close() {
    OpenNode closed = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, closed.depth + 1);
    Attach(std::move(closed.node), closed.anchor,
           values_ + aliased_ - closed.values_before + 1, closed.depth);
  }

  // Kept until the document ends: of text that is cut off yaml-cpp makes odd keys
  // before it says what is wrong.
  void RefuseKey(const Node& node) {
    if (key_problem_) return;
    key_problem_ = ProblemAt(node.line, node.column,
                             "a key is a string, and this one is " +
                                 std::string(KindName(node.kind)),
                             node.is_list() || node.is_object() ? "" : "quote it");
  }

  void Attach(Node node, YAML::anchor_t anchor, std::size_t values, std::size_t depth) {
    if (anchor != YAML::NullAnchor) {
      CountAliased(node, values);
      anchors_[anchor] = {node, values, depth};
    }
    if (open_.empty()) {
      document_->root = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.is_list()) {
      parent.node.children.push_back(std::move(node));
    } else if (!parent.has_key) {
      if (!node.is_string()) RefuseKey(node);
      parent.key.key = node.text;
      parent.key.key_line = node.line;
      parent.key.key_column = node.column;
      parent.has_key = true;
    } else {
      node.key = parent.key.key;
      node.key_line = parent.key.key_line;
      node.key_column = parent.key.key_column;
      parent.node.children.push_back(std::move(node));
      parent.has_key = false;
    }
  }

  const std::uint32_t lines_before_;
  const ReadLimits& limits_;
  std::optional<Document> document_;
  std::optional<Issue> key_problem_;
  std::vector<OpenNode> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t values_ = 0;
  std::size_t aliased_ = 0;
};

// The message of yaml-cpp in this project's manner.
std::string ParserMessage(const YAML::ParserException& exception) {
  std::string message = exception.msg;
  for (char& c : message)
    if (c == '\n') c = ' ';
  return "not YAML: " + message;
}

// What yaml-cpp must not see. While a flow collection may still turn out to be a key
// it keeps every token of it, 130 bytes of memory for each byte of text, and takes
// 2 us for each: 100 MB of `[` would be gigabytes and minutes before the first event.
// The scan for depth is a rough one: it counts from line to line anew where a line
// has anything but brackets, as brackets in texts need no partner.
bool FindTooLarge(std::string_view piece, std::uint32_t lines_before, const ReadLimits& limits,
                  Issue* problem) {
  if (piece.size() > limits.yaml_bytes) {
    *problem = ProblemAt(lines_before + 1, 1,
                         "a YAML document of more than " + std::to_string(limits.yaml_bytes) +
                             " bytes",
                         "JSON may be larger");
    return true;
  }
  Cursor cursor{piece};
  std::size_t depth = 0;
  bool only_brackets = true;
  char quote = '\0';
  for (; !cursor.done(); cursor.Step()) {
    const char c = cursor.peek();
    if (c == '\n') {
      if (!only_brackets) depth = 0;
      only_brackets = true;
      quote = '\0';
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '[' || c == '{') {
      if (++depth > limits.depth) {
        *problem = ProblemAt(lines_before + cursor.line, cursor.column(),
                             "nested deeper than " + std::to_string(limits.depth) + " levels");
        return true;
      }
    } else if (c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      only_brackets = false;
      if (c == '"' || c == '\'') quote = c;
    }
  }
  return false;
}

void ReadPiece(std::string_view piece, std::uint32_t lines_before, const ReadLimits& limits,
               std::vector<Document>* documents, std::vector<Issue>* problems) {
  Issue problem;
  if (FindTooLarge(piece, lines_before, limits, &problem)) {
    problems->push_back(std::move(problem));
    return;
  }
  TreeBuilder builder(lines_before, limits);
  try {
    std::istringstream stream{std::string(piece)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
      if (builder.key_problem()) throw Stop{*builder.key_problem()};
      std::optional<Document> document = builder.TakeDocument();
      if (document && document->root.kind != Node::Kind::kNull)
        documents->push_back(std::move(*document));
    }
  } catch (Stop& stop) {
    problems->push_back(builder.key_problem() ? *builder.key_problem() : std::move(stop.problem));
  } catch (const YAML::ParserException& exception) {
    const bool placed = !exception.mark.is_null();
    problems->push_back(
        ProblemAt(lines_before + (placed ? static_cast<std::uint32_t>(exception.mark.line) + 1 : 1),
                  placed ? static_cast<std::uint32_t>(exception.mark.column) + 1 : 1,
                  ParserMessage(exception)));
  }
}

bool IsDocumentStart(std::string_view line) {
  return line.substr(0, 3) == "---" &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r' ||
          line[3] == '\n');
}

// Comments, directives and blank lines belong to the document after them.
bool IsPrologue(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || line[first] == '#' || line[0] == '%';
}

}  // namespace

// A `---` at the start of a line begins a document wherever it stands, so the file
// is cut there first: then damage in one document leaves the others readable.
std::vector<Document> ReadYaml(std::string_view bytes, std::vector<Issue>* problems,
                               const ReadLimits& limits) {
  std::vector<Document> documents;
  Issue problem;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    problems->push_back(ProblemAt(1, 1, "YAML longer than 2 GiB"));
    return documents;
  }
  if (FindBadByte(bytes, &problem)) {
    problems->push_back(std::move(problem));
    return documents;
  }
  std::size_t piece_start = 0;
  std::uint32_t piece_line = 0, line = 0;
  bool has_content = false;
  for (std::size_t at = 0; at < bytes.size(); ++line) {
    const std::size_t newline = bytes.find('\n', at);
    const std::size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
    const std::string_view text = bytes.substr(at, end - at);
    if (IsDocumentStart(text)) {
      if (has_content) {
        ReadPiece(bytes.substr(piece_start, at - piece_start), piece_line, limits, &documents,
                  problems);
        piece_start = at;
        piece_line = line;
      }
      has_content = true;
    } else if (!has_content) {
      has_content = !IsPrologue(text);
    }
    at = end;
  }
  ReadPiece(bytes.substr(piece_start), piece_line, limits, &documents, problems);
  return documents;
}

}  // namespace precedent::internal

#else  // !PRECEDENT_HAVE_YAML

namespace precedent::internal {

std::vector<Document> ReadYaml(std::string_view, std::vector<Issue>* problems,
                               const ReadLimits&) {
  problems->push_back(ProblemAt(1, 1, "this build reads no YAML: it was made without yaml-cpp",
                                "convert it to JSON"));
  return {};
}

}  // namespace precedent::internal

#endif  // PRECEDENT_HAVE_YAML
