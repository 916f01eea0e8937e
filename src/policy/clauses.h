// From the conditions of rules to clauses: conjunctions of class sets.
#ifndef PRECEDENT_SRC_POLICY_CLAUSES_H_
#define PRECEDENT_SRC_POLICY_CLAUSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "precedent/internal/image.h"
#include "precedent/issue.h"
#include "precedent/policy.h"
#include "src/policy/class_set.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// Classes of one column that a clause allows.
struct ColumnConstraint {
  std::uint32_t column = 0;
  ClassSet allowed;
  // For a constraint from a list of prefixes or suffixes: the classes listed, of
  // which `allowed` also has all extensions. Empty for any other.
  std::vector<std::uint32_t> affixes;
};

struct ClauseDraft {
  std::uint32_t rule = 0;
  std::vector<ColumnConstraint> columns;  // no column twice
  std::vector<std::uint32_t> bits;        // that must be set
  std::uint32_t time = kNone;             // in Clauses::times
};

struct Clauses {
  std::vector<ClauseDraft> drafts;  // in the order of their rules
  std::vector<TimeCondition> times;
};

// The clauses of all rules, those that nothing can satisfy left out. A Match whose
// lists mix kinds (literals, prefixes, suffixes, patterns) becomes one clause for
// each combination; more than limits.alternatives_per_match of them is an error.
// REQUIRES: the policy passed CheckPolicy.
Clauses MakeClauses(const v1::Policy& policy, const Vocabulary& vocabulary,
                    const PolicyLimits& limits, std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CLAUSES_H_
