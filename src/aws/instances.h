// Devices of the instance types of AWS.
#ifndef PRECEDENT_SRC_AWS_INSTANCES_H_
#define PRECEDENT_SRC_AWS_INSTANCES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "precedent/v1/adapter.pb.h"

namespace precedent::aws {

// GPUs and other accelerators of one instance.
struct InstanceDevices {
  std::string_view resource;  // as the device is called on Kubernetes
  std::int64_t count = 0;
};

class InstanceTable {
 public:
  // Takes instance_gpus, whose numbers were checked with the other options. Types may
  // be written with or without SageMaker's `ml.`; INVALID_ARGUMENT names one that is
  // given both ways.
  absl::Status Add(const v1::AdapterOptions& options);

  // Of `g5.12xlarge` or `ml.g5.12xlarge`. 0 devices for families without any; nullopt
  // for a type that is not in the table.
  std::optional<InstanceDevices> Find(std::string_view type) const;

 private:
  absl::flat_hash_map<std::string, std::int64_t> added_;
};

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_INSTANCES_H_
