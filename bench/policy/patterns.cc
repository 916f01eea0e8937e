#include "bench/policy/patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

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
  std::string advice =
      absl::StrCat(pattern.path, ": `", pattern.regex, "` needs RE2, which locks; ");
  if (matched.empty())
    return absl::StrCat(advice, "it matches none of the ", all.size(), " texts of these jobs");
  if (matched.size() <= kMaxTexts) {
    absl::StrAppend(&advice, "of the ", all.size(), " texts of these jobs it matches `",
                    absl::StrJoin(matched, "`, `"), "`: if these are all, list them in `in`");
    return advice;
  }
  absl::StrAppend(&advice, "it matches ", matched.size(), " of the ", all.size(),
                  " texts of these jobs");
  if (const std::string start = CommonStart(regex); !start.empty())
    absl::StrAppend(&advice, "; all it can match begins with `", start,
                    "`: if the rest does not matter, `prefix` does it");
  return advice;
}

}  // namespace

std::vector<std::string> PatternAdvice(const v1::Policy& policy, const std::vector<Issue>& issues,
                                       const std::vector<JobDescriptor>& jobs) {
  std::set<std::string> noted;
  for (const Issue& issue : issues)
    if (issue.severity == Severity::kNote) noted.insert(issue.path);
  std::vector<std::string> advice;
  for (const Pattern& pattern : PatternsOf(policy))
    if (noted.count(pattern.path) != 0) advice.push_back(AdviceFor(pattern, jobs));
  return advice;
}

}  // namespace precedent::bench
