// A scheduler that asks a policy for a job's priority: load once, decide often.
//
//   precedent_embed examples/policies/seed.txtpb
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "precedent/policy.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: precedent_embed POLICY\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::cerr << argv[1] << ": cannot read\n";
    return 2;
  }
  const precedent::CompileResult result = precedent::LoadPolicy(text);
  for (const precedent::Issue& issue : result.issues)
    std::cerr << precedent::FormatIssue(issue, argv[1]) << "\n";
  if (!result.ok()) return 2;
  const precedent::Evaluator& evaluator = result.policy->evaluator();

  precedent::JobDescriptor job;  // a view: it borrows from your own record
  job.team = "search";
  job.environment = "production";
  job.workload_type = "inference";
  job.gpu_count = 2;

  const auto now = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  const precedent::Decision decision = evaluator.Evaluate(job, now);
  std::cout << "priority " << decision.priority << ", class `" << decision.priority_class
            << "`, " << precedent::ReasonName(decision.reason) << "\n";
}
