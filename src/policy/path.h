// Path: where in a message a walk is, `stages[2].rules[0].when[1].labels["tier"]`.
#ifndef PRECEDENT_SRC_POLICY_PATH_H_
#define PRECEDENT_SRC_POLICY_PATH_H_

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "src/text/cursor.h"

namespace precedent::internal {

// One string that grows on the way down and is cut on the way up.
class Path {
 public:
  // Takes back what was appended since it was made.
  class Scope {
   public:
    explicit Scope(Path* path) : path_(path), size_(path->text_.size()) {}
    ~Scope() { path_->text_.resize(size_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Path* path_;
    std::size_t size_;
  };

  const std::string& text() const { return text_; }

  void Field(std::string_view name) {
    if (!text_.empty()) text_ += '.';
    text_ += name;
  }
  void Index(std::size_t index) {
    char digits[20];
    const char* end = std::to_chars(digits, digits + sizeof digits, index).ptr;
    text_ += '[';
    text_.append(digits, static_cast<std::size_t>(end - digits));
    text_ += ']';
  }
  // A quote and a backslash in the key get a backslash, and control characters become
  // `?`: a path is one line and can be taken apart.
  void Key(std::string_view key) {
    text_ += "[\"";
    for (char c : Harmless(key)) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += "\"]";
  }

 private:
  std::string text_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_PATH_H_
