// policy_bench: what your own policy costs on your own jobs, and why.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "bench/policy/advice.h"
#include "bench/policy/costs.h"
#include "bench/policy/input.h"
#include "bench/policy/report.h"
#include "bench/policy/rule_use.h"
#include "src/cli/flags.h"

namespace precedent::bench {
namespace {

constexpr std::string_view kHelp =
    R"(usage: policy_bench --policy=P --jobs=FILE [FILE...] [--now=TIME]

Measures what the policy costs on the jobs, and says what would make it faster.

FILE is whatever `precedent derive` takes, `-` for standard input. The more jobs the
better, and as many different ones as a real queue has.

  --policy=P      the policy: text format, JSON, YAML or binary
  --jobs=FILE     may be given several times
  --now=TIME      what time it is, such as 2026-03-01T12:00:00Z; the clock if not given
  --options=F     precedent.v1.AdapterOptions
  --definition=F  the Batch job definition that the requests name

Times are of the processor, the least of many short measurements.

Exit code: 0; 1 some job was invalid: a diagnostic on standard error, the others are
measured; 2 wrong usage, a policy with errors, or no job at all.
)";

int Run(const std::vector<std::string>& words, cli::Console& console) {
  const std::optional<Arguments> arguments = ReadArguments(words, console);
  if (!arguments) return cli::kUsage;
  if (arguments->help) {
    console.out << kHelp;
    return cli::kOk;
  }
  const std::optional<TimePoint> now = cli::NowFromFlag(console);
  if (!now) return cli::kUsage;
  const std::optional<CompiledPolicy> policy =
      cli::LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  if (!policy) return cli::kUsage;
  const std::optional<cli::JobInput> input = cli::InputFromFlags(console);
  if (!input) return cli::kUsage;

  JobList list;
  const int code = cli::ForEachJob(*input, arguments->job_files, console,
                                   [&](cli::InputJob&& job) { list.Add(std::move(job)); });
  if (list.size() == 0) {
    console.err << "policy_bench: no job to measure with in --jobs\n";
    return cli::kUsage;
  }
  const std::vector<JobDescriptor> jobs = list.Descriptors();
  const RuleUse use = Count(policy->evaluator(), jobs, *now);
  const AllCosts costs = MeasureCosts(*policy, jobs, *now);
  PrintReport(*policy, jobs.size(), use, costs, Advice(*policy, jobs, use, costs.policy),
              console.out);
  return code;
}

}  // namespace
}  // namespace precedent::bench

int main(int argc, char** argv) {
  precedent::cli::Console console{std::cout, std::cerr};
  return precedent::bench::Run(std::vector<std::string>(argv + (argc > 0), argv + argc), console);
}
