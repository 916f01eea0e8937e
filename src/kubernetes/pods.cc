#include "src/kubernetes/pods.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/adapter/pod_devices.h"
#include "src/kubernetes/claims.h"

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
  if (!set.pod_template.present() && !shape.else_template.empty()) {
    set.pod_template = role.Find(shape.else_template);
  }
  set.pods = 1;
  if (!shape.replicas.empty()) {
    std::optional<std::int64_t> replicas = role.Find(shape.replicas).Integer(0, kMaxCount);
    if (!replicas.has_value() && !shape.else_replicas.empty()) {
      replicas = role.Find(shape.else_replicas).Integer(0, kMaxCount);
    }
    set.pods = replicas.value_or(shape.default_replicas);
  }
  // Two int32 counts multiply within int64.
  if (!shape.job_spec.empty()) {
    set.job_spec = role.Find(shape.job_spec);
    set.pods *= PodsOfJob(set.job_spec);
  }
  if (!shape.hosts.empty()) {
    const std::int64_t hosts = role.Find(shape.hosts).Integer(0, kMaxCount).value_or(1);
    set.pods *= std::max<std::int64_t>(hosts - shape.less, 0);
  }
  return set;
}

// All pods, unless the object says that fewer make the gang.
std::int64_t GangPods(const Kind& kind, Value object, std::int64_t pods) {
  if (!kind.Is(kGang)) return 1;
  std::optional<std::int64_t> least;
  if (!kind.gang_pods.empty()) least = object.Find(kind.gang_pods).Integer(0, kMaxCount);
  return std::max<std::int64_t>(std::min(least.value_or(pods), pods), 1);
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

bool ReadDevices(const adapter::Options& options, const Kind& kind, Value object,
                 const std::vector<PodSet>& sets, const DeviceClaims::Table* table, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  DeviceCounts total;
  bool any = false;
  std::int64_t pods = 0;
  ClaimCounter claims(options.devices, table, job.namespace_());
  for (const PodSet& set : sets) {
    const Value spec = set.pod_template.Get("spec");
    const PodDevices devices = DevicesOfPod(options.devices, spec);
    devices.AddTo(total, set.pods, spec);
    any = any || !devices.empty();
    claims.Add(spec, set.pods);
    if (__builtin_add_overflow(pods, set.pods, &pods)) {
      set.pod_template.Fail("the pods are more than can be counted");
    }
  }
  const bool holds = claims.any() || any;
  draft.out.gang_pods = GangPods(kind, object, pods);
  if (kind.Is(kPerNode)) {
    if (!holds) {
      job.set_gpu_count(0);
    } else {
      draft.Remark(
          "runs one pod for each node, whose number the object does not say; gpu_count is absent");
    }
    return holds;
  }
  for (const auto& [name, count] : total) (*job.mutable_devices())[name] = count;
  job.set_pod_count(static_cast<double>(pods));
  if (claims.uncountable().empty()) {
    job.set_gpu_count(options.devices.GpuCount(total) + claims.gpus());
  } else {
    draft.Remark(absl::StrCat(claims.uncountable(), "; gpu_count is absent"));
  }
  return holds;
}

void ReadImageAndAccelerator(const std::vector<PodSet>& sets, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  for (const PodSet& set : sets) {
    const Value spec = set.pod_template.Get("spec");
    const std::vector<Value> containers = spec.Get("containers").Items().ToVector();
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

std::string_view PriorityClassName(const Kind& kind, Value object,
                                   const std::vector<PodSet>& sets) {
  std::string_view first;
  if (!kind.class_holder.empty()) {
    first = object.Find(kind.class_holder).Get("priorityClassName").String().value_or("");
  }
  for (const PodSet& set : sets) {
    const std::string_view name =
        set.pod_template.Get("spec").Get("priorityClassName").String().value_or("");
    if (first.empty()) first = name;
  }
  return first;
}

}  // namespace precedent::kubernetes
