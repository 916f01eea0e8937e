// Reading the pods of an object: how many, what they hold, what they say.
#ifndef PRECEDENT_SRC_KUBERNETES_PODS_H_
#define PRECEDENT_SRC_KUBERNETES_PODS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/adapter/draft.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {

// The pods of one role.
struct PodSet {
  json::Value pod_template;  // with metadata and spec
  std::int64_t pods = 0;     // wanted at once
};

// Every role of the object, in the order of the table and the object.
std::vector<PodSet> ReadPodSets(const Kind& kind, json::Value object);

// Devices, gpu_count and pod_count over all pods, with a remark where claims make
// the GPUs uncountable.
void ReadDevices(const adapter::Options& options, const std::vector<PodSet>& sets,
                 adapter::Draft& draft);

// Image of the first container and device model of the node selector, of the first
// role that has one.
void ReadImageAndAccelerator(const std::vector<PodSet>& sets, adapter::Draft& draft);

// The first priorityClassName of the templates; empty where there is none.
std::string_view PriorityClassName(const std::vector<PodSet>& sets);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_PODS_H_
