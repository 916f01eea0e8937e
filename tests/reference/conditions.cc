#include "tests/reference/conditions.h"

#include <cmath>

namespace precedent::reference {
namespace {

bool Contains(const google::protobuf::RepeatedPtrField<std::string>& list,
              const std::string& text) {
  for (const std::string& value : list)
    if (value == text) return true;
  return false;
}

// Empty is absent: the rule for the texts outside labels.
std::optional<std::string> Text(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

__int128 Nanoseconds(const google::protobuf::Timestamp& time) {
  return static_cast<__int128>(time.seconds()) * 1'000'000'000 + time.nanos();
}

bool LineageHolds(const v1::LineageMatch& match, const v1::Lineage& lineage) {
  const auto count = [](std::int64_t n) { return static_cast<double>(n); };
  if (match.has_failure_count() &&
      !NumberHolds(match.failure_count(), count(lineage.failure_count())))
    return false;
  if (match.has_preemption_count() &&
      !NumberHolds(match.preemption_count(), count(lineage.preemption_count())))
    return false;
  if (match.has_infrastructure_failure_count() &&
      !NumberHolds(match.infrastructure_failure_count(),
                   count(lineage.infrastructure_failure_count())))
    return false;
  if (match.has_attempt() && !NumberHolds(match.attempt(), count(lineage.attempt()))) return false;
  if (match.has_depth() && !NumberHolds(match.depth(), count(lineage.depth()))) return false;
  if (match.has_predecessor_runtime_seconds() &&
      !NumberHolds(
          match.predecessor_runtime_seconds(),
          Number(lineage.has_predecessor_runtime_seconds(), lineage.predecessor_runtime_seconds())))
    return false;
  if (match.has_step() && !NumberHolds(match.step(), count(lineage.step()))) return false;
  if (match.has_progress() &&
      !NumberHolds(match.progress(), Number(lineage.has_progress(), lineage.progress())))
    return false;
  if (match.has_reported_priority() &&
      !NumberHolds(match.reported_priority(),
                   Number(lineage.has_reported_priority(), lineage.reported_priority())))
    return false;
  if (match.has_retry_of_preempted() && match.retry_of_preempted() != lineage.retry_of_preempted())
    return false;
  return true;
}

}  // namespace

std::optional<double> Number(bool has, double value) {
  if (!has || std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<double> MetricOf(const Job& job, const std::string& name) {
  for (const auto& [key, value] : job.metrics)
    if (key == name) return Number(true, value);
  return std::nullopt;
}

std::optional<std::string> LabelOf(const Job& job, const std::string& key) {
  for (const auto& [name, value] : job.labels)
    if (name == key) return value;
  return std::nullopt;
}

bool NumberHolds(const v1::NumberMatch& match, std::optional<double> number) {
  if (!number) return match.has_present() && !match.present();
  if (match.has_present() && !match.present()) return false;
  if (match.has_above() && !(*number > match.above())) return false;
  if (match.has_at_least() && !(*number >= match.at_least())) return false;
  if (match.has_below() && !(*number < match.below())) return false;
  if (match.has_at_most() && !(*number <= match.at_most())) return false;
  return true;
}

bool IsActive(const v1::Rule& rule, std::int64_t now) {
  const __int128 time = static_cast<__int128>(now) * 1000;
  if (rule.has_active_from() && time < Nanoseconds(rule.active_from())) return false;
  if (rule.has_active_until() && time >= Nanoseconds(rule.active_until())) return false;
  return true;
}

Conditions::Conditions(const v1::Policy& policy)
    : policy_(policy), zone_(Zone::Named(policy.time_zone())) {
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      for (const v1::Match& match : rule.when()) {
        AddPatterns(match.team());
        AddPatterns(match.workload_type());
        AddPatterns(match.environment());
        AddPatterns(match.namespace_());
        AddPatterns(match.queue());
        AddPatterns(match.user());
        AddPatterns(match.image());
        AddPatterns(match.accelerator());
        AddPatterns(match.requested_class());
        AddPatterns(match.kind());
        for (const auto& [key, text] : match.labels()) AddPatterns(text);
      }
    }
  }
}

void Conditions::AddPatterns(const v1::TextMatch& match) {
  for (const std::string& pattern : match.regex()) {
    std::unique_ptr<const RE2>& compiled = patterns_[pattern];
    if (compiled != nullptr) continue;
    RE2::Options options;
    options.set_dot_nl(true);
    options.set_log_errors(false);
    compiled = std::make_unique<const RE2>(pattern, options);
  }
}

bool Conditions::TextHolds(const v1::TextMatch& match,
                           const std::optional<std::string>& text) const {
  const bool any_positive = match.in_size() > 0 || match.in_set_size() > 0 ||
                            match.prefix_size() > 0 || match.suffix_size() > 0 ||
                            match.contains_size() > 0 || match.regex_size() > 0;
  if (!text) {
    if (match.has_present()) return !match.present();
    return !any_positive && match.not_in_size() > 0;
  }
  if (match.has_present() && !match.present()) return false;
  if (Contains(match.not_in(), *text)) return false;
  if (!any_positive) return true;

  if (Contains(match.in(), *text)) return true;
  for (const std::string& name : match.in_set())
    for (const v1::ValueSet& set : policy_.sets())
      if (set.name() == name && Contains(set.values(), *text)) return true;
  for (const std::string& prefix : match.prefix())
    if (text->size() >= prefix.size() && text->compare(0, prefix.size(), prefix) == 0) return true;
  for (const std::string& suffix : match.suffix())
    if (text->size() >= suffix.size() &&
        text->compare(text->size() - suffix.size(), suffix.size(), suffix) == 0)
      return true;
  for (const std::string& part : match.contains())
    if (text->find(part) != std::string::npos) return true;
  for (const std::string& pattern : match.regex())
    if (RE2::FullMatch(*text, *patterns_.at(pattern))) return true;
  return false;
}

bool Conditions::TimelessHolds(const v1::Match& match, const Job& job) const {
  const v1::JobDescriptor& facts = job.facts;
  if (match.has_team() && !TextHolds(match.team(), Text(facts.team()))) return false;
  if (match.has_workload_type() && !TextHolds(match.workload_type(), Text(facts.workload_type())))
    return false;
  if (match.has_environment() && !TextHolds(match.environment(), Text(facts.environment())))
    return false;
  if (match.has_namespace_() && !TextHolds(match.namespace_(), Text(facts.namespace_())))
    return false;
  if (match.has_queue() && !TextHolds(match.queue(), Text(facts.queue()))) return false;
  if (match.has_user() && !TextHolds(match.user(), Text(facts.user()))) return false;
  if (match.has_image() && !TextHolds(match.image(), Text(facts.image()))) return false;
  if (match.has_accelerator() && !TextHolds(match.accelerator(), Text(facts.accelerator())))
    return false;
  if (match.has_requested_class() &&
      !TextHolds(match.requested_class(), Text(facts.requested_class())))
    return false;
  if (match.has_kind() && !TextHolds(match.kind(), Text(facts.kind()))) return false;
  if (match.has_gpu_count() &&
      !NumberHolds(match.gpu_count(), Number(facts.has_gpu_count(), facts.gpu_count())))
    return false;
  if (match.has_pod_count() &&
      !NumberHolds(match.pod_count(), Number(facts.has_pod_count(), facts.pod_count())))
    return false;
  if (match.has_dataset_bytes() &&
      !NumberHolds(match.dataset_bytes(), Number(facts.has_dataset_bytes(), facts.dataset_bytes())))
    return false;
  if (match.has_max_runtime_seconds() &&
      !NumberHolds(match.max_runtime_seconds(),
                   Number(facts.has_max_runtime_seconds(), facts.max_runtime_seconds())))
    return false;
  if (match.has_checkpoint_interval_seconds() &&
      !NumberHolds(
          match.checkpoint_interval_seconds(),
          Number(facts.has_checkpoint_interval_seconds(), facts.checkpoint_interval_seconds())))
    return false;
  if (match.has_preemptible() && match.preemptible() != facts.preemptible()) return false;
  if (match.has_lineage() && !LineageHolds(match.lineage(), facts.lineage())) return false;
  for (const auto& [key, text] : match.labels())
    if (!TextHolds(text, LabelOf(job, key))) return false;
  for (const auto& [name, number] : match.metrics())
    if (!NumberHolds(number, MetricOf(job, name))) return false;
  return true;
}

bool Conditions::TimedHolds(const v1::Match& match, const Job& job, std::int64_t now) const {
  const std::int64_t offset = zone_.OffsetAt(now);
  if (match.has_wait_seconds() &&
      !NumberHolds(match.wait_seconds(), WaitSeconds(job.submitted_us, now)))
    return false;
  if (match.has_hour_of_day() && !NumberHolds(match.hour_of_day(), HourOfDay(now, offset)))
    return false;
  if (match.has_day_of_week() && !NumberHolds(match.day_of_week(), DayOfWeek(now, offset)))
    return false;
  return true;
}

bool Conditions::RuleHolds(const v1::Rule& rule, const Job& job, std::int64_t now) const {
  if (!IsActive(rule, now)) return false;
  if (rule.when().empty()) return true;
  for (const v1::Match& match : rule.when())
    if (TimelessHolds(match, job) && TimedHolds(match, job, now)) return true;
  return false;
}

}  // namespace precedent::reference
