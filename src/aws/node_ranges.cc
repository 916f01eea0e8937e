#include "src/aws/node_ranges.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/json/duration.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

constexpr std::size_t kMaxRanges = 100;

std::optional<std::int64_t> ParseIndex(std::string_view text) {
  const absl::StatusOr<std::int64_t> index = json::ParseWholeNumber(text);
  if (!index.ok() || *index > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return *index;
}

}  // namespace

std::optional<NodeRange> ParseNodeRange(std::string_view text) {
  NodeRange range;
  const std::size_t colon = text.find(':');
  const std::string_view from = text.substr(0, colon);
  if (colon == std::string_view::npos) {
    const std::optional<std::int64_t> index = ParseIndex(from);
    if (!index.has_value()) return std::nullopt;
    range.first = range.last = *index;
    return range;
  }
  const std::string_view to = text.substr(colon + 1);
  if (from.empty() && to.empty()) return std::nullopt;
  range.last = NodeRange::kOpen;
  if (!from.empty()) {
    const std::optional<std::int64_t> index = ParseIndex(from);
    if (!index.has_value()) return std::nullopt;
    range.first = *index;
  }
  if (!to.empty()) {
    const std::optional<std::int64_t> index = ParseIndex(to);
    if (!index.has_value() || *index < range.first) return std::nullopt;
    range.last = *index;
  }
  return range;
}

std::vector<NodeRange> ReadNodeRanges(json::Value list) {
  std::vector<NodeRange> ranges;
  const std::vector<json::Value> items = list.Items().ToVector();
  if (items.size() > kMaxRanges) {
    list.Fail(
        absl::StrCat("has ", items.size(), " node ranges; at most ", kMaxRanges, " are read"));
    return ranges;
  }
  for (const json::Value item : items) {
    const json::Value target = item.Get("targetNodes");
    const std::optional<std::string_view> text = target.String();
    if (!text.has_value()) {
      target.Fail("is missing");
      continue;
    }
    std::optional<NodeRange> range = ParseNodeRange(*text);
    if (!range.has_value()) {
      target.Fail(absl::StrCat("`", json::Printable(*text),
                               "` is no node range (write `0:3`, `2:`, `:5` or `4`)"));
      continue;
    }
    range->value = item;
    ranges.push_back(*range);
  }
  return ranges;
}

const NodeRange* RangeOf(const std::vector<NodeRange>& ranges, std::int64_t node) {
  const NodeRange* inner = nullptr;
  for (const NodeRange& range : ranges) {
    if (node < range.first || node > range.last) continue;
    if (inner == nullptr || range.last - range.first < inner->last - inner->first) inner = &range;
  }
  return inner;
}

std::vector<std::int64_t> StretchStarts(const std::vector<NodeRange>& a,
                                        const std::vector<NodeRange>& b, std::int64_t nodes) {
  std::vector<std::int64_t> starts = {0};
  for (const std::vector<NodeRange>* ranges : {&a, &b}) {
    for (const NodeRange& range : *ranges) {
      starts.push_back(range.first);
      if (range.last != NodeRange::kOpen) starts.push_back(range.last + 1);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  starts.erase(std::lower_bound(starts.begin(), starts.end(), nodes), starts.end());
  return starts;
}

}  // namespace precedent::aws
