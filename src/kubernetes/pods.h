// Reading the pods of an object: how many, what they hold, what they say.
#ifndef PRECEDENT_SRC_KUBERNETES_PODS_H_
#define PRECEDENT_SRC_KUBERNETES_PODS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "precedent/kubernetes.h"
#include "src/adapter/draft.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {

// The pods of one role.
struct PodSet {
  json::Value pod_template;  // with metadata and spec
  json::Value job_spec;      // the JobSpec around it, or absent
  std::int64_t pods = 0;     // wanted at once
};

// Every role of the object, in the order of the table and the object.
std::vector<PodSet> ReadPodSets(const Kind& kind, json::Value object);

// Devices, gpu_count, pod_count and gang over all pods, with a remark where GPUs
// cannot be counted. Needs the namespace in the draft. `claims` may be null. False
// where no pod of the object can hold a device, be it by a claim.
bool ReadDevices(const adapter::Options& options, const Kind& kind, json::Value object,
                 const std::vector<PodSet>& sets, const DeviceClaims::Table* claims,
                 adapter::Draft& draft);

// Image of the first container and device model of the node selector, of the first
// role that has one.
void ReadImageAndAccelerator(const std::vector<PodSet>& sets, adapter::Draft& draft);

// The priorityClassName that counts for all pods of the object, else the first of
// its templates; empty where there is none.
std::string_view PriorityClassName(const Kind& kind, json::Value object,
                                   const std::vector<PodSet>& sets);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_PODS_H_
