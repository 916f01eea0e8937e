// What became of a Batch job, as events of its lineage.
#ifndef PRECEDENT_SRC_AWS_EVENTS_H_
#define PRECEDENT_SRC_AWS_EVENTS_H_

#include <vector>

#include "absl/time/time.h"
#include "precedent/v1/job.pb.h"
#include "precedent/v1/lineage.pb.h"
#include "src/json/document.h"

namespace precedent::aws {

// See Adapter::Events. `job` as Batch describes it, read into `descriptor` before;
// `carried` the lineage of its metadata alone; `told_at` when an event of EventBridge
// said so, InfinitePast where none did. Empty for a job without id or submission time.
std::vector<v1::LineageEvent> EventsOf(json::Value job, const v1::JobDescriptor& descriptor,
                                       const v1::Lineage& carried, absl::Time told_at);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_EVENTS_H_
