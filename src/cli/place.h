// Where in a document a path leads.
#ifndef PRECEDENT_SRC_CLI_PLACE_H_
#define PRECEDENT_SRC_CLI_PLACE_H_

#include <string_view>

#include "precedent/issue.h"
#include "src/text/node.h"

namespace precedent::cli {

// The deepest value that `path` reaches from `root`, at least `root` itself: a message
// about what is missing then has the place of what should hold it. A path is as in
// Issue (`spec.containers[1].env`, `labels["tier"]`); it may go on with `: message`.
// Names match in lowerCamelCase and with underscores.
const internal::Node& FindPlace(const internal::Node& root, std::string_view path);

// Sets line and column of the issue to those of `node`, of its key if it has one.
void SetPlace(Issue& issue, const internal::Node& node);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_PLACE_H_
