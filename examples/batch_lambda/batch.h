// The calls of Batch that are needed.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_BATCH_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_BATCH_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "examples/batch_lambda/aws.h"

namespace precedent::batch_lambda {

// What became of a submission.
struct Submitted {
  enum class Result {
    kDone,       // job_id says which it is
    kRefused,    // Batch will never take it; `reason` has its words
    kNot,        // nothing was submitted; worth another time
    kUncertain,  // perhaps there is a job now
  };
  Result result = Result::kUncertain;
  std::string job_id;
  std::string reason;
};

// `service`: body of SubmitServiceJob, which has a clientToken; else of SubmitJob, which
// is sent once and never again where nobody knows what became of it.
Submitted Submit(Aws& aws, bool service, std::string body);

// The id of the job of exactly that name, in whatever state; nothing where there is none.
// Of several the one submitted first.
absl::StatusOr<std::optional<std::string>> FindJob(Aws& aws, bool service,
                                                   std::string_view job_queue,
                                                   std::string_view name);

absl::Status UpdateServiceJob(Aws& aws, std::string body);

// What the service knows of a service job, as JSON.
absl::StatusOr<std::string> DescribeServiceJob(Aws& aws, std::string_view job_id);

// One page of the service jobs of a queue that are RUNNABLE: id and name.
struct ServiceJobName {
  std::string id;
  std::string name;
};
absl::StatusOr<std::vector<ServiceJobName>> RunnableServiceJobs(Aws& aws,
                                                                std::string_view job_queue);

// GetJobQueueSnapshot, as JSON.
absl::StatusOr<std::string> QueueSnapshot(Aws& aws, std::string_view job_queue);

// Bodies of job definitions, kept for a while: GPUs are said there and not in a request.
class Definitions {
 public:
  // Borrows `aws`.
  explicit Definitions(Aws* aws) : aws_(aws) {}
  // By name, `name:revision` or ARN; the newest revision where none is said. Empty where
  // Batch knows none of that name; an error where it could not be asked.
  absl::StatusOr<std::string> Get(const std::string& name, absl::Time now);

 private:
  struct Held {
    std::string body;
    absl::Time until;
  };
  Aws* aws_;
  std::map<std::string, Held> held_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_BATCH_H_
