// The jobs that wait, as `squeue --json` prints them.
#ifndef PRECEDENT_EXAMPLES_SLURM_QUEUE_H_
#define PRECEDENT_EXAMPLES_SLURM_QUEUE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "examples/slurm/job.h"
#include "src/json/document.h"

namespace precedent::slurm {

struct WaitingJob {
  std::int64_t id = 0;
  // What scontrol calls it: `7`, `7_2`, or what still waits of an array, `7_[3-9]`. The
  // array's plain number would stand for its tasks that run, too, and for those that have
  // been sent back and have a history of their own.
  std::string address;
  double priority = 0;
  SlurmJob job;
};

// All that wait and are not held, in squeue's order. Whether `root` could be read to its
// end, its document's status says afterwards.
std::vector<WaitingJob> ReadQueue(const json::Value& root);

}  // namespace precedent::slurm

#endif  // PRECEDENT_EXAMPLES_SLURM_QUEUE_H_
