// Until when a decision stands.
#ifndef PRECEDENT_TESTS_REFERENCE_VALID_UNTIL_H_
#define PRECEDENT_TESTS_REFERENCE_VALID_UNTIL_H_

#include <cstdint>
#include <optional>

#include "precedent/v1/policy.pb.h"
#include "tests/reference/conditions.h"
#include "tests/reference/job.h"

namespace precedent::reference {

// The earliest time after `now` at which, for some Match (a rule without `when`
// counts as one) whose constraints on anything but time hold, a constraint on wait,
// hour, day or the rule's activity changes truth or its add_scaled of WAIT_SECONDS
// changes its amount; for a Match on hour or day not later than the next transition
// of the zone. FIRST_MATCH and final are ignored. `nullopt`: never.
std::optional<std::int64_t> ValidUntil(const v1::Policy& policy, const Conditions& conditions,
                                       const Job& job, std::int64_t now);

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_VALID_UNTIL_H_
