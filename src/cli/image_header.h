// An image as C++ source.
#ifndef PRECEDENT_SRC_CLI_IMAGE_HEADER_H_
#define PRECEDENT_SRC_CLI_IMAGE_HEADER_H_

#include <string>
#include <string_view>

#include "precedent/evaluator.h"

namespace precedent::cli {

// A header with the bytes of the image of `evaluator` as an aligned array. Its include
// guard and the name of its function come from the last part of `file`.
std::string ImageHeader(std::string_view image, std::string_view file, const Evaluator& evaluator);

// `file` without folders and extension as a C++ identifier: `my-fleet.h` is `my_fleet`.
std::string IdentifierFor(std::string_view file);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_IMAGE_HEADER_H_
