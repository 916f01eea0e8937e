// PodDevices: the devices that one pod holds, by the rule of Kubernetes.
//
// For each resource on its own: ordinary containers and restartable init containers
// ("sidecars") run together, so they add up. An ordinary init container runs alone
// but for the sidecars that started before it. The pod holds the larger of the two,
// plus its overhead.
#ifndef PRECEDENT_SRC_ADAPTER_POD_DEVICES_H_
#define PRECEDENT_SRC_ADAPTER_POD_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "src/adapter/devices.h"
#include "src/json/document.h"

namespace precedent::adapter {

struct DeviceRequest {
  std::string_view name;
  std::int64_t count;
  json::Value from;  // for errors
};

// Of one container: rarely more than one.
using DeviceRequests = absl::InlinedVector<DeviceRequest, 4>;

// The devices of a `resources` object: requests, or limits where there is no
// request. One that differs from its limit is an error of the document.
DeviceRequests ReadRequests(const DeviceTable& table, json::Value resources);
// The devices of one map of resource name to quantity.
DeviceRequests ReadResourceMap(const DeviceTable& table, json::Value map);

class PodDevices {
 public:
  void AddContainer(const DeviceRequests& requests);
  // Init containers in the order of the pod.
  void AddInit(const DeviceRequests& requests, bool restartable);
  void AddOverhead(const DeviceRequests& requests);

  // Whether it holds none.
  bool empty() const;

  // Adds `pods` times this pod to `total`; resources of count 0 are left out. A count
  // beyond int64 is an error at `place`.
  void AddTo(DeviceCounts& total, std::int64_t pods, json::Value place) const;

 private:
  // Of one name.
  struct Need {
    std::string_view name;
    std::int64_t containers = 0;
    std::int64_t sidecars = 0;
    std::int64_t start = 0;
    std::int64_t overhead = 0;
  };
  static void Add(std::int64_t& sum, const DeviceRequest& request);
  Need& NeedOf(const DeviceRequest& request);

  absl::InlinedVector<Need, 2> needs_;
  // Places in needs_, once these are too many to look through.
  absl::flat_hash_map<absl::string_view, std::size_t> index_;
};

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_POD_DEVICES_H_
