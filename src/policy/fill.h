// Node tree to protobuf message, by reflection: the same for policies, job
// descriptors, adapter options and test cases.
#ifndef PRECEDENT_SRC_POLICY_FILL_H_
#define PRECEDENT_SRC_POLICY_FILL_H_

#include <vector>

#include "google/protobuf/message.h"
#include "precedent/issue.h"
#include "src/text/node.h"

namespace precedent::internal {

// How a tree spells a message.
enum class Dialect {
  kJson,  // proto3 JSON, also for YAML: lowerCamelCase or original names
  kText,  // what ReadTextProto makes
};

// Sets the fields that `node` has in `*message`, which should be empty. Goes on
// after a problem: every unknown field, unknown enum name or number, wrong type,
// number out of range, fraction for an integer, NaN or infinity, value for a list,
// null in a list or map, field given twice and second choice of a oneof adds an
// issue with path, line and column. A null field counts as not set, with a warning.
// Linear in the tree. The message holds what could be read.
void FillMessage(const Node& node, google::protobuf::Message* message,
                 std::vector<Issue>* issues, Dialect dialect = Dialect::kJson);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_FILL_H_
