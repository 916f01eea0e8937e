#include "precedent/adapter_options.h"

#include <utility>

#include "src/policy/read_options.h"

namespace precedent {

AdapterOptionsResult ReadAdapterOptions(std::string_view bytes) {
  AdapterOptionsResult result;
  v1::AdapterOptions options;
  if (internal::ReadOptions(bytes, &options, &result.issues)) result.options = std::move(options);
  return result;
}

}  // namespace precedent
