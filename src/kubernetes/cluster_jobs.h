// From pods, nodes and budgets to the cluster of the planner.
#ifndef PRECEDENT_SRC_KUBERNETES_CLUSTER_JOBS_H_
#define PRECEDENT_SRC_KUBERNETES_CLUSTER_JOBS_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "precedent/kubernetes_cluster.h"
#include "src/kubernetes/cluster_objects.h"

namespace precedent::kubernetes {

// Remarks of one kind, told as one with a count and the first example by name.
class Remarks {
 public:
  void Add(const std::string& text, const std::string& example);
  std::vector<std::string> Texts() const;

 private:
  struct Note {
    std::size_t count = 0;
    std::string example;
  };
  std::map<std::string, Note> notes_;
};

struct ClusterObjects {
  std::map<std::string, PodRecord> pods;  // by uid
  std::map<std::string, NodeRecord> nodes;
  std::map<std::string, BudgetRecord> budgets;  // by `namespace/name`
  std::set<std::string> classes;                // PriorityClasses; empty: not told
};

// Does not depend on the order in which the objects came. Pods x budgets of one namespace,
// and nodes x different constraints of pods that wait.
ClusterReading MakeCluster(ClusterObjects objects, Remarks remarks);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_CLUSTER_JOBS_H_
