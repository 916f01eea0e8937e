// precedent explain: the story of every decision, for people.
#include "precedent/explain.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_split.h"
#include "precedent/job_view.h"
#include "src/cli/command.h"
#include "src/cli/flags.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent explain --policy=P [--now=TIME] FILE...

Tells how the policy comes to its decision for every job in the files: stage by stage
which rule applied, what it saw and the score before and after; for a rule that did not
apply, the first constraint that failed and the value it saw.

  --policy=P       the policy: text format, JSON, YAML or binary
  --now=TIME       what time it is, such as 2026-03-01T12:00:00Z; the clock if not given
  --options=F      precedent.v1.AdapterOptions: which metadata keys are read, ...
  --definition=F   the AWS Batch job definition that the requests name

Exit code: 0 all answered; 1 some input was invalid; 2 wrong usage or a policy with
errors. `precedent derive --help` tells about FILE.
)";

std::string Title(const InputJob& job) {
  std::string title = job.job.name().empty() ? "unnamed job" : job.job.name();
  title += " (" + FileLabel(job.file);
  if (job.line > 0) title += ":" + std::to_string(job.line);
  return title + ")";
}

int Run(const std::vector<std::string>& files, Console& console) {
  const std::optional<TimePoint> now = NowFromFlag(console);
  if (!now) return kUsage;
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  if (!policy) return kUsage;
  const std::optional<JobInput> input = InputFromFlags(console);
  if (!input) return kUsage;

  bool first = true;
  return ForEachJob(*input, files, console, [&](InputJob&& job) {
    if (!first) console.out << '\n';
    first = false;
    console.out << Printable(Title(job)) << '\n';
    const JobView view(job.job);
    const std::string story = FormatExplanation(Explain(*policy, view.descriptor(), *now));
    for (const absl::string_view line : absl::StrSplit(story, '\n', absl::SkipEmpty()))
      console.out << Printable(std::string_view(line.data(), line.size())) << '\n';
    for (const std::string& remark : job.remarks)
      console.out << "remark: " << Printable(remark) << '\n';
  });
}

}  // namespace

Command ExplainCommand() {
  return {"explain",  "how every decision comes about, for people",
          kHelp,      {"policy", "now", "options", "definition"},
          {"policy"}, "FILE...",
          1,          Command::kAnyNumber,
          Run};
}

}  // namespace precedent::cli
