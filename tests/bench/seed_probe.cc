// seed_probe IMAGE COUNT: evaluates as many distinct jobs from texts in EvaluateAll, for
// Callgrind to look at; prints the sum of the priorities. Headers and workload only, so
// that any compiler builds it in a moment.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload/job.h"
#include "precedent/evaluator.h"

using precedent::Decision;
using precedent::Evaluator;
using precedent::JobDescriptor;

// What is counted: whatever it calls, too.
extern "C" __attribute__((noinline)) std::int64_t EvaluateAll(
    const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs) {
  std::int64_t sum = 0;
  for (const JobDescriptor& job : jobs) {
    const Decision decision = evaluator.Evaluate(job, precedent::bench::kNow);
    // As if somebody read all of it.
    asm volatile("" : : "r"(&decision) : "memory");
    sum += decision.priority;
  }
  return sum;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: seed_probe IMAGE COUNT\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::uint64_t> image((bytes.size() + 7) / 8);
  bytes.copy(reinterpret_cast<char*>(image.data()), bytes.size());
  const std::optional<Evaluator> evaluator =
      Evaluator::FromImage({reinterpret_cast<const std::byte*>(image.data()), bytes.size()});
  if (!evaluator) {
    std::cerr << argv[1] << ": not an image\n";
    return 1;
  }
  const std::vector<precedent::bench::Job> jobs =
      precedent::bench::MakeJobs(std::strtoul(argv[2], nullptr, 10));
  std::vector<std::vector<precedent::Label>> labels(jobs.size());
  std::vector<JobDescriptor> descriptors;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    descriptors.push_back(precedent::bench::Describe(jobs[i], labels[i]));
  std::cout << EvaluateAll(*evaluator, descriptors) << '\n';
}
