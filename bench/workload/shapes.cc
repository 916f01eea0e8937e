#include "bench/workload/shapes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace precedent::bench {
namespace {

// Away from the seeds of the streams.
constexpr std::uint64_t kSeed = 1000;

Effect MixedEffect(std::size_t rule) {
  switch (rule % 8) {
    case 2:
      return Effect::kSet;
    case 6:
      return Effect::kAtMost;
    case 3:
    case 7:
      return Effect::kAtLeast;
    default:
      return Effect::kAdd;
  }
}

Condition RangeOf(Field field, std::int64_t low, std::int64_t high) {
  Condition condition;
  condition.field = field;
  condition.relation = Relation::kRange;
  condition.low = low;
  condition.high = high;
  return condition;
}

Condition Consent(bool flag) {
  Condition condition;
  condition.field = Field::kPreemptible;
  condition.relation = Relation::kFlag;
  condition.flag = flag;
  return condition;
}

RuleSet OneStage(std::vector<Rule> rules, bool first_match = false) {
  RuleSet set;
  set.stages.push_back({first_match, std::move(rules)});
  return set;
}

// `kinds` distinct conditions of the first `of` kinds.
Conditions Secondaries(Random& random, unsigned count, unsigned of) {
  Conditions conditions;
  unsigned used = 0;
  while (conditions.size() < count) {
    const unsigned kind = random.Below(of);
    if ((used >> kind & 1) != 0) continue;
    used |= 1u << kind;
    conditions.push_back(MakeSecondary(random, SecondaryKind{kind}));
  }
  return conditions;
}

}  // namespace

RuleSet Adds(std::size_t count, unsigned regex_permille) {
  return OneStage(MakeRules(count, kTeams, 7, regex_permille));
}

RuleSet Mixed(std::size_t count) {
  constexpr std::size_t kStages = 8;
  RuleSet set;
  set.stages.resize(kStages);
  for (std::size_t i = 1; i < kStages; i += 2) set.stages[i].first_match = true;
  std::vector<Rule> rules = MakeRules(count);
  for (std::size_t i = 0; i < count; ++i) {
    rules[i].effect = MixedEffect(i);
    set.stages[i * kStages / count].rules.push_back(std::move(rules[i]));
  }
  return set;
}

RuleSet MixedInOneStage(std::size_t count) {
  std::vector<Rule> rules = MakeRules(count);
  for (std::size_t i = 0; i < count; ++i) rules[i].effect = MixedEffect(i);
  return OneStage(std::move(rules));
}

RuleSet OneTeamOwnsAll(std::size_t count) {
  std::vector<Rule> rules = MakeRules(count);
  for (Rule& rule : rules) {
    Conditions& conditions = rule.when[0];
    conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                    [](const Condition& condition) {
                                      return condition.field == Field::kTeam ||
                                             condition.field == Field::kNamespace;
                                    }),
                     conditions.end());
    Condition team;
    team.texts = {TeamName(0)};
    conditions.insert(conditions.begin(), std::move(team));
  }
  return OneStage(std::move(rules));
}

RuleSet NothingSelective(std::size_t count) {
  Random random(kSeed);
  std::vector<Rule> rules(count);
  for (Rule& rule : rules) {
    rule.when.push_back(Secondaries(random, 2 + random.Below(3), 6));
    rule.points = static_cast<std::int32_t>(random.Below(101)) - 50;
  }
  return OneStage(std::move(rules));
}

RuleSet AllNotIn(std::size_t count) {
  std::vector<Rule> rules = MakeRules(count);
  Random random(kSeed + 1);
  for (Rule& rule : rules)
    for (Condition& condition : rule.when[0]) {
      // A prefix cannot be excluded: some namespaces are.
      if (condition.relation == Relation::kPrefix) {
        condition.texts.clear();
        for (unsigned i = 0; i < 4; ++i)
          condition.texts.push_back(NamespaceName(random.Skewed(kTeams), PickEnvironment(random)));
      }
      if (condition.relation == Relation::kAnyOf || condition.relation == Relation::kPrefix)
        condition.relation = Relation::kNoneOf;
    }
  return OneStage(std::move(rules));
}

