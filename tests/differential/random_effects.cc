// Random effects of a rule.
#include <limits>
#include <string>

#include "tests/differential/policy_generator.h"

namespace precedent::differential {
namespace {

std::int32_t RandomPoints(Random& random) {
  switch (random.Weighted({70, 25, 5})) {
    case 0:
      return static_cast<std::int32_t>(random.Between(-20, 20));
    case 1:
      return static_cast<std::int32_t>(random.Between(-2000, 5000));
    default:
      return random.Chance(50) ? std::numeric_limits<std::int32_t>::max()
                               : std::numeric_limits<std::int32_t>::min();
  }
}

void SetRandomScaled(bool timed, v1::ScaledAdd* scaled, Random& random) {
  if (!timed && random.Chance(20)) {
    scaled->set_metric(random.Chance(80) ? "m" : "fair");
  } else if (random.Chance(timed ? 80 : 25)) {
    scaled->set_of(v1::ScaledAdd::WAIT_SECONDS);
  } else {
    scaled->set_of(
        static_cast<v1::ScaledAdd::Source>(1 + random.Below(v1::ScaledAdd::Source_ARRAYSIZE - 1)));
  }
  static const auto& points = *new std::vector<double>{
      1, -1, 10, -10, 0.5, 0.3, -0.7, 3, 1e-3, 100, 1e9, -1e9, 0, 1e300, -1e300, 4.9e-324, 1e-9};
  static const auto& per = *new std::vector<double>{1,   2,    60, 1800, 3600,  0.1,    0.7,
                                                    1e9, 1e12, 3,  1e-9, 1e300, 1e-300, 0.001};
  scaled->set_points(random.Chance(60) ? random.Pick(points) : random.Unit() * 20 - 10);
  if (random.Chance(70))
    scaled->set_per(random.Chance(80) ? random.Pick(per) : random.Unit() + 1e-3);
  if (random.Chance(30)) scaled->set_min(static_cast<std::int32_t>(random.Between(-30, 10)));
  if (random.Chance(30)) scaled->set_max(static_cast<std::int32_t>(random.Between(10, 50)));
}

void SetRandomScore(Style style, v1::Rule* rule, Random& random) {
  const bool timed = style == Style::kTimed;
  const bool index = style == Style::kIndexed || style == Style::kHuge ||
                     style == Style::kCrowded || style == Style::kBreakpoints;
  const int others = index ? 4 : 14;  // long runs of plain adds are a case of their own
  switch (random.Weighted({45, others, timed ? 40 : others, others, others, 10})) {
    case 0:
      rule->set_add(RandomPoints(random));
      break;
    case 1:
      rule->set_set(RandomPoints(random));
      break;
    case 2:
      SetRandomScaled(timed, rule->mutable_add_scaled(), random);
      break;
    case 3:
      rule->set_at_least(RandomPoints(random));
      break;
    case 4:
      rule->set_at_most(RandomPoints(random));
      break;
    default:
      break;
  }
}

}  // namespace

void AddRandomEffects(const v1::Policy& policy, Style style, v1::Rule* rule, Random& random) {
  SetRandomScore(style, rule, random);
  if (random.Chance(12)) rule->set_order_only(true);
  const bool rare = style == Style::kCrowded || style == Style::kHuge || style == Style::kIndexed;
  if (random.Chance(rare ? 1 : 4)) rule->set_final(true);
  if (!random.Chance(rare ? 10 : 30)) return;

  AddRandomOutcomes(policy, rule, random);
}

void AddRandomOutcomes(const v1::Policy& policy, v1::Rule* rule, Random& random) {
  const std::string n = std::to_string(random.Below(4));
  const int first = static_cast<int>(random.Below(7));
  const int count = random.Chance(80) ? 1 : 3;
  for (int i = 0; i < count; ++i) {
    switch ((first + i) % 7) {
      case 0:
        if (policy.priority_classes_size() > 0)
          rule->set_priority_class(
              policy
                  .priority_classes(static_cast<int>(random.Below(policy.priority_classes_size())))
                  .name());
        break;
      case 1:
        rule->set_limit_runtime_seconds(static_cast<std::int32_t>(random.Between(1, 9999)));
        break;
      case 2:
        rule->set_share_identifier("share" + n);
        break;
      case 3:
        rule->set_never_preempt_others(random.Chance(70));
        break;
      case 4:
        (*rule->mutable_annotate())["key" + n] = "value" + std::to_string(random.Below(9));
        if (random.Chance(30)) (*rule->mutable_annotate())["common"] = rule->id();
        break;
      case 5:
        rule->set_warn("warning " + n);
        break;
      default:
        rule->set_deny("denial " + n);
        break;
    }
  }
}

}  // namespace precedent::differential
