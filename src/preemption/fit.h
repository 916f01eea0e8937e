// Whether the pods of a job find places all at once.
#ifndef PRECEDENT_SRC_PREEMPTION_FIT_H_
#define PRECEDENT_SRC_PREEMPTION_FIT_H_

#include <vector>

#include "precedent/v1/cluster.pb.h"
#include "src/preemption/room.h"

namespace precedent::internal {

// What is free on some nodes.
struct FreeTable {
  std::vector<int> nodes;               // by name
  std::vector<std::vector<int>> free;   // of each, by device
};

// The job's pods, largest first.
std::vector<int> LargestFirst(const v1::ClusterJob& job);
// The size of the pod on each device: a whole one for those that want several.
std::int64_t SmallestPod(const v1::ClusterJob& job);

// Exact where the larger of the sizes of whole devices are multiples of the smaller and
// shares are of one size (then first come, first served is as good as any way); else a
// search that gives up after 50,000 steps. `table` is as before afterwards. `spots` (may
// be null): by pod. O(pods x devices) where exact.
bool Fits(const v1::ClusterJob& job, FreeTable* table, std::vector<Spot>* spots);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_FIT_H_
