// A plan as a table for people.
#ifndef PRECEDENT_SRC_CLI_PLAN_TABLE_H_
#define PRECEDENT_SRC_CLI_PLAN_TABLE_H_

#include <string>

#include "precedent/v1/cluster.pb.h"

namespace precedent::cli {

// One row for each job that waits, in the order of importance, below it its victims and,
// for one that cannot be placed, why; then what was remarked. `cluster` is the one that was
// planned for.
std::string FormatPlan(const v1::PreemptionPlan& plan, const v1::Cluster& cluster);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_PLAN_TABLE_H_
