// Bytes to policy message.
#ifndef PRECEDENT_SRC_POLICY_PARSE_H_
#define PRECEDENT_SRC_POLICY_PARSE_H_

#include <optional>
#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "precedent/policy.h"
#include "src/policy/fill.h"
#include "src/text/node.h"

namespace precedent::internal {

// A policy as it was read, and the tree that knows where everything stands; without
// tree for binary and where nothing could be read.
struct ParsedPolicy {
  v1::Policy policy;
  std::optional<Document> source;
  Dialect dialect = Dialect::kJson;
  // Nothing of the policy could be read: checking it makes no sense.
  bool unreadable = false;
};

// Adds every problem of reading to `*issues`. `policy` holds what could be read.
ParsedPolicy ParsePolicy(std::string_view bytes, const CompileOptions& options,
                         std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_PARSE_H_
