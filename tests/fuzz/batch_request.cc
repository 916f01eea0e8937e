// A Batch request body, and after a line that holds only `---` its definition.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "precedent/aws_batch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto* const adapter =
      new absl::StatusOr<precedent::aws::Adapter>(precedent::aws::Adapter::Create());
  constexpr std::string_view kCut = "\n---\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find(kCut);
  const std::string_view definition =
      cut == std::string_view::npos ? std::string_view() : text.substr(cut + kCut.size());
  const auto job = (*adapter)->Describe(text.substr(0, cut), definition);
  if (!job.ok() && job.status().code() != absl::StatusCode::kInvalidArgument) std::abort();
  return 0;
}
