// Which attributes the rules of a policy look at.
#ifndef PRECEDENT_BENCH_POLICY_ATTRIBUTES_H_
#define PRECEDENT_BENCH_POLICY_ATTRIBUTES_H_

#include <set>
#include <string>
#include <vector>

#include "precedent/v1/policy.pb.h"

namespace precedent::bench {

// As in a policy: `team`, `lineage.attempt`, `labels["tier"]`; what add_scaled takes,
// too, and `active_from`, `active_until`.
std::set<std::string> AttributesOf(const v1::Rule& rule);

struct AttributeUse {
  std::string attribute;
  std::vector<std::string> rules;  // ids
};

// Every attribute of the policy, that of most rules first.
std::vector<AttributeUse> AttributesOf(const v1::Policy& policy);

// The policy without the rules that look at `attribute`.
v1::Policy WithoutRulesOn(const std::string& attribute, const v1::Policy& policy);

// Rules some alternative of which asks for no text by `in`, `in_set` or `prefix`, nor by
// `suffix`: nothing to file them under. Ids.
std::vector<std::string> RulesWithoutSelectiveText(const v1::Policy& policy);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_ATTRIBUTES_H_
