#include "src/adapter/devices.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace precedent::adapter {
namespace {

// One device of these is one GPU (or accelerator of another make).
constexpr std::string_view kWhole[] = {
    "nvidia.com/gpu",
    "nvidia.com/pgpu",        // passed through to a sandbox
    "nvidia.com/gpu.shared",  // a turn on a time-shared GPU; how many share it is unknown
    "amd.com/gpu",           "gpu.intel.com/i915",          "gpu.intel.com/xe",
    "aws.amazon.com/neuron", "aws.amazon.com/neurondevice", "habana.ai/gaudi",
    "google.com/tpu",        "volcano.sh/gpu-number",       "volcano.sh/vgpu-number",
    "aliyun.com/gpu-count",  "qualcomm.com/qaic",           "huawei.com/Ascend310",
    "huawei.com/Ascend910",  "cambricon.com/mlu",           "cambricon.com/mlunum",
    "enflame.com/gcu",
};

constexpr std::string_view kDefaultNotDevices[] = {"vpc.amazonaws.com/efa", "rdma/*", "*/rdma*",
                                                   "*/hca*"};

struct Share {
  int part;
  int of;
};

// Slices of cards that are divided into 4 and not, like most, into 7 (A30, RTX PRO
// 6000). Their memory sizes tell them apart.
constexpr std::string_view kQuarterProfiles[] = {"1g.6gb",  "2g.12gb", "4g.24gb",
                                                 "1g.24gb", "2g.48gb", "4g.96gb"};

// `nvidia.com/mig-3g.20gb` and with it `mig-1c.3g.20gb` (a part of such a slice),
// `mig-1g.10gb.me` and `.shared`.
std::optional<Share> MigShare(std::string_view name) {
  constexpr std::string_view kMig = "nvidia.com/mig-";
  if (name.substr(0, kMig.size()) != kMig) return std::nullopt;
  const std::string_view profile = name.substr(kMig.size());
  // The first number: compute slices where a `c` follows, else GPU slices.
  if (profile.size() < 3 || profile[0] < '1' || profile[0] > '7' || profile[2] != '.') {
    return std::nullopt;
  }
  if (profile[1] != 'g' && profile[1] != 'c') return std::nullopt;
  const std::string_view slice = profile[1] == 'c' ? profile.substr(3) : profile;
  for (const std::string_view quarter : kQuarterProfiles) {
    const bool same = slice.substr(0, quarter.size()) == quarter &&
                      (slice.size() == quarter.size() || slice[quarter.size()] == '.');
    if (same) return Share{profile[0] - '0', 4};
  }
  return Share{profile[0] - '0', 7};
}

std::string_view AfterDomain(std::string_view name) { return name.substr(name.find('/') + 1); }

}  // namespace

DeviceTable::DeviceTable() {
  for (const std::string_view pattern : kDefaultNotDevices) not_devices_.emplace_back(pattern);
}

void DeviceTable::SetWeight(std::string_view name, double weight) {
  weights_[std::string(name)] = weight;
}

void DeviceTable::SetNotDevices(const std::vector<std::string>& patterns) {
  not_devices_.clear();
  for (const std::string& pattern : patterns) not_devices_.emplace_back(pattern);
}

bool DeviceTable::IsDevice(std::string_view name) const {
  if (name.find('/') == std::string_view::npos) return false;
  // As Kubernetes tells its own resources, sub-domains included.
  if (name.find("kubernetes.io/") != std::string_view::npos) return false;
  for (const Wildcard& pattern : not_devices_) {
    if (pattern.Matches(name)) return false;
  }
  return true;
}

std::optional<double> DeviceTable::WeightSetFor(std::string_view name) const {
  const auto it = weights_.find(absl::string_view(name.data(), name.size()));
  if (it == weights_.end()) return std::nullopt;
  return it->second;
}

double DeviceTable::GpuCount(const DeviceCounts& devices) const {
  // Shares are summed before they are divided: seven sevenths are 1.
  double whole = 0;
  double sevenths = 0;
  double quarters = 0;
  for (const auto& [name, count] : devices) {
    const double n = static_cast<double>(count);
    const auto set = weights_.find(name);
    if (set != weights_.end()) {
      whole += n * set->second;
      continue;
    }
    if (const std::optional<Share> share = MigShare(name); share.has_value()) {
      (share->of == 7 ? sevenths : quarters) += n * share->part;
      continue;
    }
    bool known = AfterDomain(name) == "gpu";
    for (const std::string_view one : kWhole) known = known || one == name;
    if (known) whole += n;
  }
  return whole + sevenths / 7 + quarters / 4;
}

}  // namespace precedent::adapter
