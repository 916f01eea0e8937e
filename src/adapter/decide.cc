#include "src/adapter/decide.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "precedent/evaluator.h"
#include "precedent/job_view.h"

namespace precedent::adapter {
namespace {

std::vector<std::uint32_t> AppliedRules(const Evaluator& evaluator, const JobDescriptor& job,
                                        TimePoint now) {
  std::vector<std::uint32_t> rules(64);
  const std::size_t count = evaluator.AppliedRules(job, now, rules);
  const bool fits = count <= rules.size();
  rules.resize(count);
  if (!fits) evaluator.AppliedRules(job, now, rules);
  return rules;
}

void SetValidUntil(TimePoint until, v1::Decision* message) {
  if (until == kForever) return;
  const std::int64_t micros = until.time_since_epoch().count();
  std::int64_t seconds = micros / 1'000'000;
  if (micros % 1'000'000 < 0) --seconds;
  // Beyond the year 9999 there is no Timestamp; nobody will keep the decision so long.
  if (seconds > 253'402'300'799) return;
  message->mutable_valid_until()->set_seconds(seconds);
  message->mutable_valid_until()->set_nanos(
      static_cast<std::int32_t>((micros - seconds * 1'000'000) * 1000));
}

void AddIgnoredClaims(std::uint32_t ignored, v1::Decision* message) {
  for (int number = v1::Attribute_MIN; number <= v1::Attribute_MAX; ++number)
    if ((ignored >> number & 1) != 0 && v1::Attribute_IsValid(number))
      message->add_remarks(absl::StrCat("claimed ",
                                        AttributeName(static_cast<v1::Attribute>(number)),
                                        " ignored: the policy requires it to be verified"));
}

v1::Decision ToMessage(const Decision& decision, const DescribedJob& described) {
  v1::Decision message;
  message.set_job(described.job.name());
  message.set_kind(described.job.kind());
  message.set_priority(decision.priority);
  message.set_preemption_priority(decision.preemption_priority);
  message.set_priority_class(std::string(decision.priority_class));
  message.set_reason(static_cast<v1::Reason>(decision.reason));
  message.set_verdict(static_cast<v1::Verdict>(decision.verdict));
  message.set_preemptible(decision.preemptible);
  message.set_denial(std::string(decision.denial));
  message.set_limit_runtime_seconds(decision.limit_runtime_seconds);
  message.set_share_identifier(std::string(decision.share_identifier));
  message.set_never_preempt_others(decision.never_preempt_others);
  message.set_policy_fingerprint(std::string(decision.policy_fingerprint));
  SetValidUntil(decision.valid_until, &message);
  for (const std::string& remark : described.remarks) message.add_remarks(remark);
  return message;
}

}  // namespace

std::string AttributeName(v1::Attribute attribute) {
  return absl::AsciiStrToLower(v1::Attribute_Name(attribute));
}

v1::Decision Decide(const Evaluator& evaluator, const DescribedJob& described, TimePoint now) {
  const JobView view(described.job);
  const JobDescriptor job = view.descriptor();
  const Decision decision = evaluator.Evaluate(job, now);
  v1::Decision message = ToMessage(decision, described);
  for (const std::uint32_t index : AppliedRules(evaluator, job, now)) {
    const RuleInfo rule = evaluator.rule(index);
    message.add_rules(std::string(rule.id));
    if (rule.warning) message.add_warnings(std::string(*rule.warning));
    for (std::uint32_t i = 0; i < rule.annotation_count; ++i) {
      const Annotation annotation = evaluator.annotation(index, i);
      (*message.mutable_annotations())[std::string(annotation.key)] = std::string(annotation.value);
    }
  }
  AddIgnoredClaims(decision.ignored_claims, &message);
  return message;
}

v1::Decision DecideWithoutPolicy(const v1::Fallback& options, const DescribedJob& described) {
  Fallback fallback;
  if (options.has_priority()) fallback.priority = options.priority();
  fallback.priority_class = options.priority_class();
  return ToMessage(FallbackDecision(fallback), described);
}

v1::Decision DecideUnreadable(const Evaluator& evaluator, const DescribedJob& described) {
  JobDescriptor job;
  job.gpu_count = -1;  // no job has that
  return ToMessage(evaluator.Evaluate(job, TimePoint()), described);
}

}  // namespace precedent::adapter
