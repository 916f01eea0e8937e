// Decisions into the structs of callers.
#ifndef PRECEDENT_SRC_C_EVALUATE_H_
#define PRECEDENT_SRC_C_EVALUATE_H_

#include <cstdint>

#include "precedent/c.h"
#include "src/c/job.h"
#include "src/c/layout.h"
#include "src/c/policy.h"

namespace precedent::c {

inline TimePoint ToTime(std::int64_t microseconds) noexcept {
  return TimePoint(std::chrono::microseconds(microseconds));
}

// Writes `made()`, a Decision, where C reads it. `status`, or WRONG_SIZE where the struct is
// none.
template <typename Make>
precedent_status Give(precedent_decision* decision, precedent_status status,
                      const Make& made) noexcept {
  if (decision->struct_size == sizeof *decision) {
    new (reinterpret_cast<unsigned char*>(decision) + kHead) Decision(made());
    return status;
  }
  precedent_decision whole;
  new (reinterpret_cast<unsigned char*>(&whole) + kHead) Decision(made());
  return GiveStruct(whole, decision) ? status : PRECEDENT_WRONG_SIZE;
}

// What the policy decides about a job that cannot be read.
Decision InvalidInput(const precedent_policy& policy) noexcept;

// What precedent_evaluate does where anything is not as it mostly is.
precedent_status EvaluateSlowly(const precedent_policy& policy, const precedent_job* job,
                                std::int64_t now, precedent_decision* decision) noexcept;

inline precedent_status Evaluate(const precedent_policy& policy, const precedent_job* job,
                                 std::int64_t now, precedent_decision* decision) noexcept {
  if (job == nullptr || job->struct_size != sizeof *job ||
      decision->struct_size != sizeof *decision || !IsPlainJob(policy, *job))
    return EvaluateSlowly(policy, job, now, decision);
  new (reinterpret_cast<unsigned char*>(decision) + kHead)
      Decision(policy.evaluator().Evaluate(DescriptorOf(*job), ToTime(now)));
  return PRECEDENT_OK;
}

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_EVALUATE_H_
