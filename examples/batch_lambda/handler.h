// Handler: what one invocation does, whoever invokes it.
//
// A function of the event, the services, the live policy and the time: it keeps nothing
// but job definitions that it has looked up, so that any number of it may run at once and
// each may stop anywhere.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_HANDLER_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_HANDLER_H_

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "examples/batch_lambda/aws.h"
#include "examples/batch_lambda/batch.h"
#include "examples/batch_lambda/settings.h"
#include "examples/batch_lambda/table.h"
#include "precedent/aws_batch.h"
#include "precedent/evaluator.h"
#include "precedent/time.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::batch_lambda {

// What became of a message.
enum class Verdict {
  kDone,   // it need not come again
  kRetry,  // it has to: its item is reported as failed
};

// Counts of one invocation, such as `Submitted`; the names are those of the metrics.
using Counts = std::map<std::string, std::int64_t>;

// What every part of the handler works with.
struct Work {
  const Settings& settings;
  Aws& aws;
  Table& table;
  const aws::Adapter& adapter;
  Definitions& definitions;
  const Evaluator* evaluator;      // null: no policy is live
  const v1::Stability& stability;  // of the live policy
  absl::Time now;
  Counts& counts;
  std::vector<std::string>& metrics;  // lines of metrics.h, besides the counts
  std::vector<std::string>& log;      // lines for people

  TimePoint policy_now() const {
    return TimePoint(std::chrono::microseconds(absl::ToUnixMicros(now)));
  }
  void Count(const std::string& name, std::int64_t more = 1) { counts[name] += more; }
  void Log(std::string line) { log.push_back(std::move(line)); }
};

struct Answer {
  // JSON for the Runtime API. An error: nothing of the event was understood, or its tick
  // failed, and it is to come again.
  absl::StatusOr<std::string> body;
  Counts counts;
  std::vector<std::string> metrics;
  std::vector<std::string> log;
};

class Handler {
 public:
  // Borrows `settings` and `aws`. INVALID_ARGUMENT where the options contradict
  // themselves.
  static absl::StatusOr<Handler> Create(const Settings* settings, Aws* aws,
                                        v1::AdapterOptions options);

  // `event`: JSON of SQS to Lambda, of EventBridge about Batch, a report, or a scheduled one.
  // Null for `evaluator`: no policy is live, and the options' fallback decides.
  Answer Handle(std::string_view event, const Evaluator* evaluator, const v1::Stability& stability,
                absl::Time now);

 private:
  Handler(const Settings* settings, Aws* aws, aws::Adapter adapter)
      : settings_(settings),
        aws_(aws),
        table_(aws, settings->table),
        adapter_(std::move(adapter)),
        definitions_(aws) {}

  const Settings* settings_;
  Aws* aws_;
  Table table_;
  aws::Adapter adapter_;
  Definitions definitions_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_HANDLER_H_
