#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "bench/evaluate/scenario.h"
#include "bench/harness/subject.h"
#include "bench/rivals/rival.h"
#include "bench/workload/policy.h"

namespace precedent::bench {
namespace {

// Null, without error, where this build has no such contender.
std::unique_ptr<Contender> Make(const std::string& name, const Subject& subject,
                                const RuleSet& rules, const std::vector<Job>& jobs,
                                std::string* error) {
  if (name == kBound) return subject.Bound();
  if (name == kTexts) return subject.FromTexts();
  if (name == kRecords) return subject.FromRecords();
  if (name == kBind) return subject.BindOnly();
  if (name == kBatch) return subject.Batch();
  if (name == kEnums) return SeedOnEnums(jobs);
  if (name == kStrings) return SeedOnStrings(jobs);
  if (name == kViews) return SeedOnStringViews(jobs);
  if (name == kNaive) return NaiveLoop(rules, jobs);
  if (name == kLinear) return LinearScan(rules, jobs);
  for (const auto& [lua, library] : {std::pair<const char*, const char*>{kLuaJit, PRECEDENT_LUAJIT},
                                     {kLua54, PRECEDENT_LUA54}}) {
    if (name != lua || *library == '\0') continue;
    return rules.stages.empty() ? LuaSeed(library, jobs, error)
                                : LuaLoop(library, rules, jobs, error);
  }
  return nullptr;
}

// Least of three: it is long enough to be interrupted.
double CompileMilliseconds(const v1::Policy& policy) {
  double least = 1e99;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t start = ThreadNanoseconds();
    const CompileResult result = CompilePolicy(policy);
    if (!result.ok()) std::abort();  // it compiled before
    least = std::min(least, static_cast<double>(ThreadNanoseconds() - start) / 1e6);
  }
  return least;
}

}  // namespace

Results Run(const Scenario& scenario, const Budget& budget, std::string* error) {
  const std::vector<Job> jobs = scenario.jobs();
  const RuleSet rules = scenario.rules ? scenario.rules() : RuleSet();
  const v1::Policy policy = scenario.rules ? ToPolicy(rules) : scenario.policy();
  const std::unique_ptr<Subject> subject = Subject::Make(policy, jobs, error);
  if (subject == nullptr) return {};
  *error = subject->CheckAgainstReference();
  if (!error->empty()) return {};

  std::vector<std::string> names;
  std::vector<std::unique_ptr<Contender>> owned;
  std::vector<Contender*> contenders;
  for (const std::string& name : scenario.measurements) {
    std::unique_ptr<Contender> contender = Make(name, *subject, rules, jobs, error);
    if (!error->empty()) return {};
    if (contender == nullptr) continue;
    // The enums' record has no time, so they stand beside aging without deciding it.
    const bool comparable =
        name != kBind && !(name == kEnums && scenario.name == "seed with aging");
    if (comparable) *error = subject->Check(*contender);
    if (!error->empty()) {
      *error = name + ": " + *error;
      return {};
    }
    names.push_back(name);
    contenders.push_back(contender.get());
    owned.push_back(std::move(contender));
  }

  Results results;
  const std::vector<double> times = Measure(contenders, jobs.size(), budget);
  for (std::size_t i = 0; i < names.size(); ++i) results[names[i]] = times[i];
  if (results.count(kBound) != 0) {
    const double batch = results.count(kBatch) != 0 ? results[kBatch] : results[kBound];
    results[kQueue] = std::min(batch, results[kBound]) * static_cast<double>(jobs.size()) / 1e6;
  }
  const Evaluator& evaluator = subject->evaluator();
  results[kApplied] = subject->applied_rules();
  results[kBytes] =
      static_cast<double>(evaluator.size_bytes()) / static_cast<double>(evaluator.rule_count());
  results[kBoundBytes] = static_cast<double>(evaluator.bound_size());
  if (std::find(scenario.measurements.begin(), scenario.measurements.end(), kCompile) !=
      scenario.measurements.end())
    results[kCompile] = CompileMilliseconds(policy);
  return results;
}

}  // namespace precedent::bench
