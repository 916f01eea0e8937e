// What Slurm's accounting knows of the runs before a waiting job.
#ifndef PRECEDENT_EXAMPLES_SLURM_ACCOUNTING_H_
#define PRECEDENT_EXAMPLES_SLURM_ACCOUNTING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "examples/slurm/job.h"

namespace precedent::slurm {

class Accounting {
 public:
  // For `sacct --parsable2 --noheader --delimiter=<0x1F>`, with SLURM_TIME_FORMAT=%s.
  static constexpr char kFormat[] = "JobIDRaw,User,Account,JobName,State,Submit,End,ElapsedRaw";
  static constexpr char kDelimiter = '\x1F';

  // Knows nothing.
  Accounting() = default;
  // Of what sacct printed. A line that has not these fields is skipped. Linear.
  explicit Accounting(std::string_view printed);

  // Adds what is known to a waiting job. Its own runs: failures, preempted, lost,
  // last_run_seconds, last_run_preempted. Of the chain (user, account and name): failures
  // of jobs before it that had ended when it was submitted, since the last that completed.
  // A job that accounting has not seen stays as it is. Logarithmic but for the chain's jobs.
  void Tell(std::int64_t id, SlurmJob* job) const;

  std::size_t skipped() const { return skipped_; }

 private:
  enum class Ending { kNone, kCompleted, kFailed, kPreempted, kLost };
  struct Run {
    std::int64_t id;
    std::int64_t submit;
    std::int64_t end;
    double seconds;
    Ending ending;
  };
  static Ending EndingOf(std::string_view state);

  std::unordered_map<std::string, std::vector<Run>> chains_;  // each by id, then by end
  std::size_t skipped_ = 0;
};

}  // namespace precedent::slurm

#endif  // PRECEDENT_EXAMPLES_SLURM_ACCOUNTING_H_
