// Keys of metadata that the adapters write, or read besides those that
// the options name.
#ifndef PRECEDENT_SRC_ADAPTER_KEYS_H_
#define PRECEDENT_SRC_ADAPTER_KEYS_H_

#include <string_view>

namespace precedent::adapter {

// Annotations of the stamp: the derived number, and the fingerprint of the policy
// that derived it.
inline constexpr std::string_view kPriorityKey = "precedent.dev/priority";
inline constexpr std::string_view kPolicyKey = "precedent.dev/policy";
// What the object asked for before it was changed, possibly nothing: what a second
// pass has to read, so that it decides as the first did.
inline constexpr std::string_view kRequestedClassKey = "precedent.dev/requested-class";
inline constexpr std::string_view kRequestedDeadlineKey = "precedent.dev/requested-deadline";

// Kueue's, of jobs and of Workloads. The second needs its feature PriorityBoost
// (KEP 7990): added to the Workload's own priority.
inline constexpr std::string_view kKueueClassKey = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view kKueueBoostKey = "kueue.x-k8s.io/priority-boost";

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_KEYS_H_
