#include "src/cli/command.h"

#include <algorithm>
#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "precedent/version.h"

namespace precedent::cli {
namespace {

bool Contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string ProgramHelp() {
  std::string text =
      "precedent derives the priority of GPU jobs from a policy.\n"
      "\n"
      "usage: precedent COMMAND [--flag=value]... ARGUMENT...\n"
      "\n"
      "commands:\n";
  for (const Command& command : Commands()) {
    std::string line = absl::StrCat("  ", std::string(command.name));
    line.resize(12, ' ');
    absl::StrAppend(&text, line, std::string(command.summary), "\n");
  }
  text +=
      "\n"
      "`precedent COMMAND --help` tells about one. FILE is `-` for standard input, or a\n"
      "file of YAML, JSON or text-format job descriptors. Exit code: 0 fine; 1 some input\n"
      "was invalid, or a check or a case failed; 2 wrong usage or a policy with errors.\n";
  return text;
}

// The result of reading a subcommand's words.
struct Parsed {
  bool help = false;
  std::vector<std::string> arguments;
  std::vector<std::string> set_flags;
  std::string error;  // not empty: usage error
};

// Reads the flag at words[i]; moves `i` to the last word that it took.
void ReadFlag(const Command& command, const std::vector<std::string>& words, std::size_t& i,
              Parsed& parsed) {
  const std::string& word = words[i];
  const std::string body = word.substr(word[1] == '-' ? 2 : 1);
  const std::size_t equals = body.find('=');
  const std::string name = body.substr(0, equals);
  if (name == "help" || word == "-h") {
    parsed.help = true;
    return;
  }
  absl::CommandLineFlag* flag =
      Contains(command.flags, name)
          ? absl::FindCommandLineFlag(absl::StrReplaceAll(name, {{"-", "_"}}))
          : nullptr;
  if (flag == nullptr) {
    parsed.error = absl::StrCat("unknown flag `", word, "`");
    return;
  }
  std::string value = "true";
  if (equals != std::string::npos) {
    value = body.substr(equals + 1);
  } else if (!flag->IsOfType<bool>()) {
    if (i + 1 == words.size()) {
      parsed.error = absl::StrCat("flag `", word, "` needs a value");
      return;
    }
    value = words[++i];
  }
  std::string why;
  if (!flag->ParseFrom(value, &why)) {
    parsed.error = absl::StrCat("flag `", word, "`: `", value, "` is not a value for it");
    return;
  }
  if (!value.empty()) parsed.set_flags.push_back(name);
}

Parsed Parse(const Command& command, const std::vector<std::string>& words) {
  Parsed parsed;
  bool only_arguments = false;
  for (std::size_t i = 0; i < words.size() && parsed.error.empty(); ++i) {
    const std::string& word = words[i];
    if (only_arguments || word.size() < 2 || word[0] != '-')
      parsed.arguments.push_back(word);
    else if (word == "--")
      only_arguments = true;
    else
      ReadFlag(command, words, i, parsed);
  }
  if (!parsed.error.empty() || parsed.help) return parsed;
  for (const std::string_view required : command.required_flags) {
    const std::string name(required);
    if (std::find(parsed.set_flags.begin(), parsed.set_flags.end(), name) ==
        parsed.set_flags.end()) {
      parsed.error = absl::StrCat("missing ", name.size() == 1 ? "-" : "--", name);
      return parsed;
    }
  }
  const std::size_t given = parsed.arguments.size();
  if (given < command.min_arguments)
    parsed.error = absl::StrCat("missing argument: it takes ", std::string(command.arguments));
  else if (given > command.max_arguments)
    parsed.error = absl::StrCat("too many arguments: ",
                                command.max_arguments == 0
                                    ? std::string("it takes none")
                                    : absl::StrCat("it takes ", std::string(command.arguments)));
  return parsed;
}

int RunCommand(const Command& command, const std::vector<std::string>& words, Console& console) {
  const Parsed parsed = Parse(command, words);
  if (!parsed.error.empty()) {
    console.err << "precedent " << command.name << ": " << Printable(parsed.error)
                << " (see `precedent " << command.name << " --help`)\n";
    return kUsage;
  }
  if (parsed.help) {
    console.out << command.help;
    return kOk;
  }
  return command.run(parsed.arguments, console);
}

int Dispatch(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    console.err << ProgramHelp();
    return kUsage;
  }
  const std::string& name = words[0];
  if (name == "--help" || name == "-help" || name == "-h") {
    console.out << ProgramHelp();
    return kOk;
  }
  if (name == "--version") {
    console.out << "precedent " << PRECEDENT_VERSION << '\n';
    return kOk;
  }
  for (const Command& command : Commands())
    if (command.name == name) return RunCommand(command, {words.begin() + 1, words.end()}, console);
  return Fail(console, absl::StrCat("unknown command `", name, "` (see `precedent --help`)"));
}

}  // namespace

std::vector<Command> Commands() {
  return {DeriveCommand(), DescribeCommand(), ExplainCommand(), AdmitCommand(), SubmitCommand(),
          CheckCommand(),  TestCommand(),     CompileCommand(), FormatCommand(), ClassesCommand(),
          ReplayCommand(), PlanCommand()};
}

int RunProgram(const std::vector<std::string>& words, Console& console) {
  const int code = Dispatch(words, console);
  // A full disk must not look like an answer.
  console.out.flush();
  if (!console.out) return Fail(console, "cannot write to standard output");
  return code;
}

}  // namespace precedent::cli
