#include "bench/rivals/rival.h"

namespace precedent::bench {
std::unique_ptr<Contender> LuaSeed(const std::string&, const std::vector<Job>&, std::string*) {
  return nullptr;
}
std::unique_ptr<Contender> LuaLoop(const std::string&, const RuleSet&, const std::vector<Job>&,
                                   std::string*) {
  return nullptr;
}
}  // namespace precedent::bench
