// The rival: victims as kube-scheduler's default preemption chooses them, on the same
// clusters and with the same right to evict, so that the choice alone differs.
//
// Pod by pod: on each node all that may be evicted is taken away; if the pod then fits,
// they are given back, the most important first (of equal ones the oldest), as long as it
// still fits; the rest are victims. Of the nodes: lowest priority of the most important
// victim, smallest sum of priorities, fewest victims, latest start of the most important.
// (Fewest violations of budgets come first there; these fleets have none.)
//
// Source: kube-scheduler's documentation and the order in which it says nodes are
// compared; see also PodPriority and Preemption of the Kubernetes documentation.
#ifndef PRECEDENT_BENCH_PREEMPTION_YOUNGEST_FIRST_H_
#define PRECEDENT_BENCH_PREEMPTION_YOUNGEST_FIRST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "precedent/v1/cluster.pb.h"

namespace precedent::bench {

struct YoungestFirstOptions {
  // Nodes looked at for victims before one is chosen, as a part of all, but at least 100:
  // kube-scheduler's default is 10. 100: all.
  int candidates_percent = 100;
  std::int64_t min_runtime = 1800;  // seconds, as PreemptionPolicy has it
  std::int64_t restart = 60;
  int gap = 1;
};

struct YoungestFirstPlan {
  std::vector<std::string> placed;   // ids of jobs, all of whose pods have a place
  std::vector<std::string> victims;  // ids of jobs
};

// Reads the cluster once; every Plan starts from it. Not thread-safe.
class YoungestFirst {
 public:
  YoungestFirst(const v1::Cluster& cluster, const YoungestFirstOptions& options);

  YoungestFirstPlan Plan(std::int64_t now);

 private:
  struct Pod {
    int job = 0;
    int milli = 0;
    int node = -1;
    std::vector<int> devices;
  };
  struct Job {
    std::string id, accelerator;
    int priority = 0, preemption_priority = 0, rank = 0;
    bool consents = false;
    std::int64_t submitted = 0, started = 0, legal_from = 0;
    std::vector<Pod> pods;
    bool gone = false;
  };
  struct Node {
    std::string accelerator;
    std::vector<int> free;                // by device
    std::vector<std::pair<int, int>> pods;  // job, number of the pod
  };
  struct Candidate {
    int node = -1;
    std::vector<int> victims;
    std::int64_t top_priority = 0, sum = 0, latest = 0;
  };

  bool MayEvict(const Job& victim, const Job& preemptor, std::int64_t now) const;
  static bool Fits(const std::vector<int>& free, int milli);
  void Give(std::vector<int>* free, int job, int node, int sign) const;
  bool Better(const Candidate& a, const Candidate& b) const;
  bool Try(int node, const Job& job, const Pod& pod, std::int64_t now, Candidate* candidate);
  void Evict(int job, YoungestFirstPlan* plan);
  bool Place(int job, std::int64_t now, YoungestFirstPlan* plan);
  void Put(int node, int job, int pod);

  const YoungestFirstOptions options_;
  std::vector<Job> jobs_;
  std::vector<Node> nodes_;
  std::vector<int> waiting_;
  std::size_t offset_ = 0;  // where the search for candidates begins
};

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_PREEMPTION_YOUNGEST_FIRST_H_
