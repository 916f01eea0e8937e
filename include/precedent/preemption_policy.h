// PreemptionPolicy from a file's bytes, as `precedent plan --preemption` takes it.
//
// Target precedent::compiler. Does not throw (but std::bad_alloc) or print.
#ifndef PRECEDENT_PREEMPTION_POLICY_H_
#define PRECEDENT_PREEMPTION_POLICY_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "precedent/v1/cluster.pb.h"
#include "precedent/v1/policy.pb.h"

namespace precedent {

struct PreemptionPolicyResult {
  // Set exactly when no issue is an error. Whether the policy contradicts itself,
  // PreemptionPlanner::Create says.
  std::optional<v1::PreemptionPolicy> policy;
  std::vector<Issue> issues;
};

// Text format, JSON or (where the library was built with yaml-cpp) YAML, by content.
// An empty file is an error (it may be half of a write); `{}` is the default policy.
// Linear in the bytes, which may be at most 1 MiB. Thread-safe.
PreemptionPolicyResult ReadPreemptionPolicy(std::string_view bytes);

// The names of the policy's classes, most important first, for Cluster.class_order.
// By at_least.
std::vector<std::string> ClassOrder(const v1::Policy& policy);

}  // namespace precedent

#endif  // PRECEDENT_PREEMPTION_POLICY_H_
