// Time per job: the least over many short slices of the thread's processor time.
#ifndef PRECEDENT_BENCH_HARNESS_MEASURE_H_
#define PRECEDENT_BENCH_HARNESS_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/rivals/rival.h"

namespace precedent::bench {

// Nanoseconds that this thread has run.
std::int64_t ThreadNanoseconds();

struct Budget {
  double seconds = 1;  // for each contender; five passes over all jobs are made in any case
};

// Nanoseconds per job of each contender on jobs 0 to `jobs` - 1.
//
// The jobs are cut into slices that take some 0.1 ms; of each slice the least time over
// all passes counts, and the slices are added up. So an interruption costs nothing,
// and every job counts alike: the least over different slices would be that of the
// cheapest jobs. Contenders take turns, so that a processor that changes its clock
// does so for all.
std::vector<double> Measure(const std::vector<Contender*>& contenders, std::size_t jobs,
                            const Budget& budget);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_HARNESS_MEASURE_H_
