#include "src/policy/check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/policy/checks.h"
#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kMostRules = std::size_t{1} << 20;  // what int64 sums are proved for

void CheckRuleCount(CheckContext* context) {
  std::size_t rules = 0;
  for (const v1::Stage& stage : context->policy().stages())
    rules += static_cast<std::size_t>(stage.rules_size());
  const std::size_t limit = std::min(context->limits().rules, kMostRules);
  if (rules <= limit) return;
  At at(context, "stages");
  context->LimitError("the policy has", rules, "rules", limit, "rules");
}

// Where a rule stands: its stage, and its number there.
using Place = std::pair<int, int>;
// Ids met, with the place of the rule that has it.
using Ids = absl::flat_hash_map<absl::string_view, Place>;

void CheckRule(const v1::Rule& rule, Place place, Ids* ids, CheckPatterns* patterns, CheckContext* context) {
  {
    const bool misspelled = context->Misspelled("id");
    At at(context, "id");
    if (rule.id().empty()) {
      if (!misspelled) context->Error("a rule needs an id");
    } else if (const auto [first, is_new] = ids->emplace(rule.id(), place); !is_new) {
      context->Error("a second rule " + Quote(rule.id()),
                     absl::StrCat("the first is stages[", first->second.first, "].rules[",
                                  first->second.second, "]"));
    }
  }
  const auto matches = static_cast<std::size_t>(rule.when_size());
  if (matches > context->limits().matches_per_rule) {
    At at(context, "when");
    context->LimitError("the rule has", matches, "matches", context->limits().matches_per_rule,
                        "matches_per_rule");
  }
  for (int i = 0; i < rule.when_size(); ++i) {
    At at(context, "when", i);
    CheckMatch(rule.when(i), patterns, context);
  }
  CheckEffects(rule, context);
}

void CheckStages(bool require_lock_free, CheckContext* context) {
  Ids ids;
  CheckPatterns patterns;
  for (int s = 0; s < context->policy().stages_size(); ++s) {
    At stage_at(context, "stages", s);
    const v1::Stage& stage = context->policy().stages(s);
    for (int r = 0; r < stage.rules_size(); ++r) {
      At rule_at(context, "rules", r);
      CheckRule(stage.rules(r), {s, r}, &ids, &patterns, context);
    }
  }
  if (patterns.regex_count() == 0) return;
  At at(context, patterns.first_regex());
  std::string message = "the pattern needs RE2, so evaluation is not lock-free";
  if (patterns.regex_count() > 1)
    message += "; so do " + std::to_string(patterns.regex_count() - 1) + " other patterns";
  std::string hint = "`in`, `prefix`, `suffix` and `contains` are lock-free";
  if (require_lock_free) {
    context->Error(std::move(message), std::move(hint));
  } else {
    context->Note(std::move(message), std::move(hint));
  }
}

}  // namespace

void CheckPolicy(const v1::Policy& policy, const PolicyLimits& limits,
                 std::vector<Issue>* issues, bool require_lock_free) {
  CheckContext context(policy, limits, issues);
  if (policy.stages().empty() && !context.Broken(""))
    context.Warning("no stages: every job scores 0, clamped to bounds");
  CheckRuleCount(&context);
  CheckStages(require_lock_free, &context);
  CheckDeclarations(&context);
  CheckReach(&context);
  CheckScore(&context);
}

}  // namespace precedent::internal
