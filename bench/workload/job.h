// A job as a scheduler might keep it, and the stream of jobs that is measured.
#ifndef PRECEDENT_BENCH_WORKLOAD_JOB_H_
#define PRECEDENT_BENCH_WORKLOAD_JOB_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/workload/names.h"
#include "precedent/job_descriptor.h"
#include "precedent/time.h"

namespace precedent::bench {

struct Job {
  std::string team;
  std::string name_space;
  std::string workload;
  std::string environment;
  std::int64_t gpus = 0;
  std::int64_t dataset_gb = 0;
  std::int64_t failures = 0;
  bool preemptible = false;
  std::vector<std::pair<std::string, std::string>> labels;
  std::int64_t waited_seconds = 0;  // at kNow; not drawn from the stream
};

// What time it is in all measurements: a Tuesday, 22:15 UTC.
inline constexpr TimePoint kNow{std::chrono::seconds(1'700'000'100)};
inline constexpr double kHourOfNow = 80'100.0 / 3600;

inline constexpr double kBytesPerGb = 1e9;

// The same jobs on every machine.
std::vector<Job> MakeJobs(std::size_t count = 4096, unsigned teams = kTeams,
                          std::uint64_t seed = 42);

// The library's view of `job`; `labels` gets the views of its labels. Both must
// outlive the result.
JobDescriptor Describe(const Job& job, std::vector<Label>& labels);

// The same for labels that are views already.
inline JobDescriptor Describe(const Job& job, Span<const Label> labels) {
  JobDescriptor descriptor;
  descriptor.team = job.team;
  descriptor.namespace_name = job.name_space;
  descriptor.workload_type = job.workload;
  descriptor.environment = job.environment;
  descriptor.gpu_count = static_cast<double>(job.gpus);
  descriptor.dataset_bytes = static_cast<double>(job.dataset_gb) * kBytesPerGb;
  descriptor.lineage.failure_count = job.failures;
  descriptor.preemptible = job.preemptible;
  descriptor.submitted = kNow - std::chrono::seconds(job.waited_seconds);
  descriptor.labels = labels;
  return descriptor;
}

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_JOB_H_
