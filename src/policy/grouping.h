// How the rules of a policy are split into groups that are searched as a whole.
#ifndef PRECEDENT_SRC_POLICY_GROUPING_H_
#define PRECEDENT_SRC_POLICY_GROUPING_H_

#include <cstdint>
#include <vector>

#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// A Group before its clauses are filed.
struct GroupDraft {
  std::uint32_t kind = Group::kOrdered;
  std::vector<std::uint32_t> clauses;  // numbers in Clauses::drafts, in policy order
};

struct Grouping {
  std::vector<GroupDraft> groups;
  std::vector<Segment> segments;
  std::vector<Window> windows;
};

// REQUIRES: parts has the rules and stage_ends. `scaled_wait`, by rule: it adds for
// the wait.
Grouping GroupRules(const v1::Policy& policy, const Clauses& clauses,
                    const Vocabulary& vocabulary, const ImageParts& parts,
                    const std::vector<bool>& scaled_wait);

// The share of all combinations of classes that satisfy a clause.
double ShareOf(const ClauseDraft& clause, const Vocabulary& vocabulary);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_GROUPING_H_
