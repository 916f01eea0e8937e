// The part of an image that says what rules do.
#ifndef PRECEDENT_SRC_POLICY_WRITE_RULES_H_
#define PRECEDENT_SRC_POLICY_WRITE_RULES_H_

#include "precedent/v1/policy.pb.h"
#include "src/policy/image_parts.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// Writes classes, bounds, fallback, rules in policy order, and their outcomes.
void WriteRules(const v1::Policy& policy, const Vocabulary& vocabulary, ImageParts* parts);

// Whether the rule adds for the time that a job has waited.
bool AddsForWait(const v1::Rule& rule);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_WRITE_RULES_H_
