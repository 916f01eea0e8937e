// When the amount that a wait adds changes.
#ifndef PRECEDENT_SRC_POLICY_WAIT_STEPS_H_
#define PRECEDENT_SRC_POLICY_WAIT_STEPS_H_

#include "src/policy/image_parts.h"

namespace precedent::internal {

// Writes the first steps of `scaled`, which adds for the wait, in order; none where
// they cannot be found by a product (more than one point a microsecond).
void WriteWaitSteps(Scaled* scaled, Rows<Step>* steps);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_WAIT_STEPS_H_
