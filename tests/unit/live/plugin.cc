// A shared library that uses live evaluators of its own, and other people's.
#include <cstdint>

#include "precedent/internal/published.h"

using Cell = precedent::internal::Published<std::uint64_t>;

extern "C" {

// Publishes `number` and reads it back, in a cell that lives as long as the call.
int plugin_own(std::uint64_t number) {
  Cell cell(64, 64);
  if (cell.Publish(number, [](const std::uint64_t*) { return true; }) !=
      precedent::internal::Publication::kDone)
    return 1;
  return *cell.Read().get() == number ? 0 : 2;
}

// Reads a cell that the program owns.
std::uint64_t plugin_read(void* cell) { return *static_cast<Cell*>(cell)->Read().get(); }
}
