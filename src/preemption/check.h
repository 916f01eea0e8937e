// What is refused before it can do harm, and times as numbers.
#ifndef PRECEDENT_SRC_PREEMPTION_CHECK_H_
#define PRECEDENT_SRC_PREEMPTION_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::internal {

absl::Status CheckPolicy(const v1::PreemptionPolicy& policy);
absl::Status CheckNode(const v1::Node& node);
absl::Status CheckJob(const v1::ClusterJob& job);
absl::Status CheckState(const v1::PlannerState& state);

constexpr std::int64_t kSecond = 1'000'000;  // of Micros

// Microseconds; messages have passed a check.
std::int64_t Micros(const google::protobuf::Timestamp& time);
google::protobuf::Timestamp ToTimestamp(std::int64_t micros);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_CHECK_H_
