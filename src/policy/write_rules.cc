#include "src/policy/write_rules.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "src/policy/attributes.h"
#include "src/policy/wait_steps.h"

namespace precedent::internal {
namespace {

class RulesWriter {
 public:
  RulesWriter(const v1::Policy& policy, const Vocabulary& vocabulary, ImageParts* parts)
      : policy_(policy), vocabulary_(vocabulary), parts_(*parts) {}

  void Write() {
    WriteLimits();
    WriteClasses();
    std::uint32_t count = 0;
    for (const v1::Stage& stage : policy_.stages()) count += stage.rules_size();
    for (const v1::Stage& stage : policy_.stages()) {
      const std::uint32_t stage_end = SizeOf(parts_.rules) + stage.rules_size();
      for (const v1::Rule& rule : stage.rules()) {
        Rule row;
        WriteEffect(rule, &row);
        if (rule.order_only()) row.flags |= Rule::kOrderOnly;
        row.next = SizeOf(parts_.rules) + 1;
        if (stage.mode() == v1::Stage::FIRST_MATCH) row.next = stage_end;
        if (rule.final()) row.next = count;
        if (WriteOutcome(rule)) row.flags |= Rule::kOutcome;
        parts_.rules.push_back(row);
      }
      parts_.stage_ends.push_back(stage_end);
    }
    for (const v1::Stage& stage : policy_.stages())
      for (const v1::Rule& rule : stage.rules())
        parts_.rule_ids.push_back(parts_.texts.AppendText(rule.id()));
    parts_.rule_ids.push_back(parts_.texts.End());
  }

 private:
  void WriteLimits() {
    Header& h = parts_.header;
    h.bounds_min = policy_.bounds().has_min() ? policy_.bounds().min() : 0;
    h.bounds_max = policy_.bounds().has_max() ? policy_.bounds().max() : 9999;
    // One that the policy gives is within the bounds; the default may have to be moved.
    h.fallback_priority = policy_.fallback().has_priority()
                              ? policy_.fallback().priority()
                              : std::clamp(500, h.bounds_min, h.bounds_max);
    for (int attribute : policy_.require_verified()) h.require_verified |= 1u << attribute;
    h.propagation_from = static_cast<std::uint32_t>(policy_.propagation().from());
    h.decay_per_hop = policy_.propagation().decay_per_hop();
    h.max_hops = policy_.propagation().max_hops();
    h.min_change = policy_.stability().min_change();
    h.min_interval_seconds = policy_.stability().min_interval_seconds();
    h.max_changes_per_hour = policy_.stability().max_changes_per_hour();
  }

  void WriteClasses() {
    std::vector<const v1::PriorityClass*> sorted;
    for (const v1::PriorityClass& c : policy_.priority_classes()) sorted.push_back(&c);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->at_least() < b->at_least(); });
    for (const v1::PriorityClass* c : sorted) {
      Class row;
      row.name = parts_.texts.Intern(c->name());
      row.at_least = c->at_least();
      class_index_[c->name()] = Append(&parts_.classes, row);
    }
    if (!policy_.fallback().priority_class().empty())
      parts_.header.fallback_class = class_index_.at(policy_.fallback().priority_class());
  }

  void WriteEffect(const v1::Rule& rule, Rule* row) {
    switch (rule.score_case()) {
      case v1::Rule::kSet:
        row->flags = Rule::kNotBelow | Rule::kNotAbove;
        row->value = rule.set();
        break;
      case v1::Rule::kAdd: row->flags = Rule::kAdd; row->value = rule.add(); break;
      case v1::Rule::kAtLeast: row->flags = Rule::kNotBelow; row->value = rule.at_least(); break;
      case v1::Rule::kAtMost: row->flags = Rule::kNotAbove; row->value = rule.at_most(); break;
      case v1::Rule::kAddScaled:
        row->flags = Rule::kAdd | Rule::kAddScaled;
        row->value = static_cast<std::int32_t>(WriteScaled(rule));
        break;
      case v1::Rule::SCORE_NOT_SET: break;
    }
  }

  std::uint32_t WriteScaled(const v1::Rule& rule) {
    const v1::ScaledAdd& add = rule.add_scaled();
    Scaled scaled;
    scaled.points = add.points();
    scaled.per = add.has_per() ? add.per() : 1;
    scaled.min = add.has_min() ? add.min() : std::numeric_limits<std::int32_t>::min();
    scaled.max = add.has_max() ? add.max() : std::numeric_limits<std::int32_t>::max();
    if (add.source_case() == v1::ScaledAdd::kMetric) {
      scaled.slot = vocabulary_.metrics.at(add.metric()).scaled_slot();
    } else if (const std::optional<Number> number = NumberOf(add.of())) {
      scaled.slot = vocabulary_.numbers.at(static_cast<std::uint32_t>(*number)).scaled_slot();
    }
    if (AddsForWait(rule)) WriteWaitSteps(&scaled, &parts_.steps);
    return Append(&parts_.scaled, scaled);
  }

  // False if it has none.
  bool WriteOutcome(const v1::Rule& rule) {
    TextPool& texts = parts_.texts;
    Outcome outcome;
    outcome.rule = SizeOf(parts_.rules);
    if (rule.has_priority_class()) {
      outcome.flags |= Outcome::kClass;
      outcome.klass = class_index_.at(rule.priority_class());
    }
    if (rule.has_limit_runtime_seconds()) {
      outcome.flags |= Outcome::kLimit;
      outcome.limit_runtime_seconds = rule.limit_runtime_seconds();
    }
    if (rule.has_share_identifier()) {
      outcome.flags |= Outcome::kShare;
      outcome.share_identifier = texts.Intern(rule.share_identifier());
    }
    if (rule.has_never_preempt_others()) {
      outcome.flags |= Outcome::kNeverPreempt;
      outcome.never_preempt_others = rule.never_preempt_others();
    }
    if (rule.has_warn()) {
      outcome.flags |= Outcome::kWarn;
      outcome.warn = texts.Intern(rule.warn());
    }
    if (rule.has_deny()) {
      outcome.flags |= Outcome::kDeny;
      outcome.deny = texts.Intern(rule.deny());
    }
    outcome.annotation_begin = SizeOf(parts_.annotations);
    const std::map<std::string, std::string> sorted(rule.annotate().begin(), rule.annotate().end());
    for (const auto& [key, value] : sorted)
      parts_.annotations.push_back({texts.Intern(key), texts.Intern(value)});
    outcome.annotation_count = SizeOf(parts_.annotations) - outcome.annotation_begin;
    if (outcome.flags == 0 && outcome.annotation_count == 0) return false;
    parts_.outcomes.push_back(outcome);
    return true;
  }

  const v1::Policy& policy_;
  const Vocabulary& vocabulary_;
  ImageParts& parts_;
  absl::flat_hash_map<std::string, std::uint32_t> class_index_;
};

}  // namespace

void WriteRules(const v1::Policy& policy, const Vocabulary& vocabulary, ImageParts* parts) {
  RulesWriter(policy, vocabulary, parts).Write();
}

bool AddsForWait(const v1::Rule& rule) {
  return rule.has_add_scaled() && rule.add_scaled().source_case() == v1::ScaledAdd::kOf &&
         rule.add_scaled().of() == v1::ScaledAdd::WAIT_SECONDS;
}

}  // namespace precedent::internal
