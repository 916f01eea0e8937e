// The part of an image that finds matching rules.
#ifndef PRECEDENT_SRC_POLICY_WRITE_MATCHING_H_
#define PRECEDENT_SRC_POLICY_WRITE_MATCHING_H_

#include "precedent/v1/policy.pb.h"
#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// Writes groups, buckets and matrices. REQUIRES: binding and rules are written.
void WriteMatching(const v1::Policy& policy, const Vocabulary& vocabulary,
                   const Clauses& clauses, ImageParts* parts);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_WRITE_MATCHING_H_
