// What of a rule's conditions depends on the time.
#ifndef PRECEDENT_SRC_POLICY_TIME_CONDITION_H_
#define PRECEDENT_SRC_POLICY_TIME_CONDITION_H_

#include "precedent/internal/image.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::internal {

// The activity of `rule` and, unless null, the wait, hour and day of `match`, as
// intervals of whole microseconds and seconds. The ends are found by asking the
// comparison in double itself, so that no rounding can put them elsewhere.
TimeCondition MakeTimeCondition(const v1::Rule& rule, const v1::Match* match);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_TIME_CONDITION_H_
