// What a lineage graph has to answer, the slow way: the raw events of every job are kept
// and read again from the first at each step, and whatever a job inherits is looked for
// among all jobs until nothing changes any more. Never forgets.
#ifndef PRECEDENT_TESTS_LINEAGE_MODEL_MODEL_H_
#define PRECEDENT_TESTS_LINEAGE_MODEL_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "precedent/lineage.h"

namespace precedent::lineage_model {

struct ModelJob {
  std::string id;
  std::string owner;
  std::string key;
  std::set<std::pair<std::string, Relation>> parents;
  std::int64_t submitted = 0;
  Lineage carried;
  std::vector<JobEvent> log;  // as they came; `job` is not set
  bool frozen = false;        // the graph forgot it

  // What was once known stays.
  Lineage facts;
  std::map<std::string, std::int64_t> inherited;  // by name of the count
  std::int64_t steps = 0;                         // STEP_OF children

  // Of the last reading of the log.
  struct Ending {
    std::int64_t time;
    EventKind kind;
  };
  std::optional<Ending> ended;
  std::optional<std::int64_t> runtime;  // of the newest attempt, microseconds
  std::int32_t newest = 1;
  bool heard = false;
};

class Model {
 public:
  explicit Model(const LineageOptions& options) : options_(options) {}

  // The codes with which a submission may be refused; empty: it is taken.
  std::set<absl::StatusCode> Refusals(const Submission& submission) const;
  bool Knows(const std::string& id) const { return jobs_.count(id) != 0; }
  // REQUIRES: no job of this id.
  void Submit(const Submission& submission);
  // Kept for later if the job is unknown.
  void Apply(const JobEvent& event);
  void Freeze(const std::string& id) { jobs_.at(id).frozen = true; }
  const std::map<std::string, ModelJob>& jobs() const { return jobs_; }

 private:
  bool Descends(const std::string& from, const std::string& ancestor) const;
  void Recompute();
  void ReadLog(ModelJob& job) const;
  bool Inherit(ModelJob& job);
  bool Retries(const ModelJob& later, const ModelJob& earlier) const;

  const LineageOptions options_;
  std::map<std::string, ModelJob> jobs_;
  std::vector<std::string> arrivals_;
  std::vector<std::pair<std::string, JobEvent>> kept_;
};

}  // namespace precedent::lineage_model

#endif  // PRECEDENT_TESTS_LINEAGE_MODEL_MODEL_H_
