#include "bench/preemption/youngest_first.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace precedent::bench {

YoungestFirst::YoungestFirst(const v1::Cluster& cluster, const YoungestFirstOptions& options)
    : options_(options) {
  std::unordered_map<std::string, int> nodes;
  for (const v1::Node& node : cluster.nodes()) {
    nodes[node.name()] = static_cast<int>(nodes_.size());
    Node mine;
    mine.accelerator = node.accelerator();
    mine.free.assign(static_cast<std::size_t>(node.gpus()), 1000);
    nodes_.push_back(std::move(mine));
  }
  std::map<std::string, int> ranks;
  for (const std::string& name : cluster.class_order())
    ranks.emplace(name, static_cast<int>(ranks.size()));
  for (const v1::ClusterJob& job : cluster.jobs()) {
    Job mine;
    mine.id = job.id();
    mine.accelerator = job.accelerator();
    mine.priority = job.priority();
    mine.preemption_priority = job.preemption_priority();
    mine.rank = ranks[job.priority_class()];
    mine.consents = job.preemptible() || job.checkpoint_interval_seconds() > 0;
    mine.submitted = job.submitted().seconds();
    mine.started = job.started().seconds();
    mine.legal_from =
        mine.started +
        std::max(options.min_runtime,
                 static_cast<std::int64_t>(job.checkpoint_interval_seconds()) + options.restart);
    const int number = static_cast<int>(jobs_.size());
    for (const v1::ClusterPod& pod : job.pods()) {
      Pod its;
      its.job = number;
      its.milli = static_cast<int>(pod.gpu_milli());
      its.devices.assign(pod.devices().begin(), pod.devices().end());
      if (!pod.node().empty()) its.node = nodes.at(pod.node());
      mine.pods.push_back(std::move(its));
    }
    jobs_.push_back(std::move(mine));
    if (jobs_.back().pods[0].node < 0) {
      waiting_.push_back(number);
      continue;
    }
    for (std::size_t p = 0; p < jobs_.back().pods.size(); ++p)
      Put(jobs_.back().pods[p].node, number, static_cast<int>(p));
  }
  std::sort(waiting_.begin(), waiting_.end(), [this](int a, int b) {
    const Job &left = jobs_[static_cast<std::size_t>(a)], &right = jobs_[static_cast<std::size_t>(b)];
    return std::tie(right.priority, left.submitted, left.id) <
           std::tie(left.priority, right.submitted, right.id);
  });
}

void YoungestFirst::Put(int node, int job, int pod) {
  Node& at = nodes_[static_cast<std::size_t>(node)];
  at.pods.emplace_back(job, pod);
  const Pod& its = jobs_[static_cast<std::size_t>(job)].pods[static_cast<std::size_t>(pod)];
  for (const int device : its.devices)
    at.free[static_cast<std::size_t>(device)] -= std::min(its.milli, 1000);
}

bool YoungestFirst::MayEvict(const Job& victim, const Job& preemptor, std::int64_t now) const {
  return victim.preemption_priority <= preemptor.preemption_priority - options_.gap &&
         victim.rank > preemptor.rank && victim.consents && victim.legal_from <= now &&
         victim.started > 0;
}

bool YoungestFirst::Fits(const std::vector<int>& free, int milli) {
  if (milli < 1000)
    return std::any_of(free.begin(), free.end(), [milli](int device) { return device >= milli; });
  return std::count(free.begin(), free.end(), 1000) >= milli / 1000;
}

// What `job` has on the node, given back to the node or taken from it.
void YoungestFirst::Give(std::vector<int>* free, int job, int node, int sign) const {
  for (const Pod& pod : jobs_[static_cast<std::size_t>(job)].pods) {
    if (pod.node != node) continue;
    for (const int device : pod.devices)
      (*free)[static_cast<std::size_t>(device)] += sign * std::min(pod.milli, 1000);
  }
}

