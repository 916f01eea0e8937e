// The words of the workloads: teams in organisations, their namespaces, workloads,
// environments and labels. Shared by jobs and rules, so that they meet.
#ifndef PRECEDENT_BENCH_WORKLOAD_NAMES_H_
#define PRECEDENT_BENCH_WORKLOAD_NAMES_H_

#include <string>

#include "bench/workload/random.h"

namespace precedent::bench {

inline constexpr unsigned kTeams = 500;
inline constexpr unsigned kOrganisations = 20;
inline constexpr unsigned kLabelKeys = 8;

std::string TeamName(unsigned team);                                       // team-042
std::string OrganisationName(unsigned team);                               // org02
std::string NamespaceName(unsigned team, const std::string& environment);  // org02-team-042-staging
std::string LabelKey(unsigned key);

std::string PickWorkload(Random& random);
std::string PickEnvironment(Random& random);
std::string PickLabelValue(Random& random);  // v017, low numbers more often

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_NAMES_H_
