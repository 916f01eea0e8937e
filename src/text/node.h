// Node: a tree of values with positions, the common form of JSON, YAML and
// protobuf text.
//
// Readers make it (json_reader.h, yaml_reader.h, textproto_reader.h), FillMessage
// (policy/fill.h) turns it into a message, and WriteJson (json_writer.h) into JSON.
// A tree between the bytes and the message is what lets every problem be reported
// at once and with its place: protobuf's own parsers stop at the first.
#ifndef PRECEDENT_SRC_TEXT_NODE_H_
#define PRECEDENT_SRC_TEXT_NODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace precedent::internal {

// One value, and where it stands as a member of an object its key. Its views borrow
// from the Document that holds it.
struct Node {
  enum class Kind : std::uint8_t {
    kNull,
    kBoolean,  // text is `true` or `false`
    kNumber,   // text is the number as it was spelled
    kString,   // text is the decoded value
    kWord,     // protobuf text only: an identifier such as an enum name, `true`, `inf`
    kList,     // items in children
    kObject,   // members in children, in order, each with its key
  };

  Kind kind = Kind::kNull;
  // A scalar that was quoted in the source; always true for a JSON string.
  bool quoted = false;
  // Of the value's first character, from 1. Columns count bytes.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  // Of the key, for a member of an object; otherwise 0.
  std::uint32_t key_line = 0;
  std::uint32_t key_column = 0;
  std::string_view key;
  std::string_view text;
  std::vector<Node> children;

  bool is_object() const { return kind == Kind::kObject; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_number() const { return kind == Kind::kNumber; }

  // The member with this key, or null; null for anything but an object. Linear in
  // the members. Where a key stands twice (protobuf text), the first.
  const Node* Find(std::string_view name) const;
};

// `null`, `a boolean`, `a number`, `a string`, `a list`, `an object`: for messages.
std::string_view KindName(Node::Kind kind);

// Owns the bytes that a tree borrows.
class TextStore {
 public:
  TextStore() = default;
  TextStore(TextStore&&) = default;
  TextStore& operator=(TextStore&&) = default;
  TextStore(const TextStore&) = delete;
  TextStore& operator=(const TextStore&) = delete;

  // A copy of `text` that lives as long as this store, also after a move.
  std::string_view Keep(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

// A tree with all it needs: the bytes it was read from may go.
struct Document {
  Node root;
  TextStore store;
};

// What a reader refuses beyond what its language forbids.
struct ReadLimits {
  std::size_t depth = 64;              // lists and objects inside each other
  std::size_t values = 1 << 23;        // nodes of one document, 80 bytes each
  std::size_t alias_values = 1 << 20;  // nodes that YAML aliases of one document copy
  std::size_t yaml_bytes = 8 << 20;    // of one YAML document, see yaml_reader.cc
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_NODE_H_
