// Which victims make room at the least cost.
#include <algorithm>
#include <functional>
#include <numeric>

#include "src/preemption/round.h"

namespace precedent::internal {
namespace {

constexpr int kMostSteps = 20'000;      // of one node's search
constexpr int kMostFitSteps = 50'000;   // of one search for places
constexpr std::size_t kMostExact = 14;  // victims whose every set is tried

int Wholes(std::int64_t milli) { return milli >= 1000 ? static_cast<int>(milli / 1000) : 0; }

// The fullest device that the share fits on; -1: none.
int FullestFit(const std::vector<int>& free, int milli) {
  int best = -1;
  for (std::size_t d = 0; d < free.size(); ++d)
    if (free[d] >= milli && (best < 0 || free[d] < free[static_cast<std::size_t>(best)]))
      best = static_cast<int>(d);
  return best;
}

std::vector<int> LargestFirst(const v1::ClusterJob& job) {
  std::vector<int> order(static_cast<std::size_t>(job.pods_size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto &left = job.pods(a), &right = job.pods(b);
    if (left.gpu_milli() != right.gpu_milli()) return left.gpu_milli() > right.gpu_milli();
    return left.name() < right.name();
  });
  return order;
}

}  // namespace

Choice Round::Make(std::vector<int> victims) const {
  Choice choice;
  choice.found = true;
  std::sort(victims.begin(), victims.end());
  victims.erase(std::unique(victims.begin(), victims.end()), victims.end());
  for (const int victim : victims) choice.cost += jobs_[victim].cost;
  choice.victims = std::move(victims);
  return choice;
}

bool Round::Better(const Choice& a, const Choice& b) const {
  if (a.found != b.found) return a.found;
  if (a.cost != b.cost) return a.cost < b.cost;
  if (a.victims.size() != b.victims.size()) return a.victims.size() < b.victims.size();
  const auto starts = [&](const Choice& choice) {
    std::vector<std::int64_t> all;
    for (const int victim : choice.victims) all.push_back(jobs_[victim].started);
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto left = starts(a), right = starts(b);
  if (left != right) return left > right;
  return a.victims < b.victims;
}

Choice Round::OnNode(const RoundJob& job, int pod, int index, bool budgets) const {
  const RoundNode& node = nodes_[index];
  const std::int64_t milli = job.message->pods(pod).gpu_milli();
  Choice best;
  if (node.broken) return best;
  if (milli == 0) return Make({});
  std::vector<std::vector<int>> eligible(node.free.size());
  std::vector<int> ready;
  int need = Wholes(milli), steps = 0;
  const auto accept = [&](const std::vector<int>& victims) {
    Choice choice = Make(victims);
    if (Better(choice, best) && (!budgets || BudgetAllows(choice.victims)))
      best = std::move(choice);
  };
  if (milli < 1000) {
    for (std::size_t d = 0; d < node.free.size(); ++d) {
      std::map<int, int> sizes;
      for (const Occupant& occupant : node.occupants[d])
        if (MayEvict(jobs_[occupant.job], job, kConsent | kFresh))
          sizes[occupant.job] += occupant.milli;
      std::vector<std::pair<int, int>> all(sizes.begin(), sizes.end());
      std::vector<int> rest(all.size() + 1, 0), chosen;
      for (std::size_t i = all.size(); i-- > 0;) rest[i] = rest[i + 1] + all[i].second;
      const std::function<void(std::size_t, int, double)> walk = [&](std::size_t i, int room,
                                                                     double cost) {
        if (++steps > kMostSteps || room + rest[i] < milli || (best.found && cost > best.cost))
          return;
        if (room >= milli) return accept(chosen);
        chosen.push_back(all[i].first);
        walk(i + 1, room + all[i].second, cost + jobs_[all[i].first].cost);
        chosen.pop_back();
        walk(i + 1, room, cost);
      };
      walk(0, node.free[d], 0);
    }
    return best;
  }
  std::vector<int> devices;
  std::map<int, int> spread;  // devices of each victim here
  for (std::size_t d = 0; d < node.free.size(); ++d) {
    if (node.free[d] == 1000) {
      --need;
      continue;
    }
    int room = node.free[d];
    for (const Occupant& occupant : node.occupants[d]) {
      if (!MayEvict(jobs_[occupant.job], job, kConsent | kFresh)) continue;
      room += occupant.milli;
      if (std::find(eligible[d].begin(), eligible[d].end(), occupant.job) == eligible[d].end())
        eligible[d].push_back(occupant.job);
    }
    if (room != 1000) continue;
    devices.push_back(static_cast<int>(d));
    for (const int victim : eligible[d]) ++spread[victim];
  }
  if (need <= 0) return Make({});
  if (static_cast<int>(devices.size()) < need) return best;
  // What a device costs at least: its part of each victim's whole cost.
  const auto share = [&](int device) {
    double sum = 0;
    for (const int victim : eligible[static_cast<std::size_t>(device)])
      sum += jobs_[victim].cost / spread[victim];
    return sum;
  };
  std::vector<std::pair<double, int>> order;
  for (const int device : devices) order.emplace_back(share(device), device);
  std::sort(order.begin(), order.end());
  std::map<int, int> chosen;
  const std::function<void(std::size_t, int)> walk = [&](std::size_t i, int wanted) {
    if (++steps > kMostSteps || order.size() - i < static_cast<std::size_t>(wanted)) return;
    double cost = 0;
    std::vector<int> victims;
    for (const auto& [victim, times] : chosen)
      if (times > 0) {
        cost += jobs_[victim].cost;
        victims.push_back(victim);
      }
    if (best.found && cost > best.cost) return;
    if (wanted == 0) return accept(victims);
    if (best.found) {
      std::vector<double> parts;
      for (std::size_t j = i; j < order.size(); ++j) {
        double sum = 0;
        for (const int victim : eligible[static_cast<std::size_t>(order[j].second)])
          if (chosen[victim] == 0) sum += jobs_[victim].cost / spread[victim];
        parts.push_back(sum);
      }
      std::sort(parts.begin(), parts.end());
      double bound = cost;
      for (int j = 0; j < wanted; ++j) bound += parts[static_cast<std::size_t>(j)];
      if (bound > best.cost * (1 + 1e-12) + 1e-6) return;
    }
    const auto& here = eligible[static_cast<std::size_t>(order[i].second)];
    for (const int victim : here) ++chosen[victim];
    walk(i + 1, wanted - 1);
    for (const int victim : here) --chosen[victim];
    walk(i + 1, wanted);
  };
  walk(0, need);
  return best;
}

Round::Free Round::Room(const std::vector<int>& gone) const {
  Free free;
  free.reserve(nodes_.size());
  for (const RoundNode& node : nodes_) {
    free.push_back(node.broken ? std::vector<int>() : node.free);
  }
  for (const int victim : gone) {
    const RoundJob& job = jobs_[victim];
    for (const auto& [node, device] : job.places) {
      if (nodes_[node].broken) continue;
      int milli = 0;
      for (const Occupant& occupant : nodes_[node].occupants[device])
        if (occupant.job == victim) milli += occupant.milli;
      free[node][device] += milli;
    }
  }
  return free;
}

bool Round::FitsFrom(const RoundJob& job, const std::vector<int>& order, std::size_t at, Free* free,
                     std::vector<Spot>* spots, int* steps) const {
  if (at == order.size()) return true;
  const int pod = order[at];
  const std::int64_t milli = job.message->pods(pod).gpu_milli();
  int first = 0;
  if (at > 0 && job.message->pods(order[at - 1]).gpu_milli() == milli)
    first = (*spots)[static_cast<std::size_t>(order[at - 1])].node;
  for (int n = first; n < static_cast<int>(nodes_.size()); ++n) {
    if (!MayRun(job, nodes_[n])) continue;
    std::vector<int>& devices = (*free)[static_cast<std::size_t>(n)];
    Spot& spot = (*spots)[static_cast<std::size_t>(pod)];
    if (milli >= 1000 || milli == 0) {
      Spot here{n, {}};
      for (std::size_t d = 0;
           d < devices.size() && static_cast<int>(here.devices.size()) < Wholes(milli); ++d)
        if (devices[d] == 1000) here.devices.push_back(static_cast<int>(d));
      if (static_cast<int>(here.devices.size()) < Wholes(milli)) continue;
      if (++*steps > kMostFitSteps) return false;
      for (const int d : here.devices) devices[static_cast<std::size_t>(d)] = 0;
      spot = here;
      if (FitsFrom(job, order, at + 1, free, spots, steps)) return true;
      for (const int d : here.devices) devices[static_cast<std::size_t>(d)] = 1000;
      continue;
    }
    std::set<int> tried;  // fullest first, each size once
    for (std::size_t d = 0; d < devices.size(); ++d)
      if (devices[d] >= milli) tried.insert(devices[d]);
    for (const int size : tried) {
      if (++*steps > kMostFitSteps) return false;
      const auto found = std::find(devices.begin(), devices.end(), size);
      if (found == devices.end()) continue;
      *found -= static_cast<int>(milli);
      spot = Spot{n, {static_cast<int>(found - devices.begin())}};
      const auto offset = found - devices.begin();
      if (FitsFrom(job, order, at + 1, free, spots, steps)) return true;
      devices[static_cast<std::size_t>(offset)] += static_cast<int>(milli);
    }
  }
  return false;
}

bool Round::Fits(const RoundJob& job, const Free& room, std::vector<Spot>* spots) const {
  const std::vector<int> order = LargestFirst(*job.message);
  Free free = room;
  std::vector<Spot> places(order.size());
  int steps = 0;
  if (!FitsFrom(job, order, 0, &free, &places, &steps)) return false;
  if (spots != nullptr) *spots = std::move(places);
  return true;
}

Choice Round::Single(int index) {
  const RoundJob& job = jobs_[index];
  const std::int64_t milli = job.message->pods(0).gpu_milli();
  auto& cached = cache_[{job.message->preemption_priority(), job.rank,
                         job.message->never_preempt_others(), milli}];
  cached.resize(nodes_.size());
  std::vector<std::pair<double, int>> order;
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    if (!MayRun(job, nodes_[n])) continue;
    Cached& entry = cached[static_cast<std::size_t>(n)];
    if (entry.version != nodes_[n].version) {
      entry.choice = OnNode(job, 0, n, false);
      entry.version = nodes_[n].version;
    }
    if (entry.choice.found) order.emplace_back(entry.choice.cost, n);
  }
  std::make_heap(order.begin(), order.end(), std::greater<>());
  Choice best;
  while (!order.empty() && (!best.found || order.front().first <= best.cost)) {
    const int n = order.front().second;
    std::pop_heap(order.begin(), order.end(), std::greater<>());
    order.pop_back();
    // What budgets leave costs no less than what they did not limit.
    Choice choice = cached[static_cast<std::size_t>(n)].choice;
    if (!BudgetAllows(choice.victims)) choice = OnNode(job, 0, n, true);
    if (Better(choice, best)) best = std::move(choice);
  }
  return best;
}

Choice Round::Greedy(int index) {
  const RoundJob& job = jobs_[index];
  const std::vector<int> order = LargestFirst(*job.message);
  std::map<int, RoundNode> saved;
  const auto touch = [&](int node) { saved.emplace(node, nodes_[node]); };
  std::vector<int> taken;
  bool whole = true;
  for (const int pod : order) {
    Choice best;
    int where = -1;
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      if (!MayRun(job, nodes_[n])) continue;
      Choice choice = OnNode(job, pod, n, false);
      if (!choice.found || !Better(choice, best)) continue;
      std::vector<int> all = taken;
      all.insert(all.end(), choice.victims.begin(), choice.victims.end());
      if (!BudgetAllows(all)) continue;
      best = std::move(choice);
      where = n;
      if (best.victims.empty()) break;
    }
    if (where < 0) {
      whole = false;
      break;
    }
    for (const int victim : best.victims) {
      for (const auto& place : jobs_[victim].places) touch(place.first);
      Vacate(victim);
      taken.push_back(victim);
    }
    touch(where);
    std::vector<int>& free = nodes_[where].free;
    const std::int64_t milli = job.message->pods(pod).gpu_milli();
    if (milli < 1000 && milli > 0) {
      free[static_cast<std::size_t>(FullestFit(free, static_cast<int>(milli)))] -=
          static_cast<int>(milli);
    } else {
      int wanted = Wholes(milli);
      for (int& device : free)
        if (wanted > 0 && device == 1000) {
          device = 0;
          --wanted;
        }
    }
  }
  for (auto& [node, before] : saved) nodes_[node] = std::move(before);
  if (!whole) return Choice();
  // Those that turned out not to be needed stay, dearest first.
  std::sort(taken.begin(), taken.end(), [&](int a, int b) {
    return jobs_[a].cost != jobs_[b].cost ? jobs_[a].cost > jobs_[b].cost : a < b;
  });
  for (std::size_t i = 0; i < taken.size();) {
    std::vector<int> fewer = taken;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Fits(job, Room(fewer), nullptr)) {
      taken = std::move(fewer);
    } else {
      ++i;
    }
  }
  return Make(std::move(taken));
}

Choice Round::Gang(int index) {
  const RoundJob& job = jobs_[index];
  std::vector<int> candidates;
  for (int j = 0; j < static_cast<int>(jobs_.size()) && candidates.size() <= kMostExact; ++j)
    if (MayEvict(jobs_[j], job, kConsent | kFresh)) candidates.push_back(j);
  if (candidates.size() > kMostExact) return Greedy(index);
  Choice best;
  if (!Fits(job, Room(candidates), nullptr)) return best;
  for (std::uint32_t mask = 1; mask < 1u << candidates.size(); ++mask) {
    std::vector<int> set;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if ((mask >> i & 1) != 0) set.push_back(candidates[i]);
    Choice choice = Make(std::move(set));
    if (Better(choice, best) && BudgetAllows(choice.victims) &&
        Fits(job, Room(choice.victims), nullptr))
      best = std::move(choice);
  }
  return best;
}

}  // namespace precedent::internal
