// A job as Slurm tells it, to job_submit and to squeue, and what a policy may see of it.
#ifndef PRECEDENT_EXAMPLES_SLURM_JOB_H_
#define PRECEDENT_EXAMPLES_SLURM_JOB_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/evaluator.h"
#include "precedent/job_descriptor.h"

namespace precedent::slurm {

// Texts by Slurm's own names (name, account, partition, qos, user_name, comment,
// admin_comment, tres_per_job, tres_per_node, tres_per_socket, tres_per_task) and numbers
// (min_nodes, num_tasks, ntasks_per_node, sockets_per_node, time_limit in minutes, requeue,
// submit_time in seconds since 1970, restart_cnt; of our own: failures, and what accounting.h
// adds). Anything else is ignored, and so are Slurm's numbers for `not set`.
struct SlurmJob {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, double, std::less<>> numbers;

  std::string_view text(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  // A whole one, 0 where there is none and at most 2^53.
  std::int64_t count(std::string_view name) const;
};

// What admin_comment keeps of a job from its submission on.
struct Record {
  std::string words;  // what an administrator wrote before it
  std::optional<double> gpus;
  double nodes = 1;  // where gpus has a value; while a job waits, squeue only estimates them
  std::string accelerator;
  std::int64_t failures = 0;
};
Record ParseRecord(std::string_view admin_comment);

// A descriptor and the texts that it borrows. Not to be moved.
class Description {
 public:
  // GPUs come from the record of an earlier description where there is one, else from
  // tres_per_job, or the most of what nodes, sockets and tasks ask for together.
  explicit Description(SlurmJob job);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  // Empty, or what cannot be read; the job is then described without it.
  const std::string& error() const { return error_; }
  const JobDescriptor& descriptor() const { return descriptor_; }

  // The decision as admin_comment keeps it, at most some 300 bytes; ParseRecord reads it.
  std::string Note(const Evaluator* evaluator, const Decision& decision, TimePoint now) const;

 private:
  void CountGpus();
  void ReadMetadata(std::string_view text, bool verified);

  const SlurmJob job_;
  std::string partition_;
  Record record_;
  std::string error_;
  std::map<std::string, std::pair<std::string, bool>, std::less<>> metadata_;
  std::vector<Label> labels_;
  JobDescriptor descriptor_;
};

}  // namespace precedent::slurm

#endif  // PRECEDENT_EXAMPLES_SLURM_JOB_H_
