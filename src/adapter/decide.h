// A decision with everything that a person or a tool wants to know of it.
#ifndef PRECEDENT_SRC_ADAPTER_DECIDE_H_
#define PRECEDENT_SRC_ADAPTER_DECIDE_H_

#include <string>

#include "precedent/described_job.h"
#include "precedent/evaluator.h"
#include "precedent/time.h"
#include "precedent/v1/decision.pb.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::adapter {

// The decision for the job as a message: with the rules that applied, their warnings
// and annotations, the adapter's remarks, and one for each claim that the policy's
// require_verified ignored.
v1::Decision Decide(const Evaluator& evaluator, const DescribedJob& described, TimePoint now);

// The decision for a job while no policy is live.
v1::Decision DecideWithoutPolicy(const v1::Fallback& fallback, const DescribedJob& described);

// The decision for a job that could not be read: the policy's fallback.
v1::Decision DecideUnreadable(const Evaluator& evaluator, const DescribedJob& described);

// The name of the attribute as it is in a policy: `workload_type`.
std::string AttributeName(v1::Attribute attribute);

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_DECIDE_H_
