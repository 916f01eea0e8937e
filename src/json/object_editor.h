// ObjectEditor: changes members of a JSON object and no other byte of its text.
//
// A request that only passes through must leave as it came: the order of its
// members, those that this release does not know, the spelling of its numbers and
// escapes. No parser's tree keeps all of these, so an edit replaces ranges of bytes.
#ifndef PRECEDENT_SRC_JSON_OBJECT_EDITOR_H_
#define PRECEDENT_SRC_JSON_OBJECT_EDITOR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace precedent::json {

// REQUIRES: `object` is the text of an object that Document::Parse accepts, or of an
// object inside one. The editor borrows it. Any other text gives any text, but no
// access outside of it. Linear in the text but for Find, Set and Remove, which are
// linear in the members.
class ObjectEditor {
 public:
  explicit ObjectEditor(std::string_view object);

  // The text of a member's value as it is now; nullopt where there is none. `null`
  // is a value. Valid until the next change.
  std::optional<std::string_view> Find(std::string_view key) const;

  // Replaces the member's value, or adds the member behind all others, spaced like
  // the one before it. `value` is JSON.
  void Set(std::string_view key, std::string value);
  void Remove(std::string_view key);

  // Members there are now.
  std::size_t size() const;
  // Whether Set and Remove changed any byte.
  bool changed() const { return changed_; }

  // The text with all changes.
  std::string Text() const;

 private:
  struct Member {
    std::string key;         // decoded
    std::string_view lead;   // from the brace or comma to the key's opening quote
    std::string_view name;   // the key as it is spelled, with its quotes
    std::string_view colon;  // from the key's closing quote to the value
    std::string_view value;
    std::string_view tail;            // from the value to the comma or brace
    std::string new_name, new_value;  // where not empty, these count
    bool removed = false;
  };

  Member* FindMember(std::string_view key);
  const Member* FindMember(std::string_view key) const;

  std::vector<Member> members_;
  std::string_view before_, after_;  // around the braces, which they hold
  bool changed_ = false;
};

// `text` as a JSON string with its quotes. REQUIRES: UTF-8.
std::string Quote(std::string_view text);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_OBJECT_EDITOR_H_