RuleSet EightMatches(std::size_t count) {
  constexpr std::size_t kMatches = 8;
  std::vector<Rule> parts = MakeRules(count * kMatches);
  std::vector<Rule> rules(count);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Rule& rule = rules[i / kMatches];
    rule.when.push_back(std::move(parts[i].when[0]));
    rule.points = parts[i].points;
  }
  return OneStage(std::move(rules));
}

RuleSet FirstMatch(std::size_t count) { return OneStage(MakeRules(count), true); }

RuleSet FirstMatchAtOnce(std::size_t count) {
  std::vector<Rule> rules = MakeRules(count);
  rules[0].when = {{Consent(false)}};
  rules[1].when = {{Consent(true)}};
  return OneStage(std::move(rules), true);
}

RuleSet ManyBreakpoints(std::size_t count, std::size_t breakpoints) {
  Random random(kSeed + 2);
  std::vector<Rule> rules(count);
  const auto ends = static_cast<std::uint32_t>(breakpoints / 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t width = random.Below(ends / 8);
    // The first rules take each end once, as the lower or as the upper one.
    std::int64_t low = random.Below(ends);
    if (i < ends) low = static_cast<std::int64_t>(i);
    std::int64_t high = std::min<std::int64_t>(low + width, ends - 1);
    if (i >= ends && i < 2 * ends) {
      high = static_cast<std::int64_t>(i - ends);
      low = std::max<std::int64_t>(high - width, 0);
    }
    constexpr std::int64_t kScale = 8;  // so that ranges cover what jobs have
    rules[i].when.push_back({RangeOf(Field::kDataset, low * kScale, high * kScale + kScale / 2)});
    rules[i].points = static_cast<std::int32_t>(random.Below(101)) - 50;
  }
  return OneStage(std::move(rules));
}

RuleSet AllRegex(std::size_t count) {
  Random random(kSeed + 3);
  std::vector<Rule> rules(count);
  for (Rule& rule : rules) {
    Condition condition;
    condition.field = Field::kNamespace;
    condition.relation = Relation::kRegex;
    condition.texts = {OrganisationName(random.Below(kOrganisations)) + "-team-[0-9]*" +
                       std::to_string(random.Below(100)) + "-(production|staging)"};
    rule.when.push_back({std::move(condition)});
    rule.points = static_cast<std::int32_t>(random.Below(101)) - 50;
  }
  return OneStage(std::move(rules));
}

RuleSet AllTimed(std::size_t count) {
  std::vector<Rule> rules = MakeRules(count);
  Random random(kSeed + 4);
  for (Rule& rule : rules) {
    const std::int64_t low = 600 * random.Below(60);
    rule.when[0].push_back(RangeOf(Field::kWait, low, low + 600 * (1 + random.Below(20))));
  }
  return OneStage(std::move(rules));
}

std::vector<Job> JobsOfOneTeam(std::size_t count) {
  std::vector<Job> jobs = MakeJobs(count);
  for (Job& job : jobs) job.team = TeamName(0);
  return jobs;
}

std::vector<Job> JobsWithLabels(std::size_t count, std::size_t labels) {
  std::vector<Job> jobs = MakeJobs(count);
  Random random(kSeed + 5);
  for (Job& job : jobs) {
    for (unsigned i = 0; job.labels.size() < labels; ++i)
      job.labels.emplace_back("app.example.com/key-" + std::to_string(i), PickLabelValue(random));
    for (std::size_t i = job.labels.size(); i > 1; --i)
      std::swap(job.labels[i - 1], job.labels[random.Below(static_cast<std::uint32_t>(i))]);
  }
  return jobs;
}

}  // namespace precedent::bench
