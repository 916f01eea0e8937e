// The planner and the rival on the same fleet: what each of them places and loses.
#ifndef PRECEDENT_BENCH_PREEMPTION_COMPARE_H_
#define PRECEDENT_BENCH_PREEMPTION_COMPARE_H_

#include "bench/preemption/fleet.h"

namespace precedent::bench {

struct Outcome {
  int placed = 0;
  int victims = 0;
  double lost_gpu_hours = 0;     // work since the last checkpoints
  double restart_gpu_hours = 0;  // a minute on each device
};

struct Comparison {
  Outcome planner;
  Outcome rival;
  bool same_jobs_placed = false;
};

// The rival looks at all nodes: what it loses is not for want of looking.
Comparison Compare(const FleetOptions& options);

// Processor time of one full plan of each, in seconds, the least of `rounds`. Reading the
// cluster is not a part of it: in the planner's case Plan is asked for the first time.
struct Times {
  double planner = 0;
  double incremental = 0;  // after a job's checkpoint, at the same time
  double second_later = 0; // after a job's checkpoint, a second later: all costs differ
  double rival = 0;        // all nodes
  double rival_sampled = 0;  // a tenth of them, as kube-scheduler's default
};
Times Measure(const FleetOptions& options, int rounds);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_PREEMPTION_COMPARE_H_
