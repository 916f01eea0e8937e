// The quick look at what most of a policy is.
#ifndef PRECEDENT_SRC_POLICY_WELL_FORMED_H_
#define PRECEDENT_SRC_POLICY_WELL_FORMED_H_

#include "precedent/v1/policy.pb.h"

namespace precedent::internal {

// Whether CheckMessage has nothing to say about `rule`. Field by field: that is ten
// times as fast as by reflection, and a policy has many rules. Linear in the rule.
bool IsWellFormed(const v1::Rule& rule);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_WELL_FORMED_H_
