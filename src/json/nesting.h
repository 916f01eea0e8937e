// CheckNesting: where a text nests too deep, found without parsing it.
#ifndef PRECEDENT_SRC_JSON_NESTING_H_
#define PRECEDENT_SRC_JSON_NESTING_H_

#include <string_view>

#include "absl/status/status.h"

namespace precedent::json {

// INVALID_ARGUMENT where arrays and objects nest deeper than kMaxDepth, or where
// the text holds a NUL byte. Linear, no allocation. A text that is no JSON may
// pass: the parser refuses it.
absl::Status CheckNesting(std::string_view text);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_NESTING_H_
