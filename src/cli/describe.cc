// precedent describe: one job descriptor per job.
#include <optional>
#include <string>
#include <vector>

#include "src/cli/command.h"
#include "src/cli/flags.h"
#include "src/cli/proto_json.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent describe [--definition=F] [--options=F] FILE...

Prints what a policy would see of every job in the files: one JSON object
(precedent.v1.JobDescriptor) per line, in their order. Texts, lists and maps (`devices`
among them) are printed where they are empty too; a number that is absent is left out,
which is not the same as 0. The lines can be given to `derive`.

  --definition=F   the AWS Batch job definition that the requests name: without it a
                   request does not tell its GPUs
  --options=F      precedent.v1.AdapterOptions: which metadata keys are read, ...
  --now=TIME       accepted as by the other commands that read jobs; changes nothing

What the adapter noticed about a job is a note on standard error.

Exit code: 0 all answered; 1 some input was invalid; 2 wrong usage.
`precedent derive --help` tells about FILE.
)";

int Run(const std::vector<std::string>& files, Console& console) {
  if (!NowFromFlag(console)) return kUsage;
  const std::optional<JobInput> input = InputFromFlags(console);
  if (!input) return kUsage;
  return ForEachJob(*input, files, console, [&](InputJob&& job) {
    console.out << JsonLine(job.job) << '\n';
    for (const std::string& remark : job.remarks) {
      Issue note = Error(remark, job.line);
      note.severity = Severity::kNote;
      Report(console, note, job.file);
    }
  });
}

}  // namespace

Command DescribeCommand() {
  return {"describe", "what a policy sees of every job",
          kHelp,      {"definition", "options", "now"},
          {},         "FILE...",
          1,          Command::kAnyNumber,
          Run};
}

}  // namespace precedent::cli
