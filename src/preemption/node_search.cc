#include "src/preemption/node_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace precedent::internal {
namespace {

// Bounds are sums of parts, which round; costs do not.
bool Above(double bound, double cost) { return bound > cost * (1 + 1e-12) + 1e-6; }

}  // namespace

Choice NodeSearch::Best(const Kind& kind, std::int64_t milli, int node, bool together) {
  best_ = Choice();
  if (!fleet_.nodes()[node].open()) return best_;
  if (milli == 0) return facts_.Make({});
  together_ = together && book_.limits();
  steps_ = 0;
  room_.Devices(node, kind.below, Room::Held::kKept, &free_);
  if (milli < 1000) {
    Share(kind, static_cast<int>(milli), node);
  } else {
    Whole(kind, node, static_cast<int>(milli / 1000));
  }
  return std::move(best_);
}

void NodeSearch::Accept(absl::InlinedVector<int, 6> victims) {
  Choice choice = facts_.Make(std::move(victims));
  if (facts_.Better(choice, best_) && (!together_ || book_.Allows(choice.victims)))
    best_ = std::move(choice);
}

// One device: victims whose parts of it make up what is missing.
void NodeSearch::Share(const Kind& kind, int milli, int node) {
  for (const int free : free_)
    if (free >= milli) return Accept({});
  const std::vector<Occupant>& occupants = fleet_.nodes()[node].occupants;
  need_ = milli;
  for (std::size_t o = 0; o < occupants.size();) {
    const int device = occupants[o].device;
    evictable_.clear();
    for (; o < occupants.size() && occupants[o].device == device; ++o)
      if (!facts_[occupants[o].job].vacated && MayLeave(occupants[o].job, kind))
        evictable_.push_back({occupants[o].job, occupants[o].milli, 0});
    // Whatever the slots: the search may end before its end.
    std::sort(evictable_.begin(), evictable_.end(), [this](const Evictable& a, const Evictable& b) {
      return std::make_tuple(facts_[a.job].cost, -facts_[a.job].started) <
                 std::make_tuple(facts_[b.job].cost, -facts_[b.job].started) ||
             (facts_[a.job].cost == facts_[b.job].cost &&
              facts_[a.job].started == facts_[b.job].started &&
              fleet_.jobs()[a.job].message.id() < fleet_.jobs()[b.job].message.id());
    });
    rest_.assign(evictable_.size() + 1, 0);
    for (std::size_t i = evictable_.size(); i-- > 0;) rest_[i] = rest_[i + 1] + evictable_[i].milli;
    WalkShare(0, free_[static_cast<std::size_t>(device)], 0);
  }
}

void NodeSearch::WalkShare(std::size_t at, int room, double cost) {
  if (++steps_ > kMostSteps || room + rest_[at] < need_ || (best_.found && cost > best_.cost))
    return;
  if (room >= need_) return Accept(chosen_);
  chosen_.push_back(evictable_[at].job);
  WalkShare(at + 1, room + evictable_[at].milli, cost + facts_[evictable_[at].job].cost);
  chosen_.pop_back();
  WalkShare(at + 1, room, cost);
}

int NodeSearch::Number(int job, int spread) {
  for (std::size_t v = 0; v < victims_.size(); ++v)
    if (victims_[v].job == job) return static_cast<int>(v);
  victims_.push_back({job, spread, false});
  return static_cast<int>(victims_.size()) - 1;
}

