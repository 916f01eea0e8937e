#include "bench/workload/job.h"

namespace precedent::bench {
namespace {

std::int64_t PickDataset(Random& random) {
  const unsigned percent = random.Below(100);
  if (percent < 30) return 0;
  if (percent < 70) return random.Below(100);
  if (percent < 88) return random.Below(1000);
  return 1025 + random.Below(20'000);  // over a terabyte
}

std::int64_t PickFailures(Random& random) {
  const unsigned percent = random.Below(100);
  if (percent < 80) return 0;
  if (percent < 92) return 1;
  if (percent < 97) return 2;
  return 3 + random.Below(8);
}

// The order of the draws is part of the stream.
Job MakeJob(Random& random, unsigned teams) {
  constexpr int kGpus[16] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 16, 32, 64, 128, 256};
  Job job;
  const unsigned team = random.Skewed(teams);
  job.team = TeamName(team);
  job.workload = PickWorkload(random);
  job.environment = PickEnvironment(random);
  job.name_space = NamespaceName(team, job.environment);
  job.gpus = kGpus[random.Below(16)];
  job.dataset_gb = PickDataset(random);
  job.failures = PickFailures(random);
  job.preemptible = random.Permille(200);
  const unsigned labels = 2 + random.Below(4);
  const unsigned first = random.Below(kLabelKeys);
  for (unsigned i = 0; i < labels; ++i)
    job.labels.emplace_back(LabelKey(first + i), PickLabelValue(random));
  return job;
}

}  // namespace

std::vector<Job> MakeJobs(std::size_t count, unsigned teams, std::uint64_t seed) {
  Random random(seed);
  std::vector<Job> jobs;
  jobs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    jobs.push_back(MakeJob(random, teams));
    // From nothing to some twelve hours.
    jobs.back().waited_seconds = static_cast<std::int64_t>(i * 7919 % 43'200);
  }
  return jobs;
}

JobDescriptor Describe(const Job& job, std::vector<Label>& labels) {
  labels.clear();
  for (const auto& [key, value] : job.labels) labels.push_back({key, value});
  return Describe(job, Span<const Label>(labels));
}

}  // namespace precedent::bench
