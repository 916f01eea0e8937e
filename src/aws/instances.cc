#include "src/aws/instances.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kNeuron = "aws.amazon.com/neuron";

struct Row {
  std::string_view type;
  std::int64_t count;
};

// From the AWS Batch user guide (g4dn, g5, p3, p4d) and the accelerated computing
// pages of the EC2 instance type guide. Fractions of a GPU (g6f) are not here.
constexpr Row kGpuTypes[] = {
    {"p3.2xlarge", 1},    {"p3.8xlarge", 4},    {"p3.16xlarge", 8},      {"p3dn.24xlarge", 8},
    {"p4d.24xlarge", 8},  {"p4de.24xlarge", 8}, {"p5.4xlarge", 1},       {"p5.48xlarge", 8},
    {"p5e.48xlarge", 8},  {"p5en.48xlarge", 8}, {"p6-b200.48xlarge", 8}, {"g4dn.xlarge", 1},
    {"g4dn.2xlarge", 1},  {"g4dn.4xlarge", 1},  {"g4dn.8xlarge", 1},     {"g4dn.16xlarge", 1},
    {"g4dn.12xlarge", 4}, {"g4dn.metal", 8},    {"g5.xlarge", 1},        {"g5.2xlarge", 1},
    {"g5.4xlarge", 1},    {"g5.8xlarge", 1},    {"g5.16xlarge", 1},      {"g5.12xlarge", 4},
    {"g5.24xlarge", 4},   {"g5.48xlarge", 8},   {"g6.xlarge", 1},        {"g6.2xlarge", 1},
    {"g6.4xlarge", 1},    {"g6.8xlarge", 1},    {"g6.16xlarge", 1},      {"g6.12xlarge", 4},
    {"g6.24xlarge", 4},   {"g6.48xlarge", 8},   {"g6e.xlarge", 1},       {"g6e.2xlarge", 1},
    {"g6e.4xlarge", 1},   {"g6e.8xlarge", 1},   {"g6e.16xlarge", 1},     {"g6e.12xlarge", 4},
    {"g6e.24xlarge", 4},  {"g6e.48xlarge", 8},
};
constexpr Row kNeuronTypes[] = {
    {"trn1.2xlarge", 1}, {"trn1.32xlarge", 16}, {"trn1n.32xlarge", 16}, {"trn2.48xlarge", 16},
    {"inf2.xlarge", 1},  {"inf2.8xlarge", 1},   {"inf2.24xlarge", 6},   {"inf2.48xlarge", 12},
};

std::string_view Bare(std::string_view type) {
  return type.substr(0, 3) == "ml." ? type.substr(3) : type;
}

// General purpose, compute, memory, storage and burst families (`m5.large`, `c6i...`).
bool HasNoDevice(std::string_view type) {
  return type.size() > 1 && std::string_view("cdimrtxz").find(type[0]) != std::string_view::npos &&
         absl::ascii_isdigit(static_cast<unsigned char>(type[1]));
}

}  // namespace

absl::Status InstanceTable::Add(const v1::AdapterOptions& options) {
  for (const auto& [type, gpus] : options.instance_gpus()) {
    if (!added_.emplace(std::string(Bare(type)), gpus).second) {
      return absl::InvalidArgumentError(absl::StrCat("instance_gpus[\"", json::Printable(type),
                                                     "\"]: is listed with and without `ml.`"));
    }
  }
  return absl::OkStatus();
}

std::optional<InstanceDevices> InstanceTable::Find(std::string_view type) const {
  type = Bare(type);
  const auto added = added_.find(absl::string_view(type.data(), type.size()));
  if (added != added_.end()) return InstanceDevices{kGpu, added->second};
  for (const Row& row : kGpuTypes) {
    if (row.type == type) return InstanceDevices{kGpu, row.count};
  }
  for (const Row& row : kNeuronTypes) {
    if (row.type == type) return InstanceDevices{kNeuron, row.count};
  }
  if (HasNoDevice(type)) return InstanceDevices{kGpu, 0};
  return std::nullopt;
}

}  // namespace precedent::aws
