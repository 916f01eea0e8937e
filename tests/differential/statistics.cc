#include "tests/differential/statistics.h"

#include <cstdio>

namespace precedent::differential {

void Statistics::BeginPolicy(const v1::Policy& policy, bool lock_free) {
  ++counts_["policies"];
  if (lock_free) ++counts_["lock-free policies"];
  rules_.clear();
  effects_.clear();
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      rules_.push_back(&rule);
      std::vector<std::uint64_t*>& effects = effects_.emplace_back();
      const auto effect = [&](bool has, const char* name) {
        if (has) effects.push_back(&counts_[std::string("applied ") + name]);
      };
      effect(rule.when_size() > 0, "with conditions");
      effect(rule.when_size() > 1, "with several matches");
      effect(rule.has_set(), "set");
      effect(rule.has_add(), "add");
      effect(rule.has_add_scaled(), "add_scaled");
      effect(rule.has_at_least(), "at_least");
      effect(rule.has_at_most(), "at_most");
      effect(rule.order_only() && rule.score_case() != v1::Rule::SCORE_NOT_SET, "order_only");
      effect(rule.has_priority_class(), "priority_class");
      effect(rule.has_limit_runtime_seconds(), "limit_runtime_seconds");
      effect(rule.has_share_identifier(), "share_identifier");
      effect(rule.has_never_preempt_others(), "never_preempt_others");
      effect(rule.annotate_size() > 0, "annotate");
      effect(rule.has_warn(), "warn");
      effect(rule.has_deny(), "deny");
      effect(rule.final(), "final");
      effect(stage.mode() == v1::Stage::FIRST_MATCH, "first match");
      effect(rule.has_active_from() || rule.has_active_until(), "temporary");
    }
  }
  if (rules_.size() > 1000) ++counts_["policies of more than 1000 rules"];
  applied_.assign(rules_.size(), 0);
}

void Statistics::Add(const reference::Outcome& outcome) {
  ++counts_["pairs"];
  counts_["applied rules"] += outcome.rules.size();
  bool conditional = false;
  for (std::uint32_t rule : outcome.rule_indexes) {
    applied_[rule] = 1;
    conditional |= rules_[rule]->when_size() > 0;
    for (std::uint64_t* count : effects_[rule]) ++*count;
  }
  if (conditional) ++counts_["jobs that satisfy a condition"];
  if (outcome.rules.size() > 200) ++counts_["jobs with more than 200 rules"];
  if (outcome.reason == v1::FALLBACK_INVALID_INPUT) ++counts_["invalid jobs"];
  if (outcome.ignored_claims != 0) ++counts_["ignored claims"];
  if (outcome.valid_until_us) ++counts_["finite valid_until"];
  if (outcome.priority != outcome.preemption_priority) ++counts_["two priorities"];
}

void Statistics::EndPolicy() {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i]->when().empty()) continue;
    ++counts_["conditional rules"];
    if (applied_[i]) ++counts_["conditional rules that applied"];
  }
}

std::uint64_t Statistics::count(const std::string& what) const {
  const auto found = counts_.find(what);
  return found == counts_.end() ? 0 : found->second;
}

double Statistics::PerPair(const std::string& what) const {
  return static_cast<double>(count(what)) / static_cast<double>(pairs());
}

double Statistics::PerPolicy(const std::string& what) const {
  return static_cast<double>(count(what)) / static_cast<double>(count("policies"));
}

std::string Statistics::ToText() const {
  std::string text;
  for (const auto& [name, count] : counts_) {
    char line[120];
    std::snprintf(line, sizeof line, "  %-36s %12llu  %8.4f per pair\n", name.c_str(),
                  static_cast<unsigned long long>(count), PerPair(name));
    text += line;
  }
  return text;
}

}  // namespace precedent::differential
