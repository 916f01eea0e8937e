// Writes the block that an Evaluator runs on.
#ifndef PRECEDENT_SRC_POLICY_IMAGE_WRITER_H_
#define PRECEDENT_SRC_POLICY_IMAGE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "precedent/internal/image.h"
#include "precedent/v1/policy.pb.h"
#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"
#include "src/policy/time_zone.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

struct WrittenImage {
  // 8-byte aligned. Null if the policy has no image: then `size` is what it would
  // take, or 0 if two of its texts have one hash, which only happens on purpose.
  std::unique_ptr<std::uint64_t[]> block;
  std::uint64_t size = 0;  // bytes
  std::vector<PatternUse> patterns;  // what the block leaves to a PatternMatcher
};

// REQUIRES: the policy passed CheckPolicy, `vocabulary` and `clauses` are its own,
// and a bound job of it takes at most kMaxBoundSize. Returns no block if that would be
// larger than `max_size` (below 4 GiB). Linear in the policy, but for sorting.
WrittenImage WriteImage(const v1::Policy& policy, const Vocabulary& vocabulary,
                        const Clauses& clauses, const ZoneTransitions& zone,
                        std::uint64_t max_size);

// 32 hexadecimal digits that name the content of a policy.
std::string Fingerprint(const v1::Policy& policy);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_IMAGE_WRITER_H_
