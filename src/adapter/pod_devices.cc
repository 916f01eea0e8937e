#include "src/adapter/pod_devices.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace precedent::adapter {
namespace {

constexpr char kOverflow[] = "the devices add up to more than can be counted";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::vector<DeviceRequest> ReadResourceMap(const DeviceTable& table, json::Value map) {
  std::vector<DeviceRequest> out;
  for (const json::Value::Member& member : map.Members()) {
    if (!table.IsDevice(member.key)) continue;
    const std::optional<std::int64_t> count = member.value.DeviceCount();
    if (count.has_value()) out.push_back({member.key, *count, member.value});
  }
  return out;
}

std::vector<DeviceRequest> ReadRequests(const DeviceTable& table, json::Value resources) {
  const std::vector<DeviceRequest> limits = ReadResourceMap(table, resources.Get("limits"));
  std::vector<DeviceRequest> out = ReadResourceMap(table, resources.Get("requests"));
  // Looked up by hash: a hostile object may have very many names.
  absl::flat_hash_map<absl::string_view, std::int64_t> requested;
  for (const DeviceRequest& request : out) requested.emplace(View(request.name), request.count);
  for (const DeviceRequest& limit : limits) {
    const auto it = requested.find(View(limit.name));
    if (it == requested.end()) {
      out.push_back(limit);
    } else if (it->second != limit.count) {
      limit.from.Fail(absl::StrCat("the limit `", limit.count, "` differs from the request `",
                                   it->second, "`; for a device both must be equal"));
    }
  }
  return out;
}

void PodDevices::Add(std::int64_t& sum, const DeviceRequest& request) {
  if (__builtin_add_overflow(sum, request.count, &sum)) request.from.Fail(kOverflow);
}

PodDevices::Need& PodDevices::NeedOf(const DeviceRequest& request) {
  return needs_[View(request.name)];
}

void PodDevices::AddContainer(const std::vector<DeviceRequest>& requests) {
  for (const DeviceRequest& request : requests) Add(NeedOf(request).containers, request);
}

void PodDevices::AddInit(const std::vector<DeviceRequest>& requests, bool restartable) {
  for (const DeviceRequest& request : requests) {
    Need& need = NeedOf(request);
    if (restartable) {
      Add(need.sidecars, request);
    } else {
      std::int64_t at_once = need.sidecars;
      Add(at_once, request);
      need.start = std::max(need.start, at_once);
    }
  }
}

void PodDevices::AddOverhead(const std::vector<DeviceRequest>& requests) {
  for (const DeviceRequest& request : requests) Add(NeedOf(request).overhead, request);
}

void PodDevices::AddTo(DeviceCounts& total, std::int64_t pods, json::Value place) const {
  for (const auto& [name, need] : needs_) {
    std::int64_t always = 0;
    std::int64_t held = 0;
    std::int64_t all = 0;
    if (__builtin_add_overflow(need.containers, need.sidecars, &always) ||
        __builtin_add_overflow(std::max(always, need.start), need.overhead, &held) ||
        __builtin_mul_overflow(held, pods, &all)) {
      place.Fail(kOverflow);
      continue;
    }
    if (all == 0) continue;
    std::int64_t& sum = total[std::string(name)];
    if (__builtin_add_overflow(sum, all, &sum)) place.Fail(kOverflow);
  }
}

}  // namespace precedent::adapter
