// What a plain YAML scalar means.
#ifndef PRECEDENT_SRC_TEXT_YAML_SCALAR_H_
#define PRECEDENT_SRC_TEXT_YAML_SCALAR_H_

#include <string_view>

#include "src/text/node.h"

namespace precedent::internal {

// Kind of a plain scalar by the core schema of YAML 1.2, with one difference: a
// decimal number with superfluous zeros in front is a string, as readers of other
// YAML versions take it for octal or refuse it.
Node::Kind PlainScalarKind(std::string_view text);

// `.nan`, `.inf` and their spellings, which the core schema takes for numbers.
bool IsNonFiniteScalar(std::string_view text);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_YAML_SCALAR_H_
