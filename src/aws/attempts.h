// Why the attempts of a Batch job ended, and what that adds to its lineage.
#ifndef PRECEDENT_SRC_AWS_ATTEMPTS_H_
#define PRECEDENT_SRC_AWS_ATTEMPTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/adapter/draft.h"
#include "src/json/document.h"

namespace precedent::aws {

enum class AttemptEnd {
  kRunning,     // it has not ended
  kSucceeded,   // exit code 0
  kOwnFailure,  // another exit code, or killed for its use of memory
  kTimeout,     // ran past its own limit
  kHostLoss,    // the host was taken away, or the service failed
  kPreemption,  // Batch took its place for another job
  kUnknown,     // nobody can tell, such as a job that somebody terminated
};

// What is known of one attempt. Texts are empty where nothing is said.
struct AttemptFacts {
  std::string_view status_reason;
  std::string_view container_reason;
  std::optional<std::int64_t> exit_code;  // the first that is not 0, if any
  bool ended = false;
  // Somebody ended the job, so the reason of the attempt that it ended is theirs.
  bool stopped_by_hand = false;
};

// By the words of the service, which are those of the user guide and the API: what the
// platform did wins over the exit code, since a container that dies with its host or
// its time has one too.
AttemptEnd Classify(const AttemptFacts& facts);

// One attempt of a job; times are milliseconds since 1970, 0 where nothing is said.
struct Attempt {
  AttemptEnd end = AttemptEnd::kRunning;
  std::int64_t started = 0;
  std::int64_t stopped = 0;
};

// Whether somebody terminated or cancelled the job, which is then the end of its last
// attempt.
bool IsStoppedByHand(json::Value job);

// The attempts of a job (JobDetail: `attempts` or `eksAttempts`; of a service job:
// `attempts`), in order.
std::vector<Attempt> ListAttempts(json::Value job);

// Adds the attempts of a job (and `preemptionSummary` of a service job) to the lineage
// that its metadata gave, which tells what came before this job and stays in
// `draft.carried`:
// - failure_count: own failures and time-outs
// - infrastructure_failure_count: host losses
// - preemption_count: preemptions
// - attempt: attempts made, in this job
// - predecessor_runtime_seconds and retry_of_preempted: of the last that has ended
void ReadAttempts(json::Value job, adapter::Draft& draft);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_ATTEMPTS_H_
