#include "bench/workload/policy.h"

#include <algorithm>
#include <string>

namespace precedent::bench {
namespace {

// The text that `condition` is about, for writing.
v1::TextMatch* TextOf(const Condition& condition, v1::Match& match) {
  switch (condition.field) {
    case Field::kTeam:
      return match.mutable_team();
    case Field::kNamespace:
      return match.mutable_namespace_();
    case Field::kWorkload:
      return match.mutable_workload_type();
    case Field::kEnvironment:
      return match.mutable_environment();
    default:
      return &(*match.mutable_labels())[condition.key];
  }
}

void SetRange(const Condition& condition, v1::Match& match) {
  double unit = 1;
  v1::NumberMatch* number = nullptr;
  switch (condition.field) {
    case Field::kGpus:
      number = match.mutable_gpu_count();
      break;
    case Field::kFailures:
      number = match.mutable_lineage()->mutable_failure_count();
      break;
    case Field::kWait:
      number = match.mutable_wait_seconds();
      break;
    default:
      number = match.mutable_dataset_bytes();
      unit = kBytesPerGb;
  }
  number->set_at_least(static_cast<double>(condition.low) * unit);
  number->set_at_most(static_cast<double>(condition.high) * unit);
}

void SetCondition(const Condition& condition, v1::Match& match) {
  switch (condition.relation) {
    case Relation::kRange:
      SetRange(condition, match);
      return;
    case Relation::kFlag:
      match.set_preemptible(condition.flag);
      return;
    case Relation::kPrefix:
      TextOf(condition, match)->add_prefix(condition.texts[0]);
      return;
    case Relation::kRegex:
      TextOf(condition, match)->add_regex(condition.texts[0]);
      return;
    case Relation::kAnyOf:
      for (const std::string& text : condition.texts) TextOf(condition, match)->add_in(text);
      return;
    case Relation::kNoneOf:
      for (const std::string& text : condition.texts) TextOf(condition, match)->add_not_in(text);
      return;
  }
}

void SetEffect(const Rule& from, v1::Rule& to) {
  switch (from.effect) {
    case Effect::kAdd:
      to.set_add(from.points);
      return;
    case Effect::kSet:
      to.set_set(from.points);
      return;
    case Effect::kAtLeast:
      to.set_at_least(from.points);
      return;
    case Effect::kAtMost:
      to.set_at_most(from.points);
      return;
  }
}

// Appends a rule with one Match to constrain.
v1::Match& AddRule(v1::Stage& stage, const char* id) {
  v1::Rule& rule = *stage.add_rules();
  rule.set_id(id);
  return *rule.add_when();
}

v1::Rule& LastRule(v1::Stage& stage) { return *stage.mutable_rules(stage.rules_size() - 1); }

v1::Stage& AddStage(v1::Policy& policy, const char* name, v1::Stage::Mode mode) {
  v1::Stage& stage = *policy.add_stages();
  stage.set_name(name);
  stage.set_mode(mode);
  return stage;
}

v1::Policy SeedPolicy(bool aging) {
  v1::Policy policy;
  policy.set_name(aging ? "seed with aging" : "seed");

  v1::Stage& base = AddStage(policy, "base", v1::Stage::FIRST_MATCH);
  AddRule(base, "production").mutable_environment()->add_in("production");
  LastRule(base).set_set(1000);
  v1::Rule& everyone_else = *base.add_rules();
  everyone_else.set_id("everyone-else");
  everyone_else.set_set(500);

  v1::Stage& urgency = AddStage(policy, "urgency", v1::Stage::FIRST_MATCH);
  AddRule(urgency, "inference").mutable_workload_type()->add_in("inference");
  LastRule(urgency).set_add(200);
  AddRule(urgency, "large").mutable_gpu_count()->set_above(4);
  LastRule(urgency).set_add(-50);

  v1::Stage& size = AddStage(policy, "size", v1::Stage::EVERY_MATCH);
  v1::Match& huge = AddRule(size, "huge-dataset");
  huge.mutable_workload_type()->add_in("training");
  huge.mutable_dataset_bytes()->set_above(1024 * kBytesPerGb);
  LastRule(size).set_add(-5);

  v1::Rule& failures = *AddStage(policy, "lineage", v1::Stage::EVERY_MATCH).add_rules();
  failures.set_id("own-failures");
  failures.mutable_add_scaled()->set_of(v1::ScaledAdd::FAILURE_COUNT);
  failures.mutable_add_scaled()->set_points(-10);

  if (aging) {
    v1::Rule& waiting = *AddStage(policy, "aging", v1::Stage::EVERY_MATCH).add_rules();
    waiting.set_id("waiting");
    waiting.set_order_only(true);
    v1::ScaledAdd& scaled = *waiting.mutable_add_scaled();
    scaled.set_of(v1::ScaledAdd::WAIT_SECONDS);
    scaled.set_points(1);
    scaled.set_per(1800);
    scaled.set_max(40);
  }

  v1::Stage& consent = AddStage(policy, "consent", v1::Stage::EVERY_MATCH);
  AddRule(consent, "preemptible").set_preemptible(true);
  LastRule(consent).set_set(0);
  LastRule(consent).set_final(true);
  return policy;
}

}  // namespace

v1::Policy ToPolicy(const RuleSet& rules) {
  v1::Policy policy;
  policy.mutable_bounds()->set_min(kMinPriority);
  policy.mutable_bounds()->set_max(kMaxPriority);
  std::size_t number = 0;
  for (const Stage& from_stage : rules.stages) {
    v1::Stage& stage = *policy.add_stages();
    if (from_stage.first_match) stage.set_mode(v1::Stage::FIRST_MATCH);
    for (const Rule& from : from_stage.rules) {
      v1::Rule& rule = *stage.add_rules();
      rule.set_id("r" + std::to_string(number++));
      for (const Conditions& conditions : from.when) {
        v1::Match& match = *rule.add_when();
        for (const Condition& condition : conditions) SetCondition(condition, match);
      }
      SetEffect(from, rule);
    }
  }
  return policy;
}

v1::Policy SeedPolicy() { return SeedPolicy(false); }
v1::Policy SeedPolicyWithAging() { return SeedPolicy(true); }

std::int32_t SeedPriority(const Job& job) {
  std::int64_t priority = job.environment == "production" ? 1000 : 500;
  if (job.workload == "inference")
    priority += 200;
  else if (job.gpus > 4)
    priority -= 50;
  if (job.workload == "training" && job.dataset_gb > 1024) priority -= 5;
  priority -= 10 * job.failures;
  if (job.preemptible) priority = 0;
  return static_cast<std::int32_t>(std::max<std::int64_t>(priority, 0));
}

}  // namespace precedent::bench
