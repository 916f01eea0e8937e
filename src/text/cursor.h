// Cursor: a place in a text that knows its line and column. Shared by the readers.
#ifndef PRECEDENT_SRC_TEXT_CURSOR_H_
#define PRECEDENT_SRC_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "precedent/issue.h"

namespace precedent::internal {

// ASCII only, whatever the locale.
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsOctal(char c) { return c >= '0' && c <= '7'; }

struct Cursor {
  std::string_view text;
  std::size_t at = 0;
  std::size_t line_start = 0;
  std::uint32_t line = 1;

  bool done() const { return at >= text.size(); }
  // The byte here, or NUL at the end.
  char peek() const { return done() ? '\0' : text[at]; }
  std::uint32_t column() const { return static_cast<std::uint32_t>(at - line_start + 1); }
  // Goes to the next byte. REQUIRES: !done().
  void Step() {
    if (text[at++] == '\n') {
      ++line;
      line_start = at;
    }
  }
};

// An error at `cursor`, or at another place.
inline Issue ProblemAt(std::uint32_t line, std::uint32_t column, std::string message,
                       std::string hint = {}) {
  Issue issue;
  issue.line = static_cast<int>(line);
  issue.column = static_cast<int>(column);
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  return issue;
}
inline Issue ProblemAt(const Cursor& cursor, std::string message, std::string hint = {}) {
  return ProblemAt(cursor.line, cursor.column(), std::move(message), std::move(hint));
}

// What stands at the cursor, for messages: a character in backticks, a byte as
// `0x1f`, or `the end`.
std::string Here(const Cursor& cursor);

// An error about the first NUL or invalid UTF-8 in `text`; false if there is none.
bool FindBadByte(std::string_view text, Issue* problem);

// `text` with a `?` for each control character, line separator and character that
// turns the direction of writing: a message is one line and shows what is there.
std::string Harmless(std::string_view text);

// User text for messages: in backticks, harmless, at most 60 bytes of it, and with
// apostrophes for its own backticks.
std::string Quote(std::string_view text);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_CURSOR_H_
