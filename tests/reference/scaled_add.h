// The amount that an add_scaled adds.
#ifndef PRECEDENT_TESTS_REFERENCE_SCALED_ADD_H_
#define PRECEDENT_TESTS_REFERENCE_SCALED_ADD_H_

#include <cstdint>

#include "precedent/v1/policy.pb.h"
#include "tests/reference/job.h"

namespace precedent::reference {

std::int64_t ScaledAmount(const v1::ScaledAdd& scaled, const Job& job, std::int64_t now);

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_SCALED_ADD_H_
