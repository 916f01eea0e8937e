#include "examples/slurm/gpus.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace precedent::slurm {
namespace {

// More than any cluster has; a greater count is a mistake and would be a smuggled one.
constexpr std::uint32_t kMost = 1u << 24;
constexpr std::size_t kTypeBytes = 64;  // it goes into the job's record

std::optional<double> ParseCount(absl::string_view text) {
  double unit = 1;
  if (absl::ConsumeSuffix(&text, "K") || absl::ConsumeSuffix(&text, "k")) {
    unit = 1024;
  } else if (absl::ConsumeSuffix(&text, "M") || absl::ConsumeSuffix(&text, "m")) {
    unit = 1024 * 1024;
  }
  std::uint32_t number = 0;
  if (text.empty() || !absl::ascii_isdigit(text[0]) || !absl::SimpleAtoi(text, &number) ||
      number * unit > kMost) {
    return std::nullopt;
  }
  return number * unit;
}

}  // namespace

std::optional<Gpus> ParseGpus(std::string_view list) {
  Gpus all;
  bool mixed = false;
  for (absl::string_view entry :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',', absl::SkipEmpty())) {
    entry = absl::StripAsciiWhitespace(entry);
    if (!absl::ConsumePrefix(&entry, "gres:")) absl::ConsumePrefix(&entry, "gres/");
    if (!absl::ConsumePrefix(&entry, "gpu")) continue;
    entry = entry.substr(0, entry.find('('));
    std::optional<double> count = 1;
    absl::string_view type;
    if (!entry.empty()) {
      if (entry[0] != ':' && entry[0] != '=') continue;  // such as `gpu_mem`
      const std::size_t last = entry.find_last_of(":=");
      const absl::string_view tail = entry.substr(last + 1);
      count = ParseCount(tail);
      if (last != 0) {
        if (entry[0] != ':') return std::nullopt;
        type = entry.substr(1, last - 1);
        if (type.empty() || type.find_first_of(":=") != type.npos) return std::nullopt;
      } else if (!count.has_value() && entry[0] == ':' && !tail.empty() &&
                 absl::ascii_isalpha(tail[0])) {
        type = tail;
        count = 1;
      }
    }
    if (!count.has_value() || type.size() > kTypeBytes) return std::nullopt;
    all.count += *count;
    if (type.empty()) continue;
    mixed = mixed || (!all.type.empty() && all.type != type);
    all.type = std::string(type);
  }
  if (mixed) all.type.clear();
  return all;
}

}  // namespace precedent::slurm
