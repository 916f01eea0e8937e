// Random fleets of machines that are full of work of all kinds, and jobs that wait for
// room on them.
#ifndef PRECEDENT_BENCH_PREEMPTION_FLEET_H_
#define PRECEDENT_BENCH_PREEMPTION_FLEET_H_

#include <cstdint>

#include "precedent/preemption.h"
#include "precedent/time.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::bench {

struct FleetOptions {
  int nodes = 5'000;            // of 8 devices
  int running = 20'000;         // jobs, as long as there is room
  int pending = 500;            // jobs
  // Of those that write checkpoints: minutes between them, at least and at most.
  int shortest_interval = 5;
  int longest_interval = 30;
  std::uint64_t seed = 1;
};

inline constexpr std::int64_t kFleetNow = 10'000'000;  // seconds

inline TimePoint FleetTime(std::int64_t seconds) {
  return TimePoint(std::chrono::seconds(seconds));
}

// Jobs run in three classes below that of those who wait, and one in ten in the same; a
// fifth makes no checkpoints (half of these consent nevertheless). The same everywhere.
v1::Cluster Fleet(const FleetOptions& options);

// Of the victims, work since their last checkpoints; the plan's own figures are not used.
double LostGpuSeconds(const v1::ClusterJob& job, std::int64_t now);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_PREEMPTION_FLEET_H_
