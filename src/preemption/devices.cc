// Who is on which device, where some pods do not say.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/preemption/check.h"
#include "src/preemption/fleet.h"

namespace precedent::internal {
namespace {

struct Unknown {
  std::int64_t milli;
  const std::string* id;
  const std::string* name;
  int job;
  bool leaves;  // it is a victim of a hold

  bool operator<(const Unknown& other) const {
    return std::tie(leaves, other.milli, *id, *name) <
           std::tie(other.leaves, milli, *other.id, *other.name);
  }
};

// Devices for a pod: the first wholly free ones, or the fullest that a share fits on. Of
// what `kept` says nothing is taken; devices with something `liked` go before others.
std::vector<int> Choose(const std::vector<int>& free, const std::vector<int>& kept,
                        const std::vector<int>& liked, std::int64_t milli) {
  const int each = static_cast<int>(std::min<std::int64_t>(1000, milli));
  const std::size_t wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, milli / 1000));
  std::vector<int> fitting;
  for (int d = 0; d < static_cast<int>(free.size()); ++d)
    if (free[d] - kept[d] >= each) fitting.push_back(d);
  if (fitting.size() < wanted) return {};
  std::stable_sort(fitting.begin(), fitting.end(), [&](int a, int b) {
    return std::make_tuple(-liked[a], free[a]) < std::make_tuple(-liked[b], free[b]);
  });
  fitting.resize(wanted);
  return fitting;
}

using Devices = std::vector<std::vector<int>>;  // by pod

// Largest first. Beside holds: pods that stay get what is not held, those that leave what
// they free. Nothing where they do not all find places.
std::optional<Devices> Assume(const std::vector<Unknown>& pods, std::vector<int> free,
                              const HeldOnNode* held) {
  const std::vector<int> none(free.size(), 0);
  Devices devices;
  for (const Unknown& pod : pods) {
    const bool beside = held != nullptr && !pod.leaves;
    devices.push_back(Choose(free, beside ? held->milli : none,
                             held != nullptr && pod.leaves ? held->milli : none, pod.milli));
    if (devices.back().empty()) return std::nullopt;
    for (const int d : devices.back())
      free[d] -= static_cast<int>(std::min<std::int64_t>(1000, pod.milli));
  }
  return devices;
}

void Merge(std::vector<Occupant>* occupants) {
  std::vector<Occupant>& all = *occupants;
  std::sort(all.begin(), all.end(), [](const Occupant& a, const Occupant& b) {
    return std::tie(a.device, a.job) < std::tie(b.device, b.job);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && all[kept - 1].job == all[i].job && all[kept - 1].device == all[i].device) {
      all[kept - 1].milli += all[i].milli;
    } else {
      all[kept++] = all[i];
    }
  }
  all.resize(kept);
  for (Occupant& occupant : all)
    occupant.spread = static_cast<int>(std::count_if(
        all.begin(), all.end(), [&](const Occupant& other) { return other.job == occupant.job; }));
}

}  // namespace

void Fleet::Build(FleetNode* node, const HeldOnNode* held) {
  node->changed = node->broken = node->assumed = false;
  node->occupants.clear();
  if (!node->known) return;
  std::vector<int> free(static_cast<std::size_t>(node->gpus()), 1000);
  const auto occupy = [&](int job, const auto& devices, std::int64_t milli) {
    const int each = static_cast<int>(std::min<std::int64_t>(1000, milli));
    for (const int device : devices) {
      if (device >= node->gpus()) {
        node->broken = true;
        continue;
      }
      free[static_cast<std::size_t>(device)] -= each;
      node->broken = node->broken || free[static_cast<std::size_t>(device)] < 0;
      node->occupants.push_back({job, device, each, 0});
    }
  };
  std::vector<Unknown> unknown;
  for (const auto& [j, p] : node->pods) {
    const v1::ClusterPod& pod = jobs_[j].message.pods(p);
    if (pod.gpu_milli() == 0) continue;
    occupy(j, pod.devices(), pod.gpu_milli());
    if (!pod.devices().empty()) continue;
    unknown.push_back({pod.gpu_milli(), &jobs_[j].message.id(), &pod.name(), j, false});
  }
  node->assumed = !unknown.empty();
  std::optional<Devices> devices;
  if (held != nullptr) {
    for (Unknown& pod : unknown)
      pod.leaves = std::binary_search(held->victims.begin(), held->victims.end(), pod.job);
    std::sort(unknown.begin(), unknown.end());
    devices = Assume(unknown, free, held);
  }
  if (!devices.has_value()) {  // no hold, or somebody took its room
    for (Unknown& pod : unknown) pod.leaves = false;
    std::sort(unknown.begin(), unknown.end());
    devices = Assume(unknown, free, nullptr);
  }
  // More runs there than fits: nothing is placed there, whoever has what.
  if (!devices.has_value()) node->broken = true;
  for (std::size_t i = 0; devices.has_value() && i < unknown.size(); ++i)
    occupy(unknown[i].job, (*devices)[i], unknown[i].milli);
  Merge(&node->occupants);
}

int Fleet::HeldMilli(int holder, const std::string& name) const {
  if (holder >= 0)
    for (const v1::ClusterPod& pod : jobs_[holder].message.pods())
      if (pod.name() == name)
        return pod.node().empty() ? static_cast<int>(std::min<std::int64_t>(1000, pod.gpu_milli()))
                                  : 0;
  return 1000;
}

std::vector<int> Fleet::VictimsOf(const v1::PlannerState::Hold& hold, std::int64_t now) const {
  const std::int64_t length =
      (policy_.has_hold_seconds() ? policy_.hold_seconds() : 300) * kSecond;
  std::vector<int> victims;
  for (const std::string& id : hold.victims()) {
    const int victim = FindJob(id);
    if (victim < 0 || jobs_[victim].waits) continue;
    // Back already: another attempt owes nothing.
    if (std::min(now, jobs_[victim].started) > Micros(hold.until()) - length) continue;
    victims.push_back(victim);
  }
  return victims;
}

std::map<int, HeldOnNode> Fleet::HeldNodes(const Holds& holds, std::int64_t now) const {
  std::map<int, HeldOnNode> nodes;
  for (const auto& [job, hold] : holds) {
    if (Micros(hold.until()) <= now) continue;
    const int holder = FindJob(job);
    const std::vector<int> victims = VictimsOf(hold, now);
    for (const v1::PodPlacement& placement : hold.pods()) {
      const int slot = FindNode(placement.node());
      if (slot < 0 || !nodes_[slot].known) continue;
      HeldOnNode& node = nodes[slot];
      node.milli.resize(static_cast<std::size_t>(nodes_[slot].gpus()), 0);
      for (const int device : placement.devices())
        if (device < nodes_[slot].gpus())
          node.milli[static_cast<std::size_t>(device)] += HeldMilli(holder, placement.pod());
      node.victims.insert(node.victims.end(), victims.begin(), victims.end());
    }
  }
  for (auto& [slot, node] : nodes) std::sort(node.victims.begin(), node.victims.end());
  return nodes;
}

}  // namespace precedent::internal
