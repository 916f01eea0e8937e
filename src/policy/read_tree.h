// Text in one of the three languages to a tree.
#ifndef PRECEDENT_SRC_POLICY_READ_TREE_H_
#define PRECEDENT_SRC_POLICY_READ_TREE_H_

#include <optional>
#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "precedent/policy.h"
#include "src/text/node.h"

namespace precedent::internal {

// The tree of a text that holds one `what` (for messages); none where its language is
// broken, but for protobuf text, whose reader goes on after a slip. Problems are added
// to `*issues`. `format` is kText, kJson or kYaml.
std::optional<Document> ReadTree(std::string_view bytes, PolicyFormat format,
                                 std::string_view what, std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_READ_TREE_H_
