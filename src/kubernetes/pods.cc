#include "src/kubernetes/pods.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/adapter/pod_devices.h"

namespace precedent::kubernetes {
namespace {

using adapter::DeviceCounts;
using adapter::DeviceTable;
using adapter::Draft;
using adapter::PodDevices;
using adapter::ReadRequests;
using adapter::ReadResourceMap;
using json::Value;

// Counts in specs are int32 in Kubernetes.
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

// Labels by which device plugins, clouds and autoscalers name the model of a node's
// GPUs. The instance type is none: it says more than the model.
constexpr std::string_view kAcceleratorLabels[] = {
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "eks.amazonaws.com/instance-gpu-name",
};

// Pods of a Job at once: no more than are left to complete. Without completions any
// pod may end the work, and all of parallelism run.
std::int64_t PodsOfJob(Value spec) {
  const std::int64_t parallelism = spec.Get("parallelism").Integer(0, kMaxCount).value_or(1);
  const std::int64_t completions =
      spec.Get("completions").Integer(0, kMaxCount).value_or(parallelism);
  return std::min(parallelism, completions);
}

PodSet ReadPodSet(const Role& shape, Value role) {
  PodSet set;
  set.pod_template = role.Find(shape.pod_template);
  set.pods = 1;
  if (!shape.replicas.empty()) {
    set.pods = role.Find(shape.replicas).Integer(0, kMaxCount).value_or(1);
  }
  // Two int32 counts multiply within int64.
  if (!shape.job_spec.empty()) set.pods *= PodsOfJob(role.Find(shape.job_spec));
  return set;
}

PodDevices DevicesOfPod(const DeviceTable& table, Value spec) {
  PodDevices devices;
  for (const Value container : spec.Get("initContainers").Items()) {
    const bool restartable =
        container.Get("restartPolicy").String().value_or(std::string_view()) == "Always";
    devices.AddInit(ReadRequests(table, container.Get("resources")), restartable);
  }
  for (const Value container : spec.Get("containers").Items()) {
    devices.AddContainer(ReadRequests(table, container.Get("resources")));
  }
  devices.AddOverhead(ReadResourceMap(table, spec.Get("overhead")));
  return devices;
}

}  // namespace

std::vector<PodSet> ReadPodSets(const Kind& kind, Value object) {
  std::vector<PodSet> sets;
  for (const Role& shape : kind.roles) {
    if (shape.each.empty()) {
      sets.push_back(ReadPodSet(shape, object));
      continue;
    }
    const Value roles = object.Find(shape.each);
    if (roles.is_object()) {
      for (const Value::Member& member : roles.Members()) {
        sets.push_back(ReadPodSet(shape, member.value));
      }
    } else {
      for (const Value role : roles.Items()) sets.push_back(ReadPodSet(shape, role));
    }
  }
  return sets;
}

void ReadDevices(const adapter::Options& options, const std::vector<PodSet>& sets, Draft& draft) {
  DeviceCounts total;
  std::int64_t pods = 0;
  bool claims = false;
  for (const PodSet& set : sets) {
    const Value spec = set.pod_template.Get("spec");
    DevicesOfPod(options.devices, spec).AddTo(total, set.pods, spec);
    if (__builtin_add_overflow(pods, set.pods, &pods)) {
      set.pod_template.Fail("the pods are more than can be counted");
    }
    const Value resource_claims = spec.Get("resourceClaims");
    if (!claims && !resource_claims.Items().empty()) {
      claims = true;
      draft.Remark(absl::StrCat(resource_claims.Path(),
                                ": devices by claim cannot be counted from this object alone; "
                                "gpu_count is absent"));
    }
  }
  v1::JobDescriptor& job = draft.out.job;
  for (const auto& [name, count] : total) (*job.mutable_devices())[name] = count;
  job.set_pod_count(static_cast<double>(pods));
  if (!claims) job.set_gpu_count(options.devices.GpuCount(total));
}

void ReadImageAndAccelerator(const std::vector<PodSet>& sets, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  for (const PodSet& set : sets) {
    const Value spec = set.pod_template.Get("spec");
    const std::vector<Value> containers = spec.Get("containers").Items();
    if (job.image().empty() && !containers.empty()) {
      const std::optional<std::string_view> image = containers[0].Get("image").String();
      if (image.has_value()) job.set_image(std::string(*image));
    }
    const Value selector = spec.Get("nodeSelector");
    for (const std::string_view label : kAcceleratorLabels) {
      if (!job.accelerator().empty()) break;
      const std::optional<std::string_view> model = selector.Get(label).String();
      if (!model.has_value() || model->empty()) continue;
      job.set_accelerator(std::string(*model));
      draft.Verify(v1::ACCELERATOR);
    }
  }
}

std::string_view PriorityClassName(const std::vector<PodSet>& sets) {
  std::string_view first;
  for (const PodSet& set : sets) {
    const std::string_view name =
        set.pod_template.Get("spec").Get("priorityClassName").String().value_or("");
    if (first.empty()) first = name;
  }
  return first;
}

}  // namespace precedent::kubernetes
