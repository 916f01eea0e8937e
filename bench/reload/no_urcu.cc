#include "bench/reload/holder.h"

namespace precedent::bench {

std::unique_ptr<Holder> MakeUrcu() { return nullptr; }

}  // namespace precedent::bench
