// The policy and the jobs of the command line.
#ifndef PRECEDENT_BENCH_POLICY_INPUT_H_
#define PRECEDENT_BENCH_POLICY_INPUT_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "precedent/job_view.h"
#include "src/cli/console.h"
#include "src/cli/input.h"

namespace precedent::bench {

struct Arguments {
  bool help = false;
  std::vector<std::string> job_files;
};

// Sets the flags of the program. Empty after a usage error, which was reported.
std::optional<Arguments> ReadArguments(const std::vector<std::string>& words,
                                       cli::Console& console);

// The jobs as they were read, and the library's views of them.
class JobList {
 public:
  // Adds one job.
  void Add(cli::InputJob&& job);
  std::size_t size() const { return views_.size(); }
  std::vector<JobDescriptor> Descriptors() const;

 private:
  std::deque<cli::InputJob> jobs_;  // a deque: they stay where they are
  std::vector<JobView> views_;
};

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_POLICY_INPUT_H_
