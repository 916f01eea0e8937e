// Keys of the tags that carry lineage.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_LINEAGE_TAGS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_LINEAGE_TAGS_H_

namespace precedent::batch_lambda {

inline constexpr char kFailuresTag[] = "precedent.dev/failure-count";
inline constexpr char kPreemptionsTag[] = "precedent.dev/preemption-count";
inline constexpr char kLossesTag[] = "precedent.dev/infrastructure-failure-count";
inline constexpr char kAttemptTag[] = "precedent.dev/attempt";
inline constexpr char kParentTag[] = "precedent.dev/parent-job-id";
inline constexpr char kStepTag[] = "precedent.dev/step";
inline constexpr char kProgressTag[] = "precedent.dev/progress";
inline constexpr char kReportedPriorityTag[] = "precedent.dev/reported-priority";

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_LINEAGE_TAGS_H_
