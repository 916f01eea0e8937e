#include "src/aws/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/json/duration.h"

namespace precedent::aws {
namespace {

using adapter::DeviceRequest;
using adapter::DeviceRequests;
using adapter::DeviceTable;
using adapter::PodDevices;
using json::Value;

// The resource by which Batch's GPUs go on the other platform, so that one policy
// and one table of weights serve both.
constexpr std::string_view kGpu = "nvidia.com/gpu";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// The entry of type GPU of a list of resource requirements.
std::optional<DeviceRequest> ReadGpu(Value requirements) {
  std::optional<DeviceRequest> found;
  for (const Value item : requirements.Items()) {
    const Value value = item.Get("value");
    const std::optional<std::string_view> type = item.Get("type").String();
    const std::optional<std::string_view> text = value.String();
    if (!type.has_value() || *type != "GPU") continue;
    if (found.has_value()) item.Fail("GPU is given twice; keep one of them");
    if (!text.has_value()) {
      value.Fail("is missing");
      continue;
    }
    const absl::StatusOr<std::int64_t> count = json::ParseWholeNumber(*text);
    if (count.ok()) {
      found = DeviceRequest{kGpu, *count, value};
    } else {
      value.Fail(std::string(count.status().message()));
    }
  }
  return found;
}

std::vector<Value> EcsContainers(Value ecs) {
  std::vector<Value> all;
  for (const Value task : ecs.Get("taskProperties").Items()) {
    for (const Value container : task.Get("containers").Items()) all.push_back(container);
  }
  return all;
}

// Containers of an override by the name of the container that they change. Batch
// knows an unnamed container as the only one.
using ByName = absl::flat_hash_map<absl::string_view, Value>;
ByName IndexByName(const std::vector<Value>& containers) {
  ByName index;
  for (const Value container : containers) {
    const std::string_view name = container.Get("name").String().value_or(std::string_view());
    index.emplace(View(name), container);
  }
  return index;
}

Value OverrideOf(const ByName& overrides, Value container) {
  const std::string_view name = container.Get("name").String().value_or(std::string_view());
  auto it = overrides.find(View(name));
  if (it == overrides.end() && overrides.size() == 1) it = overrides.find("");
  return it == overrides.end() ? Value() : it->second;
}

DeviceRequests GpuRequests(Value container, Value override) {
  const std::optional<DeviceRequest> defined = ReadGpu(container.Get("resourceRequirements"));
  const std::optional<DeviceRequest> changed = ReadGpu(override.Get("resourceRequirements"));
  if (changed.has_value()) return {*changed};
  if (defined.has_value()) return {*defined};
  return {};
}

DeviceRequests PodRequests(const DeviceTable& table, Value container, Value override) {
  DeviceRequests requests = ReadRequests(table, override.Get("resources"));
  absl::flat_hash_map<absl::string_view, bool> changed;
  for (const DeviceRequest& request : requests) changed[View(request.name)] = true;
  for (const DeviceRequest& request : ReadRequests(table, container.Get("resources"))) {
    if (!changed.contains(View(request.name))) requests.push_back(request);
  }
  return requests;
}

}  // namespace

Layer Layer::OfDefinition(Value definition) {
  // A described job has `container`, as a range of nodes has.
  const Value container = definition.Get("containerProperties");
  return {container.present() ? container : definition.Get("container"),
          definition.Get("ecsProperties"), definition.Find("eksProperties.podProperties")};
}

Layer Layer::OfRange(Value range) {
  return {range.Get("container"), range.Get("ecsProperties"),
          range.Find("eksProperties.podProperties")};
}

Layer Layer::OfOverride(Value from) {
  return {from.Get("containerOverrides"), from.Get("ecsPropertiesOverride"),
          from.Find("eksPropertiesOverride.podProperties")};
}

PodDevices Node::Devices(const DeviceTable& table) const {
  PodDevices devices;
  devices.AddContainer(GpuRequests(definition.container, override.container));

  const ByName ecs_overrides = IndexByName(EcsContainers(override.ecs));
  for (const Value container : EcsContainers(definition.ecs)) {
    devices.AddContainer(GpuRequests(container, OverrideOf(ecs_overrides, container)));
  }

  const ByName init_overrides = IndexByName(override.eks.Get("initContainers").Items().ToVector());
  for (const Value container : definition.eks.Get("initContainers").Items()) {
    devices.AddInit(PodRequests(table, container, OverrideOf(init_overrides, container)), false);
  }
  const ByName pod_overrides = IndexByName(override.eks.Get("containers").Items().ToVector());
  for (const Value container : definition.eks.Get("containers").Items()) {
    devices.AddContainer(PodRequests(table, container, OverrideOf(pod_overrides, container)));
  }
  return devices;
}

std::string_view Node::Image() const {
  const auto image = [](Value container) {
    return container.Get("image").String().value_or(std::string_view());
  };
  const std::vector<Value> pod = definition.eks.Get("containers").Items().ToVector();
  if (!pod.empty()) {
    // Only a pod's override may change the image.
    const ByName overrides = IndexByName(override.eks.Get("containers").Items().ToVector());
    const std::string_view changed = image(OverrideOf(overrides, pod[0]));
    return changed.empty() ? image(pod[0]) : changed;
  }
  const std::vector<Value> task = EcsContainers(definition.ecs);
  return image(task.empty() ? definition.container : task[0]);
}

bool GivesGpu(const Layer& layer) {
  return ReadGpu(layer.container.Get("resourceRequirements")).has_value();
}

void AddPodMetadata(const Layer& layer, adapter::Metadata& metadata) {
  const Value pod = layer.eks.Get("metadata");
  metadata.AddMap(pod.Get("labels"), adapter::Metadata::InLabels::kYes);
  metadata.AddMap(pod.Get("annotations"), adapter::Metadata::InLabels::kYes);
}

void AddEnvironment(const Layer& layer, adapter::Metadata& metadata) {
  metadata.AddEnvironment(layer.container.Get("environment"));
  const std::vector<Value> ecs = EcsContainers(layer.ecs);
  if (!ecs.empty()) metadata.AddEnvironment(ecs[0].Get("environment"));
  const std::vector<Value> eks = layer.eks.Get("containers").Items().ToVector();
  if (!eks.empty()) metadata.AddEnvironment(eks[0].Get("env"));
}

}  // namespace precedent::aws
