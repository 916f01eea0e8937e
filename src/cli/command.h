// Command: one subcommand of the program, and how its command line is read.
//
// The flags are Abseil flags. Which of them a subcommand takes is in its Command,
// and the words after its name are read here rather than by absl::ParseCommandLine,
// which ends the process by itself, with exit code 1, and knows no subcommands.
#ifndef PRECEDENT_SRC_CLI_COMMAND_H_
#define PRECEDENT_SRC_CLI_COMMAND_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/console.h"

namespace precedent::cli {

struct Command {
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

  std::string_view name;
  std::string_view summary;  // one line, for `precedent --help`
  std::string_view help;     // the whole text of `precedent <name> --help`
  std::vector<std::string_view> flags;
  std::vector<std::string_view> required_flags;  // some of `flags`
  std::string_view arguments;                    // as the usage line shows them
  std::size_t min_arguments = 1;
  std::size_t max_arguments = kAnyNumber;
  int (*run)(const std::vector<std::string>& arguments, Console& console) = nullptr;
};

// One function for each file of a subcommand.
Command DeriveCommand();
Command DescribeCommand();
Command ExplainCommand();
Command AdmitCommand();
Command SubmitCommand();
Command CheckCommand();
Command TestCommand();
Command CompileCommand();
Command FormatCommand();
Command ClassesCommand();
Command ReplayCommand();
Command PlanCommand();

// All of them, in the order of the help text.
std::vector<Command> Commands();

// Runs the program on the words after its name; returns its exit code. Sets the
// flags that it is given and none other.
int RunProgram(const std::vector<std::string>& words, Console& console);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_COMMAND_H_
