// A Kubernetes object, and after a line that holds only `---` a resource claim. What
// can be described has counts that a job can have.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "precedent/kubernetes.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

bool IsKnown(const absl::Status& status) {
  return !status.message().empty() && (status.code() == absl::StatusCode::kInvalidArgument ||
                                       status.code() == absl::StatusCode::kUnimplemented);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using precedent::kubernetes::Adapter;
  using precedent::kubernetes::DeviceClaims;
  static const auto* const adapter = new absl::StatusOr<Adapter>(Adapter::Create());
  constexpr std::string_view kCut = "\n---\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find(kCut);
  DeviceClaims claims;
  if (cut != std::string_view::npos) {
    const absl::Status status = claims.Add(text.substr(cut + kCut.size()));
    Check(status.ok() || IsKnown(status));
  }
  const auto described = (*adapter)->Describe(text.substr(0, cut), claims);
  if (!described.ok()) {
    Check(IsKnown(described.status()));
    return 0;
  }
  const precedent::v1::JobDescriptor& job = described->job;
  Check(job.gpu_count() >= 0 && std::isfinite(job.gpu_count()));
  Check(job.pod_count() >= 0 && described->gang_pods >= 1);
  for (const auto& device : job.devices()) Check(device.second > 0);
  for (const auto& remark : described->remarks) Check(remark.find('\n') == remark.npos);
  return 0;
}
