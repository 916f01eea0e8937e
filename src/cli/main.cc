// The program `precedent`. Everything is in the subcommands' files; see command.h.
#include <iostream>
#include <string>
#include <vector>

#include "src/cli/command.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::cout.tie(nullptr);
  precedent::cli::Console console{std::cout, std::cerr};
  return precedent::cli::RunProgram(std::vector<std::string>(argv + (argc > 0), argv + argc),
                                    console);
}
