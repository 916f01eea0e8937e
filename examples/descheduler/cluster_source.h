// The cluster as the API server lists it.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_CLUSTER_SOURCE_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_CLUSTER_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api.h"
#include "history.h"
#include "precedent/kubernetes.h"
#include "precedent/kubernetes_cluster.h"

namespace precedent::descheduler {

struct ClusterLists {
  kubernetes::ClusterReading reading;
  // Objects that could not be read. Nodes with such a pod take no new pods: nobody knows
  // what it holds there.
  std::vector<std::string> problems;
  std::size_t objects = 0;
};

// Lists page by page; memory is one page (64 MiB at most: longer ones are asked for again in
// halves), what ClusterReader keeps, and a few words for each pod that may hold a device.
// Not thread-safe.
class ClusterSource {
 public:
  ClusterSource(Api* api, int page_size, const std::atomic<bool>* stop)
      : api_(api), page_size_(page_size), stop_(stop) {}

  // Everything, or UNAVAILABLE saying which list is not whole: nothing can be planned on half
  // of a cluster. `history` gets what became of pods and Jobs. ABORTED: a list's continuation
  // has expired (410): list anew.
  absl::StatusOr<ClusterLists> List(const kubernetes::ClusterOptions& options,
                                    const kubernetes::Adapter& adapter, const Evaluator& evaluator,
                                    History* history);

 private:
  struct Round;
  absl::Status ListKind(const char* path, const char* kind, const char* version, bool optional,
                        Round* round);
  absl::Status ReadPage(const std::string& body, const char* kind, const char* version,
                        Round* round, std::string* next);

  Api* const api_;
  const int page_size_;
  const std::atomic<bool>* const stop_;
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_CLUSTER_SOURCE_H_