bool YoungestFirst::Try(int number, const Job& job, const Pod& pod, std::int64_t now,
                        Candidate* candidate) {
  const Node& node = nodes_[static_cast<std::size_t>(number)];
  std::vector<int>& victims = candidate->victims;
  victims.clear();
  for (const auto& [other, its] : node.pods)
    if (MayEvict(jobs_[static_cast<std::size_t>(other)], job, now) &&
        std::find(victims.begin(), victims.end(), other) == victims.end()) {
      victims.push_back(other);
    }
  if (victims.empty()) return false;
  std::vector<int> free = node.free;
  for (const int victim : victims) Give(&free, victim, number, 1);
  if (!Fits(free, pod.milli)) return false;
  const auto importance = [this](int v) {
    const Job& its = jobs_[static_cast<std::size_t>(v)];
    return std::make_tuple(-its.preemption_priority, its.started, v);
  };
  std::sort(victims.begin(), victims.end(),
            [&](int a, int b) { return importance(a) < importance(b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < victims.size(); ++i) {
    Give(&free, victims[i], number, -1);
    if (Fits(free, pod.milli)) continue;  // reprieved
    Give(&free, victims[i], number, 1);
    victims[kept++] = victims[i];
  }
  victims.resize(kept);
  candidate->node = number;
  candidate->sum = 0;
  for (const int victim : victims)
    candidate->sum += jobs_[static_cast<std::size_t>(victim)].preemption_priority + (1LL << 31);
  candidate->top_priority = jobs_[static_cast<std::size_t>(victims[0])].preemption_priority;
  // They are sorted: the oldest of the most important.
  candidate->latest = jobs_[static_cast<std::size_t>(victims[0])].started;
  return true;
}

bool YoungestFirst::Better(const Candidate& a, const Candidate& b) const {
  if (b.node < 0) return true;
  const std::size_t left = a.victims.size(), right = b.victims.size();
  return std::tie(a.top_priority, a.sum, left, b.latest) <
         std::tie(b.top_priority, b.sum, right, a.latest);
}

void YoungestFirst::Evict(int number, YoungestFirstPlan* plan) {
  Job& job = jobs_[static_cast<std::size_t>(number)];
  job.gone = true;
  plan->victims.push_back(job.id);
  for (const Pod& pod : job.pods) {
    Node& node = nodes_[static_cast<std::size_t>(pod.node)];
    for (const int device : pod.devices)
      node.free[static_cast<std::size_t>(device)] += std::min(pod.milli, 1000);
    node.pods.erase(std::remove_if(node.pods.begin(), node.pods.end(),
                                   [&](const auto& its) { return its.first == number; }),
                    node.pods.end());
  }
}

bool YoungestFirst::Place(int number, std::int64_t now, YoungestFirstPlan* plan) {
  Job& job = jobs_[static_cast<std::size_t>(number)];
  for (std::size_t p = 0; p < job.pods.size(); ++p) {
    Pod& pod = job.pods[p];
    const auto may_run = [&](const Node& node) {
      return job.accelerator.empty() || job.accelerator == node.accelerator;
    };
    int chosen = -1;
    for (std::size_t i = 0; i < nodes_.size() && chosen < 0; ++i)
      if (may_run(nodes_[i]) && Fits(nodes_[i].free, pod.milli)) chosen = static_cast<int>(i);
    if (chosen < 0) {
      const std::size_t part =
          nodes_.size() * static_cast<std::size_t>(options_.candidates_percent) / 100;
      const std::size_t wanted = std::max<std::size_t>(100, part);
      Candidate best, candidate;
      std::size_t found = 0;
      for (std::size_t i = 0; i < nodes_.size() && found < wanted; ++i) {
        const std::size_t node = (offset_ + i) % nodes_.size();
        if (!may_run(nodes_[node]) ||
            !Try(static_cast<int>(node), job, pod, now, &candidate)) {
          continue;
        }
        ++found;
        if (Better(candidate, best)) std::swap(best, candidate);
      }
      offset_ = (offset_ + 7919) % nodes_.size();  // it begins anywhere
      if (best.node < 0) return false;
      for (const int victim : best.victims) Evict(victim, plan);
      chosen = best.node;
    }
    const std::vector<int>& free = nodes_[static_cast<std::size_t>(chosen)].free;
    if (pod.milli < 1000) {
      // The fullest with room, as whoever shares devices does it.
      int fullest = -1;
      for (int d = 0; d < static_cast<int>(free.size()); ++d) {
        const int left = free[static_cast<std::size_t>(d)];
        if (left >= pod.milli && (fullest < 0 || left < free[static_cast<std::size_t>(fullest)]))
          fullest = d;
      }
      pod.devices = {fullest};
    } else {
      for (int d = 0; static_cast<int>(pod.devices.size()) < pod.milli / 1000; ++d)
        if (free[static_cast<std::size_t>(d)] == 1000) pod.devices.push_back(d);
    }
    pod.node = chosen;
    Put(chosen, number, static_cast<int>(p));
  }
  plan->placed.push_back(job.id);
  return true;
}

YoungestFirstPlan YoungestFirst::Plan(std::int64_t now) {
  const auto jobs = jobs_;
  const auto nodes = nodes_;
  YoungestFirstPlan plan;
  for (const int number : waiting_) Place(number, now, &plan);
  jobs_ = jobs;
  nodes_ = nodes;
  return plan;
}

}  // namespace precedent::bench
