// Device claims: what dynamic resource allocation gives a pod.
#ifndef PRECEDENT_SRC_KUBERNETES_CLAIMS_H_
#define PRECEDENT_SRC_KUBERNETES_CLAIMS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/kubernetes.h"
#include "src/adapter/devices.h"
#include "src/json/document.h"

namespace precedent::kubernetes {

// What one claim asks for.
struct Claim {
  struct Request {
    std::string device_class;
    std::int64_t count;
  };
  std::vector<Request> requests;
  // Why it has no number, such as `asks for all devices`; empty: it has.
  std::string uncountable;
};

class DeviceClaims::Table {
 public:
  void Add(std::string key, Claim claim) { claims_[std::move(key)] = std::move(claim); }
  const Claim* Find(const std::string& key) const {
    const auto it = claims_.find(key);
    return it == claims_.end() ? nullptr : &it->second;
  }

 private:
  std::map<std::string, Claim> claims_;
};

// Sums up the claims of one object's pods.
class ClaimCounter {
 public:
  // `table` may be null. Borrows both.
  ClaimCounter(const adapter::DeviceTable& devices, const DeviceClaims::Table* table,
               std::string_view namespace_name)
      : devices_(devices), table_(table), namespace_(namespace_name) {}

  // The claims of `pods` pods of that spec: one from a template for each pod, one
  // that is named once for all pods that name it, however many containers use it.
  void Add(json::Value spec, std::int64_t pods);

  bool any() const { return any_; }
  // Where a number is missing; empty: nowhere.
  const std::string& uncountable() const { return uncountable_; }
  double gpus() const { return gpus_; }

 private:
  void AddClaim(const Claim& claim, std::int64_t times, json::Value place);

  const adapter::DeviceTable& devices_;
  const DeviceClaims::Table* table_;
  std::string namespace_;
  std::set<std::string> shared_;
  bool any_ = false;
  std::string uncountable_;
  double gpus_ = 0;
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_CLAIMS_H_
