#include "precedent/preemption_policy.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "src/policy/read_options.h"

namespace precedent {

PreemptionPolicyResult ReadPreemptionPolicy(std::string_view bytes) {
  PreemptionPolicyResult result;
  v1::PreemptionPolicy policy;
  if (internal::ReadOptions(bytes, &policy, &result.issues)) result.policy = std::move(policy);
  return result;
}

std::vector<std::string> ClassOrder(const v1::Policy& policy) {
  std::vector<std::pair<std::int64_t, std::string>> classes;
  for (const v1::PriorityClass& one : policy.priority_classes()) {
    classes.emplace_back(-std::int64_t{one.at_least()}, one.name());
  }
  std::sort(classes.begin(), classes.end());
  std::vector<std::string> names;
  for (auto& [at_least, name] : classes) names.push_back(std::move(name));
  return names;
}

}  // namespace precedent
