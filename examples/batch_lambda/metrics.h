// Lines in CloudWatch's embedded metric format: whoever prints one has a metric.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_METRICS_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_METRICS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"

namespace precedent::batch_lambda {

// One line without its end, of the namespace `Precedent`. Names that end in `Seconds` have
// that unit, all others Count. Dimensions are few and of few values: names of queues and
// of shares, never of jobs.
std::string MetricLine(const std::map<std::string, std::int64_t>& values,
                       const std::map<std::string, std::string>& dimensions, absl::Time now);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_METRICS_H_
