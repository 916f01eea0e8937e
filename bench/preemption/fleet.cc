#include "bench/preemption/fleet.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace precedent::bench {
namespace {

constexpr const char* kClasses[] = {"serving", "production", "research", "scavenger"};

class Maker {
 public:
  explicit Maker(const FleetOptions& options) : options_(options), random_(options.seed) {}

  v1::Cluster Make() {
    for (int i = 0; i < options_.nodes; ++i) {
      v1::Node* const node = cluster_.add_nodes();
      node->set_name("node-" + std::to_string(i));
      node->set_gpus(8);
      node->set_accelerator(i % 4 == 0 ? "a100" : "h100");
      free_.emplace_back(8, 1000);
    }
    for (int i = 0; i < options_.running; ++i) AddRunning(i);
    for (int i = 0; i < options_.pending; ++i) AddPending(i);
    for (const char* const name : kClasses) cluster_.add_class_order(name);
    return std::move(cluster_);
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  // The first node with room after the last: a search costs next to nothing.
  bool Place(v1::ClusterPod* pod) {
    for (int tried = 0; tried < options_.nodes; ++tried) {
      const auto node = static_cast<std::size_t>((next_ + tried) % options_.nodes);
      const int each = static_cast<int>(std::min<std::int64_t>(pod->gpu_milli(), 1000));
      const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, pod->gpu_milli() / 1000));
      std::vector<int> devices;
      for (int d = 0; d < 8 && devices.size() < wanted; ++d)
        if (free_[node][static_cast<std::size_t>(d)] >= each) devices.push_back(d);
      if (devices.size() < wanted) continue;
      for (const int d : devices) {
        free_[node][static_cast<std::size_t>(d)] -= each;
        pod->add_devices(d);
      }
      pod->set_node(cluster_.nodes(static_cast<int>(node)).name());
      next_ = static_cast<int>(node);
      return true;
    }
    return false;
  }

  void AddRunning(int number) {
    v1::ClusterJob job;
    job.set_id("run-" + std::to_string(number));
    const int which = Below(10) == 0 ? 0 : 1 + Below(3);
    job.set_priority_class(kClasses[which]);
    job.set_preemption_priority(1000 - 250 * which + Below(10));
    job.set_priority(job.preemption_priority());
    job.set_preemptible(Below(2) == 0);
    const std::int64_t started = kFleetNow - 60 - Below(24 * 3600);
    job.mutable_started()->set_seconds(started);
    if (Below(5) != 0) {
      const int minutes = options_.shortest_interval +
                          Below(options_.longest_interval - options_.shortest_interval + 1);
      job.set_checkpoint_interval_seconds(60 * minutes);
      const std::int64_t last = kFleetNow - Below(60 * minutes);
      if (last > started) job.mutable_last_checkpoint()->set_seconds(last);
    }
    job.set_evictions(Below(4) == 0 ? 1 + Below(2) : 0);
    // As the public traces have it: most are small, most devices belong to the large.
    const int size = Below(100);
    const std::int64_t milli = size < 15   ? 250 * (1 + Below(3))
                               : size < 60 ? 1000
                               : size < 80 ? 2000
                               : size < 92 ? 4000
                                           : 8000;
    const int pods = milli == 8000 && Below(6) == 0 ? 2 : 1;
    next_ = Below(options_.nodes);
    for (int p = 0; p < pods; ++p) {
      v1::ClusterPod* const pod = job.add_pods();
      pod->set_name("pod-" + std::to_string(p));
      pod->set_gpu_milli(milli);
      if (!Place(pod)) return Undo(job);
    }
    *cluster_.add_jobs() = std::move(job);
  }

  void Undo(const v1::ClusterJob& job) {
    for (const v1::ClusterPod& pod : job.pods()) {
      if (pod.node().empty()) continue;
      const auto node = static_cast<std::size_t>(std::stoi(pod.node().substr(5)));
      for (const int d : pod.devices())
        free_[node][static_cast<std::size_t>(d)] +=
            static_cast<int>(std::min<std::int64_t>(pod.gpu_milli(), 1000));
    }
  }

  void AddPending(int number) {
    v1::ClusterJob job;
    job.set_id("wait-" + std::to_string(number));
    job.set_priority_class(kClasses[0]);
    job.set_preemption_priority(1000);
    job.set_priority(1000 + Below(100));
    job.mutable_submitted()->set_seconds(kFleetNow - Below(600));
    const int size = Below(100);
    const std::int64_t milli = size < 20 ? 500 : size < 60 ? 1000 : size < 80 ? 2000
                               : size < 95 ? 4000 : 8000;
    const int pods = size >= 98 ? 2 : 1;
    for (int p = 0; p < pods; ++p) {
      v1::ClusterPod* const pod = job.add_pods();
      pod->set_name("pod-" + std::to_string(p));
      pod->set_gpu_milli(milli);
    }
    if (Below(4) == 0) job.set_accelerator("h100");
    *cluster_.add_jobs() = std::move(job);
  }

  const FleetOptions options_;
  std::mt19937_64 random_;
  v1::Cluster cluster_;
  std::vector<std::vector<int>> free_;
  int next_ = 0;
};

}  // namespace

v1::Cluster Fleet(const FleetOptions& options) { return Maker(options).Make(); }

double LostGpuSeconds(const v1::ClusterJob& job, std::int64_t now) {
  double since = static_cast<double>(job.started().seconds());
  if (job.has_last_checkpoint()) {
    since = std::max(since, static_cast<double>(job.last_checkpoint().seconds()));
  } else if (job.checkpoint_interval_seconds() > 0) {
    const double interval = job.checkpoint_interval_seconds();
    since += std::floor((static_cast<double>(now) - since) / interval) * interval;
  }
  double gpus = 0;
  for (const v1::ClusterPod& pod : job.pods()) gpus += static_cast<double>(pod.gpu_milli()) / 1000;
  return (static_cast<double>(now) - since) * gpus;
}

}  // namespace precedent::bench