// Whole devices: victims such that `need` of them are clear.
void NodeSearch::Whole(const Kind& kind, int node, int need) {
  evictable_.clear();
  victims_.clear();
  devices_.clear();
  const std::vector<Occupant>& occupants = fleet_.nodes()[node].occupants;
  std::size_t o = 0;
  for (int d = 0; d < static_cast<int>(free_.size()); ++d) {
    const std::size_t begin = evictable_.size();
    int room = free_[d];
    for (; o < occupants.size() && occupants[o].device == d; ++o) {
      const int job = occupants[o].job;
      if (facts_[job].vacated || !MayLeave(job, kind)) continue;
      room += occupants[o].milli;
      evictable_.push_back({job, occupants[o].milli, Number(job, occupants[o].spread)});
    }
    if (free_[d] == 1000 || room != 1000) {
      need -= free_[d] == 1000;
      evictable_.resize(begin);
      continue;
    }
    devices_.push_back({0, d, static_cast<int>(begin), static_cast<int>(evictable_.size())});
  }
  if (need <= 0) return Accept({});
  if (static_cast<int>(devices_.size()) < need) return;
  for (Device& device : devices_) device.price = Missing(device);
  std::sort(devices_.begin(), devices_.end(), [](const Device& a, const Device& b) {
    return std::tie(a.price, a.device) < std::tie(b.price, b.device);
  });
  if (Additive(need)) return;
  need_ = need;
  left_out_.assign(devices_.size(), 0);
  Walk(0, 0);
}

// Where no victim is on two devices, and no two sets cost the same, the cheapest devices
// are the answer.
bool NodeSearch::Additive(int need) {
  for (const Victim& victim : victims_)
    if (victim.spread != 1) return false;
  const std::size_t last = static_cast<std::size_t>(need) - 1;
  if (last + 1 < devices_.size() && devices_[last].price == devices_[last + 1].price) return false;
  absl::InlinedVector<int, 6> all;
  for (std::size_t d = 0; d <= last; ++d)
    for (int e = devices_[d].begin; e < devices_[d].end; ++e) all.push_back(evictable_[e].job);
  Choice choice = facts_.Make(all);
  if (together_ && !book_.Allows(choice.victims)) return false;
  best_ = std::move(choice);
  return true;
}

bool NodeSearch::Clear(const Device& device) const {
  for (int e = device.begin; e < device.end; ++e)
    if (!victims_[evictable_[e].number].chosen) return false;
  return true;
}

int NodeSearch::Cleared() const {
  int count = 0;
  for (const Device& device : devices_) count += Clear(device);
  return count;
}

double NodeSearch::Missing(const Device& device) const {
  double sum = 0;
  for (int e = device.begin; e < device.end; ++e) {
    const Victim& victim = victims_[evictable_[e].number];
    if (!victim.chosen) sum += facts_[victim.job].cost / victim.spread;
  }
  return sum;
}

// Device by device: all its victims leave, or it stays as it is.
void NodeSearch::Walk(std::size_t at, double cost) {
  if (++steps_ > kMostSteps || (best_.found && cost > best_.cost)) return;
  const int wanted = need_ - Cleared();
  if (wanted <= 0) {
    absl::InlinedVector<int, 6> all;
    for (const Victim& victim : victims_)
      if (victim.chosen) all.push_back(victim.job);
    return Accept(std::move(all));
  }
  prices_.clear();
  std::size_t next = devices_.size();
  for (std::size_t d = at; d < devices_.size(); ++d) {
    if (Clear(devices_[d])) continue;
    if (next == devices_.size()) next = d;
    prices_.push_back(Missing(devices_[d]));
  }
  if (static_cast<int>(prices_.size()) < wanted) return;
  if (best_.found) {
    std::nth_element(prices_.begin(), prices_.begin() + (wanted - 1), prices_.end());
    double bound = cost;
    for (int p = 0; p < wanted; ++p) bound += prices_[p];
    if (Above(bound, best_.cost)) return;
  }
  const Device& device = devices_[next];
  absl::InlinedVector<int, 8> now;
  double more = 0;
  for (int e = device.begin; e < device.end; ++e) {
    Victim& victim = victims_[evictable_[e].number];
    if (victim.chosen) continue;
    victim.chosen = true;
    more += facts_[victim.job].cost;
    now.push_back(evictable_[e].number);
  }
  // With one that stays cleared after all, it is a set that was tried.
  bool tried = false;
  for (std::size_t d = 0; d < devices_.size() && !tried; ++d)
    tried = left_out_[d] != 0 && Clear(devices_[d]);
  if (!tried) Walk(next + 1, cost + more);
  for (const int number : now) victims_[number].chosen = false;
  left_out_[next] = 1;
  Walk(next + 1, cost);
  left_out_[next] = 0;
}

}  // namespace precedent::internal
