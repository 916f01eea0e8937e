// Where each clause of a group is filed.
#ifndef PRECEDENT_SRC_POLICY_INDEX_H_
#define PRECEDENT_SRC_POLICY_INDEX_H_

#include <cstdint>
#include <vector>

#include "src/policy/clauses.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

struct Filing {
  std::uint32_t clause = 0;  // in Clauses::drafts
  // The bucket.
  std::uint32_t column = kNone;
  std::uint32_t klass = 0;
};

struct FiledClauses {
  std::vector<Filing> filed;           // sorted by column, class and rule
  std::vector<std::uint32_t> unfiled;  // in policy order
};

// Files each of `clauses` under the values of its most selective text, once for each
// value or affix that the text may have, if that spares enough jobs a look at it. A
// job meets a clause at most once. Up to 64 clauses are one word of the matrix, which
// costs less than any bucket, and stay unfiled.
FiledClauses FileClauses(const std::vector<std::uint32_t>& numbers, const Clauses& clauses,
                         const Vocabulary& vocabulary);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_INDEX_H_
