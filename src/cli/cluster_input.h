// Clusters out of files: Kubernetes objects, or messages of our own.
#ifndef PRECEDENT_SRC_CLI_CLUSTER_INPUT_H_
#define PRECEDENT_SRC_CLI_CLUSTER_INPUT_H_

#include <string>
#include <vector>

#include "precedent/kubernetes_cluster.h"
#include "precedent/policy.h"
#include "precedent/time.h"
#include "src/cli/console.h"

namespace precedent::cli {

struct ClusterInput {
  // class_order is the policy's where no file says it.
  kubernetes::ClusterReading reading;
  bool good = true;  // nothing was left out as invalid
};

// All files together are one cluster. What is wrong is reported and left out. JSON of
// Kubernetes is read in bounded memory, however long.
absl::StatusOr<ClusterInput> ReadCluster(const std::vector<std::string>& files,
                                         const kubernetes::ClusterOptions& options,
                                         const CompiledPolicy& policy, TimePoint now,
                                         Console& console);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_CLUSTER_INPUT_H_
