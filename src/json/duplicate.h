// FindDuplicate: the first repeated key of a list, in linear time.
#ifndef PRECEDENT_SRC_JSON_DUPLICATE_H_
#define PRECEDENT_SRC_JSON_DUPLICATE_H_

#include <cstddef>

#include "absl/container/flat_hash_set.h"

namespace precedent::json {

// Index of the first key that equals an earlier one, or keys.size(). `Keys` is a
// vector or the like; its keys have == and AbslHashValue. Short lists are compared in pairs, which
// is what nearly every object is; longer ones go through a hash set whose seed no sender knows, so
// that neither many nor colliding keys cost more than linear time.
template <typename Keys>
std::size_t FindDuplicate(const Keys& keys) {
  constexpr std::size_t kPairwise = 8;
  if (keys.size() <= kPairwise) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (keys[i] == keys[j]) return i;
      }
    }
    return keys.size();
  }
  absl::flat_hash_set<typename Keys::value_type> seen;
  seen.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!seen.insert(keys[i]).second) return i;
  }
  return keys.size();
}

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_DUPLICATE_H_
