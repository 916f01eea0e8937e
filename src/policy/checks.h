// The checks of a policy, a file each. Each reports at the context's path.
#ifndef PRECEDENT_SRC_POLICY_CHECKS_H_
#define PRECEDENT_SRC_POLICY_CHECKS_H_

#include "src/policy/check_context.h"
#include "src/policy/check_patterns.h"

namespace precedent::internal {

// One Match: it constrains something, and what it constrains can hold.
void CheckMatch(const v1::Match& match, CheckPatterns* patterns, CheckContext* context);
// `built_in`: an empty text counts as absent, as for all but labels.
void CheckText(const v1::TextMatch& text, bool built_in, CheckPatterns* patterns,
               CheckContext* context);
// `attribute`: field name in Match or LineageMatch, or empty for a metric.
void CheckNumber(const v1::NumberMatch& number, std::string_view attribute,
                 CheckContext* context);
// Effects, outcomes and times of one rule.
void CheckEffects(const v1::Rule& rule, CheckContext* context);
// Everything that is declared beside the stages.
void CheckDeclarations(CheckContext* context);
// Rules that others before them make unreachable.
void CheckReach(CheckContext* context);
// Whether the score can leave the bounds.
void CheckScore(CheckContext* context);

// A rule that applies to every job at every time, as far as it could be read. The
// context's path is that of the rule.
inline bool IsUnconditional(const v1::Rule& rule, const CheckContext& context) {
  return rule.when().empty() && !rule.has_active_from() && !rule.has_active_until() &&
         !context.Broken();
}

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CHECKS_H_
