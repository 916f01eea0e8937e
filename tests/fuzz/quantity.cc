// A Kubernetes quantity: a count is exact and agrees with the size, in bounded time.
#include "src/json/quantity.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "src/json/duration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = precedent::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::int64_t> count = json::ParseDeviceCount(text);
  const absl::StatusOr<double> bytes = json::ParseBytes(text);
  if (bytes.ok() && !(*bytes >= 0 && std::isfinite(*bytes))) std::abort();
  if (count.ok()) {
    if (*count < 0 || !bytes.ok()) std::abort();
    const double exact = static_cast<double>(*count);
    if (std::abs(*bytes - exact) > exact * 1e-15) std::abort();
  }
  const absl::StatusOr<std::int64_t> seconds = json::ParseDuration(text);
  if (seconds.ok() && *seconds < 0) std::abort();
  const absl::StatusOr<std::int64_t> whole = json::ParseWholeNumber(text);
  if (whole.ok() && (!count.ok() || *count != *whole)) std::abort();
  const absl::StatusOr<double> number = json::ParseNumber(text);
  if (number.ok() && !std::isfinite(*number)) std::abort();
  return 0;
}
