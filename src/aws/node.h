// Node: what one node of a Batch job runs, definition and override together.
#ifndef PRECEDENT_SRC_AWS_NODE_H_
#define PRECEDENT_SRC_AWS_NODE_H_

#include <string_view>

#include "src/adapter/devices.h"
#include "src/adapter/metadata.h"
#include "src/adapter/pod_devices.h"
#include "src/json/document.h"

namespace precedent::aws {

// The three ways to say what runs, of which a job uses one. Any Value may be absent.
struct Layer {
  json::Value container;  // containerProperties, container or containerOverrides
  json::Value ecs;        // ecsProperties or its override
  json::Value eks;        // podProperties of eksProperties or its override

  // From a job definition, a range of its nodes, and from what overrides either.
  static Layer OfDefinition(json::Value definition);
  static Layer OfRange(json::Value range);
  static Layer OfOverride(json::Value request_or_range);

  bool present() const { return container.present() || ecs.present() || eks.present(); }
};

struct Node {
  Layer definition;
  Layer override;

  // Devices of this node: an override replaces the resources of the same type and
  // name only.
  adapter::PodDevices Devices(const adapter::DeviceTable& table) const;
  // Image of the first container; empty where unknown.
  std::string_view Image() const;
};

// True where `layer` itself says how many GPUs a single container has.
bool GivesGpu(const Layer& layer);

// Labels and annotations of the layer's pod, and the environment of its first
// container.
void AddPodMetadata(const Layer& layer, adapter::Metadata& metadata);
void AddEnvironment(const Layer& layer, adapter::Metadata& metadata);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_NODE_H_
