// The files that say who is important and what may be done: kept as they are, or, where a
// new content is wrong, as they were.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_POLICIES_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_POLICIES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "desched_metrics.h"
#include "log.h"
#include "precedent/kubernetes.h"
#include "precedent/live_evaluator.h"
#include "precedent/policy_file.h"
#include "precedent/v1/adapter.pb.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::descheduler {

struct PolicyFiles {
  std::string policy;
  std::string preemption;  // empty: the defaults
  std::string options;     // empty: the defaults
};

// The policy is looked at each second by a thread, the two others at each Refresh. Start and
// Refresh: one thread.
class Policies {
 public:
  // `metrics` and `log` outlive it.
  Policies(PolicyFiles files, Metrics* metrics, webhook::Log* log);

  // Reads all for the first time. What cannot be read is logged, and read again later.
  void Start();
  void Refresh();

  // What is missing for a round; OK where all three were read once.
  absl::Status Ready();
  LiveEvaluator::Guard read() { return live_.read(); }
  // REQUIRES: Ready.
  const v1::PreemptionPolicy& preemption() const { return *preemption_; }
  const v1::AdapterOptions& options() const { return options_; }
  const kubernetes::Adapter& adapter() const { return *adapter_; }

 private:
  struct File {
    std::string path;
    const char* what;
    std::string content;
    std::string problem;
    bool read = false;
  };
  // Whether there is a new content, in `*content`.
  bool Changed(File* file, std::string* content);
  void Report(File* file, const absl::Status& status);
  absl::Status TakePreemption(const std::string& content);
  absl::Status TakeOptions(const std::string& content);
  void OnPolicy(const PolicyFileStatus& status);

  const std::string policy_path_;
  Metrics* const metrics_;
  webhook::Log* const log_;
  File preemption_file_, options_file_;
  std::optional<v1::PreemptionPolicy> preemption_;
  v1::AdapterOptions options_;
  std::optional<kubernetes::Adapter> adapter_;
  LiveEvaluator live_;
  PolicyFile policy_;
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_POLICIES_H_
