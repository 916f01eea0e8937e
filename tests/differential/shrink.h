// Makes a failing pair small enough to read.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_SHRINK_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_SHRINK_H_

#include <functional>
#include <string>

#include "precedent/v1/policy.pb.h"
#include "tests/differential/job_generator.h"

namespace precedent::differential {

struct Failure {
  v1::Policy policy;
  JobAtTime job;
};

// Whether what is left still fails.
using StillFails = std::function<bool(const Failure&)>;

// Drops rules, Matches, constraints, texts of lists and parts of the job, greedily
// and for a bounded number of tries, as long as `still_fails`.
Failure Shrink(Failure failure, const StillFails& still_fails);

// The policy as text, the job and the time.
std::string ToText(const Failure& failure);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_SHRINK_H_
