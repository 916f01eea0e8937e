// A job's report on itself: an agent says how far it is, and what it thinks its next step
// is worth.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_REPORT_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_REPORT_H_

#include <string>
#include <string_view>

#include "examples/batch_lambda/handler.h"
#include "examples/batch_lambda/table.h"

namespace precedent::batch_lambda {

// `detail-type` of the events that are reports; their `source` is the sender's own.
inline constexpr char kReportType[] = "Precedent Job Report";

// An event whose detail is
//   {"jobName": name of the job in Batch, "time": milliseconds since 1970,
//    "step": 3, "progress": 0.4, "reportedPriority": 20}
// of which the last three may be absent. The newest report of a job by `time` is kept, in
// its item `submission/<job name>`, whole: what it does not say was not reported. An older
// one, and the same one again, change nothing. A service job gets its priority of now.
//
// A report is a claim, like the job's tags: a policy that wants lineage verified does not
// look at it. Reports of jobs that this program has not submitted are passed over; what is
// no report becomes a dead letter with the reason.
Verdict HandleReport(Work& work, std::string_view event, std::string_view message_id);

// `description` (of DescribeServiceJob) with the tags of AddLineageKeys laid over it that
// say what the newest report in `submission` says.
std::string WithReport(std::string description, const Item& submission);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_REPORT_H_
