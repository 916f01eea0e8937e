// Rule sets of every shape that is measured: the streams as they are, mixed effects, and
// shapes made to hurt an index. And jobs that are made to hurt.
#ifndef PRECEDENT_BENCH_WORKLOAD_SHAPES_H_
#define PRECEDENT_BENCH_WORKLOAD_SHAPES_H_

#include <cstddef>
#include <vector>

#include "bench/workload/job.h"
#include "bench/workload/rule.h"

namespace precedent::bench {

// One stage of MakeRules.
RuleSet Adds(std::size_t count, unsigned regex_permille = 0);

// MakeRules over eight stages of equal size, every second FIRST_MATCH; of four rules
// two add, one sets in every other turn, else at_most, one is at_least.
RuleSet Mixed(std::size_t count);

// One stage of all effects, in which every match applies.
RuleSet MixedInOneStage(std::size_t count);

// Every rule names team-000, and what it named besides a team.
RuleSet OneTeamOwnsAll(std::size_t count);
// Two to four conditions on workload, environment, consent and numbers, nothing else.
RuleSet NothingSelective(std::size_t count);
// Every text is excluded where MakeRules demands it.
RuleSet AllNotIn(std::size_t count);
// Eight alternatives a rule.
RuleSet EightMatches(std::size_t count);
// One stage of MakeRules in which the first match applies.
RuleSet FirstMatch(std::size_t count);
// The same behind two rules of which each job matches one.
RuleSet FirstMatchAtOnce(std::size_t count);
// Ranges of the dataset with `breakpoints` distinct ends in all.
RuleSet ManyBreakpoints(std::size_t count, std::size_t breakpoints);
// A regular expression on the namespace in every rule.
RuleSet AllRegex(std::size_t count);
// A window of waiting in every rule.
RuleSet AllTimed(std::size_t count);

// The jobs of MakeJobs, all of team-000.
std::vector<Job> JobsOfOneTeam(std::size_t count);
// The jobs of MakeJobs with more labels, up to `labels`, in no order.
std::vector<Job> JobsWithLabels(std::size_t count, std::size_t labels);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_SHAPES_H_
