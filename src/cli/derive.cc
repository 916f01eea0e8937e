// precedent derive: one decision per job.
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "src/adapter/decide.h"
#include "src/cli/command.h"
#include "src/cli/flags.h"
#include "src/cli/proto_json.h"
#include "src/cli/table.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent derive --policy=P [--now=TIME] [--output=json|table] FILE...

Prints the decision of the policy for every job in the files, in their order.

FILE is `-` (standard input) or a file of
  YAML        one or several documents
  JSON        an object, a `List`, or one object per line
  text format one job descriptor
An object with apiVersion and kind is a Kubernetes object. What AWS Batch takes or tells
is known by its members: SubmitJob, RegisterJobDefinition and SubmitServiceJob requests,
results of DescribeJobs and DescribeServiceJob, state change events, and SQS messages of
these as Lambda gets them. Any other object is a precedent.v1.JobDescriptor.

  --policy=P       the policy: text format, JSON, YAML or binary
  --now=TIME       what time it is, such as 2026-03-01T12:00:00Z; the clock if not given.
                   A job that does not say when it was submitted has not waited.
  --output=json    one JSON object (precedent.v1.Decision) per line; the default
  --output=table   columns for people; EVICT is the right to evict, where it differs
                   from PRIORITY
  --options=F      precedent.v1.AdapterOptions: which metadata keys are read, ...
  --definition=F   the Batch job definition that the requests name

Exit code: 0 all answered; 1 some input was invalid: a diagnostic on standard error and
no line for it, the others are answered; 2 wrong usage or a policy with errors.
)";

int Run(const std::vector<std::string>& files, Console& console) {
  const std::optional<std::string> output = OutputFromFlag({"json", "table"}, console);
  const std::optional<TimePoint> now = output ? NowFromFlag(console) : std::nullopt;
  if (!now) return kUsage;
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  if (!policy) return kUsage;
  const std::optional<JobInput> input = InputFromFlags(console);
  if (!input) return kUsage;

  // Columns can be aligned only when all rows are there.
  std::vector<v1::Decision> rows;
  const int code = ForEachJob(*input, files, console, [&](InputJob&& job) {
    v1::Decision decision = adapter::Decide(policy->evaluator(), job, *now);
    if (*output == "table")
      rows.push_back(std::move(decision));
    else
      console.out << JsonLine(decision) << '\n';
  });
  console.out << FormatTable(rows, TerminalWidth());
  return code;
}

}  // namespace

Command DeriveCommand() {
  return {"derive",   "the decision for every job",
          kHelp,      {"policy", "now", "output", "options", "definition"},
          {"policy"}, "FILE...",
          1,          Command::kAnyNumber,
          Run};
}

}  // namespace precedent::cli
