#include "devices.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "precedent/lineage_view.h"

namespace precedent::descheduler {
namespace {

constexpr int kWhole = 1000;

struct Occupant {
  v1::ClusterPod* pod;
  std::string job;
  bool leaves;
};

struct HeldNode {
  std::vector<int> held;  // by device, thousandths
  std::set<std::string> victims;
  std::vector<Occupant> occupants;
};

int MilliOf(const v1::ClusterPod& pod) {
  return static_cast<int>(std::min<std::int64_t>(kWhole, pod.gpu_milli()));
}

std::size_t DevicesOf(const v1::ClusterPod& pod) {
  return pod.gpu_milli() >= kWhole ? static_cast<std::size_t>(pod.gpu_milli() / kWhole)
         : pod.gpu_milli() > 0     ? 1
                                   : 0;
}

// Devices for one pod, the tightest first: `room` is what each may still take. Empty: there are
// not enough.
std::vector<int> Choose(const v1::ClusterPod& pod, const std::vector<int>& room,
                        const std::vector<int>& preferred) {
  std::vector<int> fitting;
  for (int d = 0; d < static_cast<int>(room.size()); ++d) {
    if (room[static_cast<std::size_t>(d)] >= MilliOf(pod)) fitting.push_back(d);
  }
  std::stable_sort(fitting.begin(), fitting.end(), [&](int a, int b) {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    return std::make_pair(-preferred[x], room[x]) < std::make_pair(-preferred[y], room[y]);
  });
  if (fitting.size() < DevicesOf(pod)) return {};
  fitting.resize(DevicesOf(pod));
  return fitting;
}

void AssignOn(HeldNode& node) {
  std::stable_sort(
      node.occupants.begin(), node.occupants.end(), [](const Occupant& a, const Occupant& b) {
        const auto key = [](const Occupant& one) {
          return std::make_tuple(one.leaves, -one.pod->gpu_milli(), one.job, one.pod->name());
        };
        return key(a) < key(b);
      });
  std::vector<int> used(node.held.size());
  std::vector<std::vector<int>> chosen;
  const std::vector<int> none(node.held.size());
  for (const Occupant& one : node.occupants) {
    std::vector<int> room;
    for (std::size_t d = 0; d < used.size(); ++d) {
      room.push_back(kWhole - used[d] - (one.leaves ? 0 : node.held[d]));
    }
    chosen.push_back(Choose(*one.pod, room, one.leaves ? node.held : none));
    if (chosen.back().empty()) return;
    for (const int device : chosen.back()) {
      used[static_cast<std::size_t>(device)] += MilliOf(*one.pod);
    }
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    node.occupants[i].pod->mutable_devices()->Assign(chosen[i].begin(), chosen[i].end());
  }
}

}  // namespace

void AssignDevices(const v1::PlannerState& planner, TimePoint now, v1::Cluster* cluster) {
  std::map<std::string, const v1::ClusterJob*> waiting;
  for (const v1::ClusterJob& job : cluster->jobs()) {
    if (job.pods_size() > 0 && job.pods(0).node().empty()) waiting[job.id()] = &job;
  }
  std::map<std::string, int> devices;
  for (const v1::Node& node : cluster->nodes()) devices[node.name()] = node.gpus();
  std::map<std::string, HeldNode> nodes;
  for (const v1::PlannerState::Hold& hold : planner.holds()) {
    const auto holder = waiting.find(hold.job());
    if (holder == waiting.end() || ToTimePoint(hold.until()) <= now) continue;
    for (const v1::PodPlacement& place : hold.pods()) {
      const auto known = devices.find(place.node());
      if (known == devices.end()) continue;
      HeldNode& node = nodes[place.node()];
      node.held.resize(static_cast<std::size_t>(known->second));
      node.victims.insert(hold.victims().begin(), hold.victims().end());
      for (const v1::ClusterPod& pod : holder->second->pods()) {
        if (pod.name() != place.pod()) continue;
        for (const int device : place.devices()) {
          if (device < 0 || device >= known->second) continue;
          int& held = node.held[static_cast<std::size_t>(device)];
          held = std::min(kWhole, held + MilliOf(pod));
        }
      }
    }
  }
  if (nodes.empty()) return;
  std::set<std::string> told;
  for (v1::ClusterJob& job : *cluster->mutable_jobs()) {
    for (v1::ClusterPod& pod : *job.mutable_pods()) {
      const auto node = nodes.find(pod.node());
      if (node == nodes.end() || pod.gpu_milli() <= 0) continue;
      if (pod.devices_size() > 0) told.insert(pod.node());
      node->second.occupants.push_back({&pod, job.id(), node->second.victims.count(job.id()) > 0});
    }
  }
  for (auto& [name, node] : nodes) {
    if (told.count(name) == 0) AssignOn(node);
  }
}

}  // namespace precedent::descheduler
