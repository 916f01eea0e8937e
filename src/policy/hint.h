// Near misses: what a person probably meant to write.
#ifndef PRECEDENT_SRC_POLICY_HINT_H_
#define PRECEDENT_SRC_POLICY_HINT_H_

#include <string>
#include <string_view>
#include <vector>

namespace precedent::internal {

// The known name that is nearest to `name`, or empty if none is near: at most one
// edit (a letter more, less, other, or two swapped) for each three letters, case and
// the difference between `-` and `_` not counted. Looks at the first 1000 only.
std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known);

// A hint with the nearest name; where none is near and few are known, with all.
std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_HINT_H_
