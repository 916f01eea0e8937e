// What one decision of the seed policy costs: from texts, and for a bound job.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "precedent/policy.h"

namespace {

using precedent::CompiledPolicy;
using precedent::JobDescriptor;
using precedent::TimePoint;

std::optional<CompiledPolicy> LoadSeedPolicy() {
  std::ifstream file(PRECEDENT_SOURCE_DIR "/examples/policies/seed.txtpb", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return precedent::LoadPolicy(text).policy;
}

// Alternating jobs, so that the processor does not learn one of them by heart.
std::vector<JobDescriptor> Jobs() {
  constexpr const char* kEnvironments[] = {"production", "staging", ""};
  constexpr const char* kWorkloads[] = {"training", "inference", "batch", "notebook"};
  std::vector<JobDescriptor> jobs;
  for (std::size_t i = 0; i < 64; ++i) {
    JobDescriptor job;
    job.team = i % 5 == 0 ? "production" : "research";
    job.environment = kEnvironments[i % 3];
    job.workload_type = kWorkloads[(i / 3) % 4];
    job.gpu_count = static_cast<double>(1 + i % 9);
    if (i % 2 == 0) job.dataset_bytes = 4e11 * static_cast<double>(i % 7);
    job.preemptible = i % 8 == 0;
    job.lineage.failure_count = static_cast<std::int64_t>(i % 4);
    job.submitted = TimePoint(std::chrono::seconds(1'700'000'000));
    jobs.push_back(job);
  }
  return jobs;
}

constexpr TimePoint kNow{std::chrono::seconds(1'700'003'600)};

void EvaluateFromTexts(benchmark::State& state) {
  const std::optional<CompiledPolicy> policy = LoadSeedPolicy();
  if (!policy) return state.SkipWithError("examples/policies/seed.txtpb does not compile");
  const std::vector<JobDescriptor> jobs = Jobs();
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(policy->evaluator().Evaluate(jobs[i % jobs.size()], kNow));
    ++i;
  }
}
BENCHMARK(EvaluateFromTexts);

void EvaluateBound(benchmark::State& state) {
  const std::optional<CompiledPolicy> policy = LoadSeedPolicy();
  if (!policy) return state.SkipWithError("examples/policies/seed.txtpb does not compile");
  const precedent::Evaluator& evaluator = policy->evaluator();
  const std::vector<JobDescriptor> jobs = Jobs();
  const std::size_t words = evaluator.bound_size() / sizeof(std::uint64_t);
  std::vector<std::uint64_t> storage(jobs.size() * words);
  std::vector<precedent::BoundJob> bound;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    bound.push_back(evaluator.Bind(
        jobs[i], {reinterpret_cast<std::byte*>(&storage[i * words]), evaluator.bound_size()}));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluator.Evaluate(bound[i % bound.size()], kNow));
    ++i;
  }
}
BENCHMARK(EvaluateBound);

}  // namespace

BENCHMARK_MAIN();
