// Scanner: places in the text of a JSON value, for what no parser's tree keeps: the
// spelling of numbers, the order of members, white space.
#ifndef PRECEDENT_SRC_JSON_SCANNER_H_
#define PRECEDENT_SRC_JSON_SCANNER_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "src/json/path.h"

namespace precedent::json {

// Walks a text that is known to be JSON.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool Ended() const { return at_ >= text_.size(); }
  bool Take(char c) {
    if (Ended() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipTo(std::string_view stops) {
    const std::size_t found = text_.find_first_of(stops, at_);
    at_ = found == std::string_view::npos ? text_.size() : found;
  }
  void SkipSpace() {
    const std::size_t found = text_.find_first_not_of(" \t\r\n", at_);
    at_ = found == std::string_view::npos ? text_.size() : found;
  }
  void SkipString() {
    Take('"');
    while (!Ended() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + 1, text_.size());
  }
  void SkipValue() {
    int depth = 0;
    while (!Ended()) {
      switch (text_[at_]) {
        case '"':
          SkipString();
          break;
        case '{':
        case '[':
          ++depth;
          ++at_;
          break;
        case '}':
        case ']':
          --depth;
          ++at_;
          break;
        default:
          // White space, punctuation within a container, or a number or a word.
          if (depth > 0) {
            SkipTo("\"{}[]");
          } else {
            SkipTo(" \t\r\n,}]");
          }
      }
      if (depth <= 0) return;
    }
  }
  std::string_view From(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The text that a JSON string, quotes included, stands for.
std::string DecodeString(std::string_view string);

// The text of the value at the place in `text`, a document that was parsed; nullopt
// where there is none. Linear in the text.
std::optional<std::string_view> FindText(std::string_view text, const PathStep* place);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_SCANNER_H_
