// Lines for issues: from a path in the message back to the source.
#ifndef PRECEDENT_SRC_POLICY_LOCATE_H_
#define PRECEDENT_SRC_POLICY_LOCATE_H_

#include <vector>

#include "google/protobuf/descriptor.h"
#include "precedent/issue.h"
#include "src/policy/fill.h"
#include "src/text/node.h"

namespace precedent::internal {

// Gives each issue that has no line the place of what its path names in the tree
// that a message of `type` was filled from, or of the nearest thing around it. Done
// only for issues, not for every field: positions of a large policy would take as
// much memory as the policy. Linear in the objects on the paths.
void LocateIssues(const Node& root, const google::protobuf::Descriptor& type, Dialect dialect,
                  std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_LOCATE_H_
