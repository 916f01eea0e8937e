#include <utility>

#include "bench/evaluate/scenario.h"
#include "bench/workload/policy.h"
#include "bench/workload/shapes.h"

namespace precedent::bench {
namespace {

// Distinct jobs. A branch predictor learns 4,096 jobs of the seed policy by heart, not
// 32,768. The reference interpreter sees every job, so large policies get fewer.
struct Counts {
  explicit Counts(bool quick)
      : seed(32'768),
        small(quick ? 1024 : 4096),
        large(quick ? 256 : 4096),
        adverse(quick ? 64 : 1024),
        largest(quick ? 32 : 512) {}
  std::size_t seed, small, large, adverse, largest;
};

using Names = std::vector<std::string>;
using MakeRuleSet = std::function<RuleSet()>;

Scenario OfRules(std::string name, std::size_t jobs, MakeRuleSet rules, Names measurements) {
  Scenario scenario;
  scenario.name = std::move(name);
  scenario.jobs = [jobs] { return MakeJobs(jobs); };
  scenario.rules = std::move(rules);
  scenario.measurements = std::move(measurements);
  return scenario;
}

Scenario OfPolicy(std::string name, std::size_t jobs, v1::Policy (*policy)(), Names measurements) {
  Scenario scenario;
  scenario.name = std::move(name);
  scenario.jobs = [jobs] { return MakeJobs(jobs); };
  scenario.policy = policy;
  scenario.measurements = std::move(measurements);
  return scenario;
}

void AddSeeds(const Counts& counts, std::vector<Scenario>& all) {
  all.push_back(OfPolicy(
      "seed policy", counts.seed, SeedPolicy,
      {kBound, kTexts, kRecords, kBind, kBatch, kEnums, kStrings, kViews, kLuaJit, kLua54}));
  all.push_back(OfPolicy("seed policy, 4,096 jobs", 4096, SeedPolicy,
                         {kBound, kTexts, kEnums, kStrings, kViews}));
  all.push_back(OfPolicy("seed with aging", counts.seed, SeedPolicyWithAging,
                         {kBound, kTexts, kBind, kEnums}));
}

void AddStreams(const Counts& counts, std::vector<Scenario>& all) {
  const Names full = {kBound, kTexts, kBind, kBatch, kNaive, kLinear};
  Names with_lua = full;
  with_lua.insert(with_lua.end(), {kLuaJit, kLua54});
  Names compiled = full;
  compiled.push_back(kCompile);
  Names compiled_with_lua = compiled;
  compiled_with_lua.push_back(kLuaJit);
  all.push_back(OfRules(
      "10 adds", counts.small, [] { return Adds(10); }, full));
  all.push_back(OfRules(
      "100 adds", counts.small, [] { return Adds(100); }, full));
  all.push_back(OfRules(
      "1k adds", counts.small, [] { return Adds(1000); }, with_lua));
  all.push_back(OfRules(
      "10k adds", counts.large, [] { return Adds(10'000); }, compiled_with_lua));
  all.push_back(OfRules(
      "100k adds", counts.largest, [] { return Adds(100'000); }, compiled));
  all.push_back(OfRules(
      "40 mixed", counts.small, [] { return Mixed(40); }, full));
  all.push_back(OfRules(
      "1k mixed", counts.small, [] { return Mixed(1000); }, full));
  all.push_back(OfRules(
      "10k mixed", counts.large, [] { return Mixed(10'000); }, full));
}

void AddAdverse(const Counts& counts, std::vector<Scenario>& all) {
  constexpr std::size_t kRules = 10'000;
  const Names usual = {kBound, kTexts, kLinear};
  const auto add = [&](const char* name, RuleSet (*rules)(std::size_t)) {
    all.push_back(OfRules(
        name, counts.adverse, [rules] { return rules(kRules); }, usual));
  };
  add("10k, one team owns all", OneTeamOwnsAll);
  const std::size_t jobs = counts.adverse;
  all.back().jobs = [jobs] { return JobsOfOneTeam(jobs); };
  add("10k, nothing selective", NothingSelective);
  add("10k, all not_in", AllNotIn);
  add("10k, 8 Matches a rule", EightMatches);
  add("10k, FIRST_MATCH", FirstMatch);
  add("10k, FIRST_MATCH at once", FirstMatchAtOnce);
  add("10k, all effects, one stage", MixedInOneStage);
  add("10k, a time in every rule", AllTimed);
  all.push_back(OfRules(
      "10k, 5,000 breakpoints", counts.adverse, [] { return ManyBreakpoints(kRules, 5000); },
      usual));
  all.push_back(
      OfRules("10k, 3.5 labels", counts.adverse, [] { return Adds(kRules); }, {kBound, kBind}));
  all.push_back(OfRules("10k, 50 labels", counts.adverse, [] { return Adds(kRules); },
                        {kBound, kTexts, kBind, kLinear}));
  all.back().jobs = [jobs] { return JobsWithLabels(jobs, 50); };
  all.push_back(
      OfRules("10k, 1 % regex", counts.adverse, [] { return Adds(kRules, 10); }, {kBound, kTexts}));
  all.push_back(
      OfRules("10k, no regex", counts.adverse, [] { return Adds(kRules); }, {kBound, kTexts}));
  // RE2's programs are bounded over a whole policy, so there are fewer of them.
  all.push_back(OfRules("1k, 100 % regex", counts.adverse / 4, [] { return AllRegex(1000); },
                        {kBound, kTexts}));
}

void AddQueues(bool quick, std::vector<Scenario>& all) {
  constexpr std::size_t kPending = 100'000;
  all.push_back(OfPolicy(kPendingAging, kPending, SeedPolicyWithAging, {kBound, kBatch}));
  // The reference interpreter takes its time.
  if (!quick)
    all.push_back(OfRules(kPendingRules, kPending, [] { return Adds(1000); }, {kBound, kBatch}));
}

}  // namespace

std::vector<Scenario> Scenarios(bool quick) {
  const Counts counts(quick);
  std::vector<Scenario> all;
  AddSeeds(counts, all);
  AddStreams(counts, all);
  AddAdverse(counts, all);
  AddQueues(quick, all);
  return all;
}

}  // namespace precedent::bench
