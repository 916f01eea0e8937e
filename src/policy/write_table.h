// The table of a tiny policy.
#ifndef PRECEDENT_SRC_POLICY_WRITE_TABLE_H_
#define PRECEDENT_SRC_POLICY_WRITE_TABLE_H_

#include "precedent/v1/policy.pb.h"
#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// Writes the table if every combination of classes has one answer but for scaled
// amounts, and there are at most kMaxCells combinations; then returns true. REQUIRES:
// binding and rules are written.
bool WriteTable(const v1::Policy& policy, const Vocabulary& vocabulary, const Clauses& clauses,
                ImageParts* parts);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_WRITE_TABLE_H_
