// What is measured: a policy, jobs, and who decides them.
#ifndef PRECEDENT_BENCH_EVALUATE_SCENARIO_H_
#define PRECEDENT_BENCH_EVALUATE_SCENARIO_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/workload/job.h"
#include "bench/workload/rule.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::bench {

// Names of measurements. Of the library, in ns per job:
inline constexpr char kBound[] = "bound";      // evaluating bound jobs
inline constexpr char kTexts[] = "texts";      // descriptors that are ready
inline constexpr char kRecords[] = "records";  // filling descriptors, too
inline constexpr char kBind[] = "bind";
inline constexpr char kBatch[] = "batch";  // bound jobs by one call
// Of rivals, in ns per job:
inline constexpr char kEnums[] = "enums";
inline constexpr char kStrings[] = "std::string";
inline constexpr char kViews[] = "string_view";
inline constexpr char kNaive[] = "naive loop";
inline constexpr char kLinear[] = "linear scan";
inline constexpr char kLuaJit[] = "LuaJIT";
inline constexpr char kLua54[] = "Lua 5.4";
// Of the queue: all jobs once, bound before, in ms.
inline constexpr char kQueue[] = "queue ms";
// Of the policy:
inline constexpr char kApplied[] = "applied rules";   // for a job
inline constexpr char kBytes[] = "bytes a rule";      // of the image
inline constexpr char kBoundBytes[] = "bound bytes";  // of a bound job
inline constexpr char kCompile[] = "compile ms";      // from the message

// Scenarios that claims about a whole queue name.
inline constexpr char kPendingAging[] = "100,000 pending, aging";
inline constexpr char kPendingRules[] = "100,000 pending, 1k adds";

struct Scenario {
  std::string name;
  std::function<std::vector<Job>()> jobs;
  // Either rules or, where these are empty, a policy.
  std::function<RuleSet()> rules;
  std::function<v1::Policy()> policy;
  std::vector<std::string> measurements;
};

// All of them, in the order of the table. `quick`: fewer jobs.
std::vector<Scenario> Scenarios(bool quick);

using Results = std::map<std::string, double>;  // by measurement

// Compiles, checks everybody's results for every job, measures. What cannot be measured
// in this build is left out. Not empty `*error`: a result is wrong, nothing was measured.
Results Run(const Scenario& scenario, const Budget& budget, std::string* error);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_EVALUATE_SCENARIO_H_
