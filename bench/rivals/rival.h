// What decides jobs: the library, and what one might have instead.
#ifndef PRECEDENT_BENCH_RIVALS_RIVAL_H_
#define PRECEDENT_BENCH_RIVALS_RIVAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/workload/job.h"
#include "bench/workload/rule.h"

namespace precedent::bench {

// Has its jobs, and whatever it keeps prepared about them, inside.
class Contender {
 public:
  virtual ~Contender() = default;
  // The priorities of the jobs [begin, end), from priorities[0] on. What is timed.
  virtual void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) = 0;
  // True where it gains by getting all jobs in one call.
  virtual bool all_at_once() const { return false; }
};

// The seed policy by hand. The jobs must outlive these.
std::unique_ptr<Contender> SeedOnEnums(const std::vector<Job>& jobs);
std::unique_ptr<Contender> SeedOnStrings(const std::vector<Job>& jobs);      // std::string ==
std::unique_ptr<Contender> SeedOnStringViews(const std::vector<Job>& jobs);  // comparison inlined

// All conditions of one rule after the other, on the job's strings. No regex.
std::unique_ptr<Contender> NaiveLoop(const RuleSet& rules, const std::vector<Job>& jobs);
// The same on numbers: each text of rules and jobs is interned beforehand.
std::unique_ptr<Contender> LinearScan(const RuleSet& rules, const std::vector<Job>& jobs);

// Lua in a shared library of its own, as the two kinds have functions of one name. Null,
// and why in `*error`, where it cannot be loaded or its script does not run.
std::unique_ptr<Contender> LuaSeed(const std::string& library, const std::vector<Job>& jobs,
                                   std::string* error);
std::unique_ptr<Contender> LuaLoop(const std::string& library, const RuleSet& rules,
                                   const std::vector<Job>& jobs, std::string* error);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_RIVALS_RIVAL_H_
