#include "tests/differential/settings.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace precedent::differential {

Settings& TheSettings() {
  static Settings& settings = *new Settings([] {
    Settings from_environment;
    if (const char* seed = std::getenv("PRECEDENT_SEED"))
      from_environment.seed = std::strtoull(seed, nullptr, 10);
    if (const char* pairs = std::getenv("PRECEDENT_PAIRS"))
      from_environment.pairs = std::strtoull(pairs, nullptr, 10);
    const char* full = std::getenv("PRECEDENT_FULL");
    from_environment.full = full != nullptr && std::string(full) == "1";
    const char* shrink = std::getenv("PRECEDENT_SHRINK");
    from_environment.shrink = shrink == nullptr || std::string(shrink) != "0";
    return from_environment;
  }());
  return settings;
}

bool ParseFlags(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--seed=", 0) == 0) {
      TheSettings().seed = std::strtoull(argument.c_str() + 7, nullptr, 10);
    } else if (argument.rfind("--pairs=", 0) == 0) {
      TheSettings().pairs = std::strtoull(argument.c_str() + 8, nullptr, 10);
    } else if (argument == "--full") {
      TheSettings().full = true;
    } else {
      std::fprintf(stderr, "unknown argument `%s`: --seed=N, --pairs=N and --full are known\n",
                   argv[i]);
      return false;
    }
  }
  return true;
}

}  // namespace precedent::differential
