#include "src/adapter/pod_devices.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace precedent::adapter {
namespace {

// Names up to which a list is looked through. A hostile object may have very many,
// which are looked up by hash.
constexpr std::size_t kFew = 8;

constexpr char kOverflow[] = "the devices add up to more than can be counted";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// Where a name is in a list of requests.
class RequestsByName {
 public:
  explicit RequestsByName(const DeviceRequests& requests)
      : requests_(requests), count_(requests.size()) {
    if (count_ <= kFew) return;
    for (std::size_t i = 0; i < count_; ++i) index_.emplace(View(requests[i].name), i);
  }

  // The number of requests where there is none.
  std::size_t Find(std::string_view name) const {
    if (count_ > kFew) {
      const auto it = index_.find(View(name));
      return it == index_.end() ? count_ : it->second;
    }
    std::size_t i = 0;
    while (i < count_ && requests_[i].name != name) ++i;
    return i;
  }

 private:
  const DeviceRequests& requests_;
  std::size_t count_;  // those that are added later are not looked at
  absl::flat_hash_map<absl::string_view, std::size_t> index_;
};

}  // namespace

DeviceRequests ReadResourceMap(const DeviceTable& table, json::Value map) {
  DeviceRequests out;
  for (const json::Value::Member& member : map.Members()) {
    if (!table.IsDevice(member.key)) continue;
    const std::optional<std::int64_t> count = member.value.DeviceCount();
    if (count.has_value()) out.push_back({member.key, *count, member.value});
  }
  return out;
}

DeviceRequests ReadRequests(const DeviceTable& table, json::Value resources) {
  const DeviceRequests limits = ReadResourceMap(table, resources.Get("limits"));
  DeviceRequests out = ReadResourceMap(table, resources.Get("requests"));
  const RequestsByName requested(out);
  const std::size_t count = out.size();
  for (const DeviceRequest& limit : limits) {
    const std::size_t i = requested.Find(limit.name);
    if (i == count) {
      out.push_back(limit);
    } else if (out[i].count != limit.count) {
      limit.from.Fail(absl::StrCat("the limit `", limit.count, "` differs from the request `",
                                   out[i].count, "`; for a device both must be equal"));
    }
  }
  return out;
}

void PodDevices::Add(std::int64_t& sum, const DeviceRequest& request) {
  if (__builtin_add_overflow(sum, request.count, &sum)) request.from.Fail(kOverflow);
}

PodDevices::Need& PodDevices::NeedOf(const DeviceRequest& request) {
  if (needs_.size() <= kFew) {
    for (Need& need : needs_) {
      if (need.name == request.name) return need;
    }
  } else {
    // The first time, all that are there.
    for (std::size_t i = index_.size(); i < needs_.size(); ++i) {
      index_.emplace(View(needs_[i].name), i);
    }
    const auto it = index_.find(View(request.name));
    if (it != index_.end()) return needs_[it->second];
  }
  needs_.emplace_back();
  needs_.back().name = request.name;
  return needs_.back();
}

bool PodDevices::empty() const {
  for (const Need& need : needs_) {
    if ((need.containers | need.sidecars | need.start | need.overhead) != 0) return false;
  }
  return true;
}

void PodDevices::AddContainer(const DeviceRequests& requests) {
  for (const DeviceRequest& request : requests) Add(NeedOf(request).containers, request);
}

void PodDevices::AddInit(const DeviceRequests& requests, bool restartable) {
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

void PodDevices::AddOverhead(const DeviceRequests& requests) {
  for (const DeviceRequest& request : requests) Add(NeedOf(request).overhead, request);
}

void PodDevices::AddTo(DeviceCounts& total, std::int64_t pods, json::Value place) const {
  for (const Need& need : needs_) {
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
    std::int64_t& sum = total[std::string(need.name)];
    if (__builtin_add_overflow(sum, all, &sum)) place.Fail(kOverflow);
  }
}

}  // namespace precedent::adapter
