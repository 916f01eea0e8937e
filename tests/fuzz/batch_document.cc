// Any document of AWS Batch: definitions, descriptions, events, messages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "precedent/aws_batch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using precedent::aws::Adapter;
  static const auto* const adapter = new absl::StatusOr<Adapter>(Adapter::Create());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto items = (*adapter)->DescribeAll(text);
  const auto known = [](const absl::Status& status) {
    return status.code() == absl::StatusCode::kInvalidArgument ||
           status.code() == absl::StatusCode::kUnimplemented ||
           status.code() == absl::StatusCode::kAborted;
  };
  if (!items.ok()) {
    if (!known(items.status())) std::abort();
    return 0;
  }
  for (const auto& item : *items) {
    if (!item.job.ok()) {
      if (!known(item.job.status()) || item.job.status().message().empty()) std::abort();
      continue;
    }
    const auto& lineage = item.job->job.lineage();
    if (lineage.failure_count() < 0 || lineage.attempt() < 0 || item.job->job.gpu_count() < 0) {
      std::abort();
    }
  }
  if (precedent::aws::BatchItemFailures(*items).empty()) std::abort();
  const auto update = (*adapter)->PrepareUpdate(text, nullptr, precedent::TimePoint());
  if (!update.ok() && !known(update.status())) std::abort();
  return 0;
}
