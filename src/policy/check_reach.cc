#include "src/policy/checks.h"
#include "src/text/cursor.h"

namespace precedent::internal {

void CheckReach(CheckContext* context) {
  // The rule behind which nothing applies any more, in all stages.
  const v1::Rule* end = nullptr;
  for (int s = 0; s < context->policy().stages_size(); ++s) {
    const v1::Stage& stage = context->policy().stages(s);
    At stage_at(context, "stages", s);
    const v1::Rule* stage_end = nullptr;
    for (int r = 0; r < stage.rules_size(); ++r) {
      const v1::Rule& rule = stage.rules(r);
      At rule_at(context, "rules", r);
      if (end != nullptr) {
        context->Warning("can never apply: rule " + Quote(end->id()) +
                         " before it is final and applies to every job");
      } else if (stage_end != nullptr) {
        context->Warning("can never apply: rule " + Quote(stage_end->id()) +
                             " before it applies to every job and ends the stage",
                         "the rule for all others comes last");
      } else if (IsUnconditional(rule, *context)) {
        if (rule.final()) end = &rule;
        if (stage.mode() == v1::Stage::FIRST_MATCH) stage_end = &rule;
      }
    }
  }
}

}  // namespace precedent::internal
