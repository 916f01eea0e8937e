// Rules in a neutral form, of which policies and rivals are made, and the stream of
// rules that is measured.
#ifndef PRECEDENT_BENCH_WORKLOAD_RULE_H_
#define PRECEDENT_BENCH_WORKLOAD_RULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/names.h"

namespace precedent::bench {

enum class Field {
  kTeam,
  kNamespace,
  kWorkload,
  kEnvironment,
  kGpus,
  kDataset,  // GB
  kFailures,
  kPreemptible,
  kLabel,
  kWait,  // whole seconds
};

enum class Relation {
  kAnyOf,   // one of `texts`
  kNoneOf,  // absent, or none of `texts`
  kPrefix,  // begins with texts[0]
  kRegex,   // texts[0], RE2 syntax
  kRange,   // low <= number <= high
  kFlag,    // equals `flag`
};

struct Condition {
  Field field = Field::kTeam;
  Relation relation = Relation::kAnyOf;
  std::vector<std::string> texts;
  std::string key;  // of a label
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool flag = false;
};

enum class Effect { kAdd, kSet, kAtLeast, kAtMost };

// All conditions of one alternative must hold.
using Conditions = std::vector<Condition>;

struct Rule {
  std::vector<Conditions> when;  // alternatives; at least one
  Effect effect = Effect::kAdd;
  std::int32_t points = 0;
};

struct Stage {
  bool first_match = false;
  std::vector<Rule> rules;
};

struct RuleSet {
  std::vector<Stage> stages;
};

// Final clamp of all rule sets: wide enough for every sum of the streams.
inline constexpr std::int32_t kMinPriority = -10'000'000;
inline constexpr std::int32_t kMaxPriority = 10'000'000;

std::size_t RuleCount(const RuleSet& rules);

// What a condition that is not a rule's first can be about.
enum class SecondaryKind : unsigned {
  kWorkload,
  kGpus,
  kDataset,
  kPreemptible,
  kFailures,
  kEnvironment,
  kLabel
};
Condition MakeSecondary(Random& random, SecondaryKind kind);

// The same rules on every machine, each with one alternative and the effect `add`:
// 60 % name a team, 15 % several, 15 % a prefix of namespaces, 5 % a label, 5 % no text
// but perhaps workload or environment; with up to three conditions more.
// `regex_permille` of the rules have a regular expression in place of the prefix.
std::vector<Rule> MakeRules(std::size_t count, unsigned teams = kTeams, std::uint64_t seed = 7,
                            unsigned regex_permille = 0);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_RULE_H_
