// precedent test: what a policy decides about cases, against what is expected.
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "src/adapter/decide.h"
#include "src/cli/cases.h"
#include "src/cli/command.h"
#include "src/cli/flags.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent test [--now=TIME] POLICY CASES...

Decides the jobs in the files of cases and compares with what they expect. A file of
cases is YAML, JSON or text format:

  now: 2026-03-02T12:00:00Z          # for all cases; a case may have its own
  cases:
  - name: production inference
    job: {environment: production, workloadType: inference, gpuCount: 2}
    expect: {priority: 1200, class: critical, rules: [production, inference]}
  - name: the manifest in our examples
    file: ../jobs/training.yaml      # of one job, beside this file
    expect: {class: experimental}

`job` is a job descriptor, a Kubernetes object or an AWS Batch request (in text format
only a descriptor). `expect` has any of priority, preemptionPriority, class, rules (all
that applied, in order), verdict, reason, warnings, denial, limitRuntimeSeconds,
shareIdentifier, neverPreemptOthers, preemptible; what is not given is not compared.

Prints the differences of each case that fails, then `N passed, N failed`.

  --now=TIME       the time for cases without `now`; the clock if not given
  --options=F      precedent.v1.AdapterOptions: which metadata keys are read, ...
  --definition=F   the AWS Batch job definition that the requests name

Exit code: 0 all passed; 1 a case failed; 2 wrong usage, a policy with errors, or cases
that cannot be read.
)";

int Run(const std::vector<std::string>& arguments, Console& console) {
  const std::optional<TimePoint> now = NowFromFlag(console);
  if (!now) return kUsage;
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(arguments[0], console);
  if (!policy) return kUsage;
  const std::optional<JobInput> input = InputFromFlags(console);
  if (!input) return kUsage;

  bool readable = true;
  int passed = 0;
  int failed = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& file = arguments[i];
    std::vector<Issue> issues;
    for (const TestCase& test : ReadCases(file, *input, &issues)) {
      std::vector<std::string> lines;
      if (test.has_job)
        lines = Differences(
            test, adapter::Decide(policy->evaluator(), test.job, test.now.value_or(*now)));
      else
        for (const Issue& issue : test.job_issues) lines.push_back(FormatIssue(issue, "job"));
      if (test.has_job && lines.empty()) {
        ++passed;
        continue;
      }
      ++failed;
      console.out << "FAIL " << FileLabel(file) << ':' << test.line << ": " << Printable(test.name)
                  << '\n';
      for (const std::string& line : lines) console.out << "  " << Printable(line) << '\n';
    }
    Report(console, issues, file);
    readable = readable && !HasErrors(issues);
  }
  console.out << passed << " passed, " << failed << " failed\n";
  return !readable ? kUsage : failed > 0 ? kFailed : kOk;
}

}  // namespace

Command TestCommand() {
  return {"test", "a policy against expected decisions",
          kHelp,  {"now", "options", "definition"},
          {},     "POLICY CASES...",
          2,      Command::kAnyNumber,
          Run};
}

}  // namespace precedent::cli
