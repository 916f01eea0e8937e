#include "bench/policy/patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "precedent/policy.h"

namespace precedent::bench {
namespace {

using google::protobuf::FieldDescriptor;

// More distinct texts than these are no list that somebody wants to write.
constexpr std::size_t kMaxTexts = 8;

struct Pattern {
  std::string path;       // as in an issue: `stages[0].rules[0].when[0].team.regex[0]`
  std::string attribute;  // a field of Match, or empty
  std::string label;      // a key, where attribute is empty
  std::string regex;
};

void AddPatterns(const std::string& path, const std::string& attribute, const std::string& label,
                 const v1::TextMatch& text, std::vector<Pattern>& patterns) {
  for (int i = 0; i < text.regex_size(); ++i)
    patterns.push_back({absl::StrCat(path, ".regex[", i, "]"), attribute, label, text.regex(i)});
}

void AddPatterns(const std::string& path, const v1::Match& match, std::vector<Pattern>& patterns) {
  std::vector<const FieldDescriptor*> fields;
  match.GetReflection()->ListFields(match, &fields);
  for (const FieldDescriptor* field : fields)
    if (!field->is_map() && field->message_type() == v1::TextMatch::descriptor())
      AddPatterns(
          absl::StrCat(path, ".", field->name()), field->name(), "",
          static_cast<const v1::TextMatch&>(match.GetReflection()->GetMessage(match, field)),
          patterns);
  for (const auto& [key, text] : match.labels())
    AddPatterns(absl::StrCat(path, ".labels[\"", key, "\"]"), "", key, text, patterns);
}

std::vector<Pattern> PatternsOf(const v1::Policy& policy) {
  std::vector<Pattern> patterns;
  for (int s = 0; s < policy.stages_size(); ++s)
    for (int r = 0; r < policy.stages(s).rules_size(); ++r)
      for (int m = 0; m < policy.stages(s).rules(r).when_size(); ++m)
        AddPatterns(absl::StrCat("stages[", s, "].rules[", r, "].when[", m, "]"),
                    policy.stages(s).rules(r).when(m), patterns);
  return patterns;
}

std::string_view TextOf(const JobDescriptor& job, const Pattern& pattern) {
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"team", job.team},
      {"workload_type", job.workload_type},
      {"environment", job.environment},
      {"namespace", job.namespace_name},
      {"queue", job.queue},
      {"user", job.user},
      {"image", job.image},
      {"accelerator", job.accelerator},
      {"requested_class", job.requested_class},
      {"kind", job.kind}};
  for (const auto& [name, text] : texts)
    if (name == pattern.attribute) return text;
  for (const Label& label : job.labels)
    if (label.key == pattern.label) return label.value;
  return {};
}

// With what all texts that `regex` matches begin; empty if nothing, or nobody knows.
std::string CommonStart(const RE2& regex) {
  std::string least, greatest;
  if (!regex.PossibleMatchRange(&least, &greatest, 64)) return "";
  const auto end = std::mismatch(least.begin(), least.end(), greatest.begin(), greatest.end());
  return std::string(least.begin(), end.first);
}

// Asks the compiler, which turns some patterns into something else.
bool NeedsRe2(const std::string& regex) {
  v1::Policy policy;
  v1::Rule& rule = *policy.add_stages()->add_rules();
  rule.set_id("pattern");
  rule.add_when()->mutable_team()->add_regex(regex);
  const CompileResult result = CompilePolicy(policy);
  return result.ok() && !result.policy->evaluator().lock_free();
}

std::string AdviceFor(const Pattern& pattern, const std::vector<JobDescriptor>& jobs) {
  RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  const RE2 regex(pattern.regex, options);
  std::set<std::string> all, matched;
  for (const JobDescriptor& job : jobs) {
    const std::string_view text = TextOf(job, pattern);
    if (text.empty() || !all.emplace(text).second) continue;
    if (RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex)) matched.emplace(text);
  }
  const std::string texts =
      absl::StrCat(all.size(), all.size() == 1 ? " text" : " texts", " of these jobs");
  const std::string start =
      absl::StrCat(pattern.path, ": `", pattern.regex, "` needs RE2, which locks; ");
  if (all.empty()) return absl::StrCat(start, "none of these jobs has the text");
  if (matched.empty()) return absl::StrCat(start, "it matches none of the ", texts);
  if (matched.size() <= kMaxTexts)
    return absl::StrCat(start, "of the ", texts, " it matches `", absl::StrJoin(matched, "`, `"),
                        "`: if these are all, list them in `in`");
  const std::string common = CommonStart(regex);
  return absl::StrCat(start, "it matches ", matched.size(), " of the ", texts,
                      common.empty() ? ""
                                     : absl::StrCat("; all it can match begins with `", common,
                                                    "`: if the rest does not matter, `prefix`"
                                                    " does it"));
}

}  // namespace

std::vector<std::string> PatternAdvice(const v1::Policy& policy,
                                       const std::vector<JobDescriptor>& jobs, std::size_t max) {
  std::vector<std::string> advice;
  std::map<std::string, bool> needs_re2;  // the same pattern often stands in many rules
  std::size_t more = 0;
  for (const Pattern& pattern : PatternsOf(policy)) {
    const auto [known, is_new] = needs_re2.try_emplace(pattern.regex, false);
    if (is_new) known->second = NeedsRe2(pattern.regex);
    if (!known->second) continue;
    if (advice.size() < max)
      advice.push_back(AdviceFor(pattern, jobs));
    else
      ++more;
  }
  if (more != 0) advice.push_back(absl::StrCat("RE2 is needed in ", more, " places more"));
  return advice;
}

}  // namespace precedent::bench
