// AdapterOptions from a file's bytes, as `--options` of the command line takes them.
//
// Target precedent::compiler. Does not throw (but std::bad_alloc) or print.
#ifndef PRECEDENT_ADAPTER_OPTIONS_H_
#define PRECEDENT_ADAPTER_OPTIONS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "precedent/v1/adapter.pb.h"

namespace precedent {

struct AdapterOptionsResult {
  // Set exactly when no issue is an error. Whether the options contradict themselves,
  // the adapters' Create says.
  std::optional<v1::AdapterOptions> options;
  std::vector<Issue> issues;
};

// Text format, JSON or (where the library was built with yaml-cpp) YAML, by content.
// An empty file is an error (it may be half of a write); `{}` is the default options.
// Linear in the bytes, which may be at most 1 MiB. Thread-safe.
AdapterOptionsResult ReadAdapterOptions(std::string_view bytes);

}  // namespace precedent

#endif  // PRECEDENT_ADAPTER_OPTIONS_H_
