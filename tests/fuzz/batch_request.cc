// A Batch request body, and after a line that holds only `---` its definition. What
// leaves must be JSON that reads as the same job, and be stable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "precedent/aws_batch.h"

namespace {

using precedent::aws::Adapter;
using precedent::aws::QueuePolicy;

const Adapter& TheAdapter() {
  static const auto* const adapter = [] {
    precedent::v1::AdapterOptions options;
    options.set_default_share("rest");
    return new absl::StatusOr<Adapter>(Adapter::Create(options));
  }();
  return **adapter;
}

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kCut = "\n---\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find(kCut);
  const std::string_view request = text.substr(0, cut);
  const std::string_view definition =
      cut == std::string_view::npos ? std::string_view() : text.substr(cut + kCut.size());
  for (const QueuePolicy queue : {QueuePolicy::kOfRequest, QueuePolicy::kNone,
                                  QueuePolicy::kFairShare, QueuePolicy::kQuotaShare}) {
    const auto prepared =
        TheAdapter().Prepare(request, nullptr, queue, precedent::TimePoint(), definition);
    if (!prepared.ok()) {
      Check(prepared.status().code() == absl::StatusCode::kInvalidArgument);
      continue;
    }
    const auto again =
        TheAdapter().Prepare(prepared->body, nullptr, queue, precedent::TimePoint(), definition);
    Check(again.ok() && again->body == prepared->body);
    Check(again->job.job.devices_size() == prepared->job.job.devices_size());
    Check(again->job.job.gpu_count() == prepared->job.job.gpu_count());
    Check(again->job.job.team() == prepared->job.job.team());
  }
  return 0;
}
