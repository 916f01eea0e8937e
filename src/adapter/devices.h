// Which resources are devices, and how many GPUs one of them is.
#ifndef PRECEDENT_SRC_ADAPTER_DEVICES_H_
#define PRECEDENT_SRC_ADAPTER_DEVICES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/adapter/wildcard.h"

namespace precedent::adapter {

// Resource name to exact count.
using DeviceCounts = std::map<std::string, std::int64_t>;

// The weights, in this order: those that were set, then the table of known names,
// then MIG slices by the compute share in their name, then 1 for any vendor's
// `<domain>/gpu`, then 0. Shares of memory or cores weigh 0: which part of a GPU
// they are cannot be told from the count.
class DeviceTable {
 public:
  DeviceTable();

  void SetWeight(std::string_view name, double weight);
  // Replaces the defaults.
  void SetNotDevices(const std::vector<std::string>& patterns);

  // An extended resource (domain-prefixed, not of kubernetes.io) that is not listed
  // as no device.
  bool IsDevice(std::string_view name) const;

  // The weight that the options give that name; nullopt: none.
  std::optional<double> WeightSetFor(std::string_view name) const;

  // Sum of count x weight. Exact where the result is a whole number of GPUs.
  double GpuCount(const DeviceCounts& devices) const;

 private:
  absl::flat_hash_map<std::string, double> weights_;
  std::vector<Wildcard> not_devices_;
};

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_DEVICES_H_
