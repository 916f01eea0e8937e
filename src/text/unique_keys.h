// Finds duplicate keys of an object in expected linear time.
#ifndef PRECEDENT_SRC_TEXT_UNIQUE_KEYS_H_
#define PRECEDENT_SRC_TEXT_UNIQUE_KEYS_H_

#include <string_view>
#include <unordered_set>

#include "src/text/node.h"

namespace precedent::internal {

// The first member of `object` whose key an earlier member has too, or null.
inline const Node* FindDuplicateKey(const Node& object) {
  const auto& members = object.children;
  // Below this size comparing all pairs is quicker than a hash set.
  constexpr std::size_t kFew = 8;
  if (members.size() <= kFew) {
    for (std::size_t i = 1; i < members.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (members[i].key == members[k].key) return &members[i];
    return nullptr;
  }
  std::unordered_set<std::string_view> seen;
  seen.reserve(members.size());
  for (const Node& member : members)
    if (!seen.insert(member.key).second) return &member;
  return nullptr;
}

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_UNIQUE_KEYS_H_
