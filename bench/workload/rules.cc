#include <utility>

#include "bench/workload/rule.h"

namespace precedent::bench {
namespace {

constexpr std::int64_t kNoLimit = 1'000'000;

Condition Range(Field field, std::int64_t low, std::int64_t high) {
  Condition condition;
  condition.field = field;
  condition.relation = Relation::kRange;
  condition.low = low;
  condition.high = high;
  return condition;
}

Condition Text(Field field, std::string text) {
  Condition condition;
  condition.field = field;
  condition.texts = {std::move(text)};
  return condition;
}

Condition GpuRange(Random& random) {
  constexpr int kLow[7] = {0, 1, 2, 5, 9, 17, 65};
  const int low = kLow[random.Below(7)];
  if (random.Permille(400)) return Range(Field::kGpus, low, kNoLimit);
  return Range(Field::kGpus, low, low * 2 + static_cast<int>(random.Below(8)));
}

Condition DatasetRange(Random& random) {
  if (random.Permille(500)) return Range(Field::kDataset, 50 * random.Below(40), 1'000'000'000);
  return Range(Field::kDataset, 0, 50 + 50 * random.Below(40));
}

Condition FailureRange(Random& random) {
  const std::int64_t low = random.Below(4);
  if (random.Permille(500)) return Range(Field::kFailures, low, kNoLimit);
  return Range(Field::kFailures, low, low + random.Below(3));
}

Condition SeveralTeams(Random& random, unsigned teams) {
  Condition condition;
  const unsigned count = 2 + random.Below(15);
  const unsigned first = random.Below(teams);
  for (unsigned i = 0; i < count; ++i)
    condition.texts.push_back(TeamName((first + i * 37) % teams));
  return condition;
}

Condition NamespacePrefix(Random& random, unsigned teams) {
  const unsigned team = random.Below(teams);
  Condition condition = Text(Field::kNamespace, OrganisationName(team) + "-");
  condition.relation = Relation::kPrefix;
  if (!random.Permille(500)) condition.texts[0] += TeamName(team) + "-";
  return condition;
}

Condition NamespacePattern(Random& random) {
  // The digit is drawn first: so g++ evaluated the first definition of this stream, which
  // leaves the order to the compiler.
  const std::string digit = std::to_string(random.Below(10));
  const std::string organisation = OrganisationName(random.Below(kOrganisations));
  Condition condition = Text(
      Field::kNamespace, "^" + organisation + "-team-[0-9]*" + digit + "-(production|staging)$");
  condition.relation = Relation::kRegex;
  return condition;
}

constexpr unsigned BitOf(SecondaryKind kind) { return 1u << static_cast<unsigned>(kind); }

// The order of the draws is part of the stream.
Rule MakeRule(Random& random, unsigned teams, unsigned regex_permille) {
  const unsigned percent = random.Below(100);
  Condition first;
  unsigned more = 0;
  unsigned used = 0;
  if (percent < 60) {
    first = Text(Field::kTeam, TeamName(random.Below(teams)));
    more = random.Below(4);
  } else if (percent < 75) {
    first = SeveralTeams(random, teams);
    more = random.Below(4);
  } else if (percent < 90) {
    first = NamespacePrefix(random, teams);
    more = 1 + random.Below(3);
    // 15 % of the rules come here, hence 150.
    if (regex_permille != 0 && random.Below(150) < regex_permille) first = NamespacePattern(random);
  } else if (percent < 95) {
    first = MakeSecondary(random, SecondaryKind::kLabel);
    more = random.Below(4);
    used = BitOf(SecondaryKind::kLabel);
  } else {
    first = MakeSecondary(random, SecondaryKind::kGpus);
    more = 2 + random.Below(2);
    used = BitOf(SecondaryKind::kGpus);
  }
  Rule rule;
  Conditions& conditions = rule.when.emplace_back();
  conditions.push_back(std::move(first));
  while (more > 0) {
    const SecondaryKind kind{random.Below(7)};
    if ((used & BitOf(kind)) != 0) continue;
    used |= BitOf(kind);
    conditions.push_back(MakeSecondary(random, kind));
    --more;
  }
  rule.points = static_cast<std::int32_t>(random.Below(101)) - 50;
  return rule;
}

}  // namespace

std::size_t RuleCount(const RuleSet& rules) {
  std::size_t count = 0;
  for (const Stage& stage : rules.stages) count += stage.rules.size();
  return count;
}

Condition MakeSecondary(Random& random, SecondaryKind kind) {
  switch (kind) {
    case SecondaryKind::kWorkload:
      return Text(Field::kWorkload, PickWorkload(random));
    case SecondaryKind::kGpus:
      return GpuRange(random);
    case SecondaryKind::kDataset:
      return DatasetRange(random);
    case SecondaryKind::kFailures:
      return FailureRange(random);
    case SecondaryKind::kEnvironment:
      return Text(Field::kEnvironment, PickEnvironment(random));
    case SecondaryKind::kPreemptible: {
      Condition condition;
      condition.field = Field::kPreemptible;
      condition.relation = Relation::kFlag;
      condition.flag = random.Permille(300);
      return condition;
    }
    case SecondaryKind::kLabel:
      break;
  }
  std::string key = LabelKey(random.Below(kLabelKeys));
  Condition condition = Text(Field::kLabel, PickLabelValue(random));
  condition.key = std::move(key);
  return condition;
}

std::vector<Rule> MakeRules(std::size_t count, unsigned teams, std::uint64_t seed,
                            unsigned regex_permille) {
  Random random(seed);
  std::vector<Rule> rules;
  rules.reserve(count);
  for (std::size_t i = 0; i < count; ++i) rules.push_back(MakeRule(random, teams, regex_permille));
  return rules;
}

}  // namespace precedent::bench
