// Where each clause is filed.
#ifndef PRECEDENT_SRC_POLICY_INDEX_H_
#define PRECEDENT_SRC_POLICY_INDEX_H_

#include <cstdint>
#include <vector>

#include "src/policy/clauses.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

struct Filing {
  std::uint32_t draft = 0;  // in Clauses::drafts
  // The bucket; column kNone: looked at for every job.
  std::uint32_t column = kNone;
  std::uint32_t klass = 0;
};

// Files each clause under the values of its most selective text, once for each
// value or affix that the text may have, if that spares enough jobs a look at it.
// Sorted by column, class and rule; what is in no bucket comes last.
std::vector<Filing> FileClauses(const Clauses& clauses, const Vocabulary& vocabulary);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_INDEX_H_
