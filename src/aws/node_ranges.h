// Node ranges of multi-node jobs.
#ifndef PRECEDENT_SRC_AWS_NODE_RANGES_H_
#define PRECEDENT_SRC_AWS_NODE_RANGES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/json/document.h"

namespace precedent::aws {

// `0:3`, `2:` (open: to the last node), `:5` (from 0) or a bare index `4`.
struct NodeRange {
  std::int64_t first = 0;
  std::int64_t last = 0;  // inclusive; kOpen: the last node
  json::Value value;      // the member of the list that has it

  static constexpr std::int64_t kOpen = INT64_MAX;
};

// The bounds in `text`; nullopt where it is no node range.
std::optional<NodeRange> ParseNodeRange(std::string_view text);

// Reads `targetNodes` of every item of `list`. Errors go to the document; so do
// lists longer than any service would take, which bounds the work below.
std::vector<NodeRange> ReadNodeRanges(json::Value list);

// The range that counts for a node: of those that cover it the shortest (ranges may
// nest, the inner one wins), of equals the first. Null where none does.
const NodeRange* RangeOf(const std::vector<NodeRange>& ranges, std::int64_t node);

// Where, in [0, nodes), the answer of RangeOf may change for any of the lists: 0 and
// every start of a stretch of nodes that are alike, in order, without `nodes`.
std::vector<std::int64_t> StretchStarts(const std::vector<NodeRange>& a,
                                        const std::vector<NodeRange>& b, std::int64_t nodes);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_NODE_RANGES_H_
