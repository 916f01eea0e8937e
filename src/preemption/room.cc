#include "src/preemption/room.h"

#include <algorithm>
#include <utility>

namespace precedent::internal {

bool Room::Fit(const std::vector<int>& free, std::int64_t milli, std::vector<int>* devices) {
  devices->clear();
  const int count = static_cast<int>(free.size());
  if (milli >= 1000) {
    const std::size_t wanted = static_cast<std::size_t>(milli / 1000);
    for (int d = 0; d < count && devices->size() < wanted; ++d)
      if (free[d] == 1000) devices->push_back(d);
    return devices->size() == wanted;
  }
  if (milli == 0) return true;
  int best = -1;
  for (int d = 0; d < count; ++d)
    if (free[d] >= milli && (best < 0 || free[d] < free[best])) best = d;
  if (best < 0) return false;
  devices->push_back(best);
  return true;
}

void Room::Give(int job, int sign) {
  for (const int n : fleet_.jobs()[job].nodes) {
    for (const Occupant& occupant : fleet_.nodes()[n].occupants)
      if (occupant.job == job) free(n, occupant.device) += sign * occupant.milli;
    if (fleet_.nodes()[n].known) Changed(n);
  }
}

void Room::Vacate(int job) {
  JobFacts& facts = facts_[job];
  facts.gone = facts.vacated = true;
  facts.rules &= ~static_cast<unsigned>(kLeaves);
  Give(job, 1);
  steps_.push_back({Step::kVacated, job, 0, 0, 0});
}

void Room::Take(const Spot& spot, std::int64_t milli) {
  const int each = static_cast<int>(std::min<std::int64_t>(1000, milli));
  for (const int device : spot.devices) {
    free(spot.node, device) -= each;
    steps_.push_back({Step::kTaken, -1, spot.node, device, each});
  }
  Changed(spot.node);
}

void Room::Spare(int job) {
  facts_[job].rules &= ~static_cast<unsigned>(kLeaves);
  for (const int n : fleet_.jobs()[job].nodes) Changed(n);
  steps_.push_back({Step::kSpared, job, 0, 0, 0});
}

void Room::Rollback(std::size_t mark) {
  while (steps_.size() > mark) {
    const Step step = steps_.back();
    steps_.pop_back();
    if (step.what == Step::kTaken) {
      free(step.node, step.device) += step.milli;
      Changed(step.node);
      continue;
    }
    JobFacts& facts = facts_[step.job];
    facts.rules |= kLeaves;
    if (step.what == Step::kSpared) {
      for (const int n : fleet_.jobs()[step.job].nodes) Changed(n);
      continue;
    }
    facts.gone = facts.vacated = false;
    Give(step.job, -1);
  }
}

}  // namespace precedent::internal
