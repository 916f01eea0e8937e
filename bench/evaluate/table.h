// The table for people.
#ifndef PRECEDENT_BENCH_EVALUATE_TABLE_H_
#define PRECEDENT_BENCH_EVALUATE_TABLE_H_

#include <ostream>
#include <vector>

#include "bench/evaluate/claims.h"

namespace precedent::bench {

// A row for each scenario and rival, then one for each claim that needs more than one
// scenario; returns how many claims were judged and are not met.
struct Verdict {
  int judged = 0;
  int missed = 0;
};
Verdict PrintTable(const std::vector<Scenario>& scenarios, const AllResults& results,
                   std::ostream& out);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_EVALUATE_TABLE_H_
