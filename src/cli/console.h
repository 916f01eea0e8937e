// Where a subcommand writes, and how it says what is wrong.
#ifndef PRECEDENT_SRC_CLI_CONSOLE_H_
#define PRECEDENT_SRC_CLI_CONSOLE_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/issue.h"

namespace precedent::cli {

// Exit codes of the program.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // some input was invalid, a check or a case failed
inline constexpr int kUsage = 2;   // wrong usage, a policy that does not load, or no room to write

struct Console {
  std::ostream& out;  // the answer, and nothing else
  std::ostream& err;  // diagnostics
};

// `text` with control characters and bytes that are not UTF-8 as `\xNN`: what
// comes from a file must not be able to steer the terminal.
std::string Printable(std::string_view text);

// Code points in `text`: close enough to its width on a terminal for names.
std::size_t Width(std::string_view text);

// `text` cut to `width` code points, its end replaced by `...`.
std::string Truncate(std::string_view text, std::size_t width);

// `-` is shown as `<stdin>`.
std::string FileLabel(std::string_view file);

// Prints one line for the issue, and one for each.
void Report(Console& console, const Issue& issue, std::string_view file);
void Report(Console& console, const std::vector<Issue>& issues, std::string_view file);

// An error about a whole file, or about a line of it.
Issue Error(std::string message, int line = 0);

// Prints `precedent: message` on the error stream; returns kUsage.
int Fail(Console& console, std::string_view message);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_CONSOLE_H_
