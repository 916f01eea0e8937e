#include "bench/policy/advice.h"

#include "absl/strings/str_cat.h"
#include "bench/policy/patterns.h"

namespace precedent::bench {
namespace {

// Below it every rule can be looked at for every job.
constexpr std::size_t kManyRules = 100;
// A policy may have thousands of patterns; somebody reads this.
constexpr std::size_t kMaxPatterns = 5;

std::string Rules(std::size_t count) {
  return absl::StrCat(count, count == 1 ? " rule" : " rules");
}

}  // namespace

std::string Some(const std::vector<std::string>& names, std::size_t max) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < max; ++i)
    absl::StrAppend(&text, i == 0 ? "" : ", ", names[i]);
  if (names.size() > max) absl::StrAppend(&text, " and ", names.size() - max, " more");
  return text;
}

std::vector<std::string> Advice(const CompiledPolicy& policy,
                                const std::vector<JobDescriptor>& jobs, const RuleUse& use,
                                const Costs& costs) {
  std::vector<std::string> advice;
  if (!policy.evaluator().lock_free()) advice = PatternAdvice(policy.source(), jobs, kMaxPatterns);

  const std::vector<std::string> anywhere = RulesWithoutSelectiveText(policy.source());
  if (anywhere.size() >= kManyRules)
    advice.push_back(
        absl::StrCat(Rules(anywhere.size()),
                     " can match a job of any team, namespace, queue or label (", Some(anywhere),
                     "): a text in `in`, `prefix` or `suffix` keeps a rule from being looked at"
                     " for all other jobs"));

  if (!use.never.empty()) {
    std::vector<std::string> ids;
    for (const std::uint32_t rule : use.never) ids.emplace_back(policy.evaluator().rule(rule).id);
    advice.push_back(absl::StrCat(Rules(ids.size()), " applied to none of these jobs (", Some(ids),
                                  "): if other jobs do not need ", ids.size() == 1 ? "it" : "them",
                                  ", take ", ids.size() == 1 ? "it" : "them", " out"));
  }

  if (costs.bind > costs.evaluate)
    advice.push_back(
        "most of the time is binding: keep bound jobs (Evaluator::Bind) where a job is evaluated"
        " again");
  if (use.timeless != jobs.size())
    advice.push_back(absl::StrCat(
        jobs.size() - use.timeless, " of ", jobs.size(),
        " decisions change with time: keep each until its valid_until instead of evaluating it in"
        " a loop"));
  return advice;
}

}  // namespace precedent::bench
