// The program `precedent`. Everything is in the subcommands' files; see command.h.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "src/cli/command.h"

namespace {

// Without a word there would be an abort, which looks like a fault of the program.
[[noreturn]] void OutOfMemory() {
  constexpr char kMessage[] = "precedent: out of memory\n";
  if (write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) std::_Exit(2);
  std::_Exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(OutOfMemory);
  std::ios::sync_with_stdio(false);
  std::cout.tie(nullptr);
  precedent::cli::Console console{std::cout, std::cerr};
  return precedent::cli::RunProgram(std::vector<std::string>(argv + (argc > 0), argv + argc),
                                    console);
}
