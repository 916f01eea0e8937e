// From a decision to the members of a request that carry it.
#ifndef PRECEDENT_SRC_AWS_PREPARE_H_
#define PRECEDENT_SRC_AWS_PREPARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "precedent/aws_batch.h"
#include "precedent/decision.h"
#include "src/adapter/options.h"
#include "src/aws/shares.h"
#include "src/aws/tags.h"
#include "src/json/document.h"

namespace precedent::aws {

// A request that was read without an error. Borrows all.
struct Request {
  std::string_view text;
  json::Value root;
  json::Value definition;  // absent where nobody gave it, and for service jobs
  bool service = false;
  const v1::JobDescriptor& job;
  // Seconds after which the platform ends an attempt, as the request or its definition
  // says.
  std::optional<std::int64_t> limit;
  QueuePolicy queue;
};

// The body with the decision, see Adapter::Prepare. `annotations` are the policy's.
absl::StatusOr<std::string> WriteDecision(const Request& request, const Decision& decision,
                                          const Tags& annotations, const adapter::Options& options,
                                          const ShareTable& shares,
                                          std::vector<std::string>& remarks);

// What Batch takes as a priority.
std::int32_t ClampPriority(std::int32_t priority);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_PREPARE_H_
