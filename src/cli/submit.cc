// precedent submit: AWS Batch request in, request with the derived priority out.
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "precedent/aws_batch.h"
#include "src/cli/command.h"
#include "src/cli/documents.h"
#include "src/cli/flags.h"
#include "src/cli/place.h"
#include "src/text/json_writer.h"

ABSL_FLAG(std::string, queue_policy, "", "scheduling policy of the AWS Batch queue");

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent submit --policy=P [--queue-policy=Q] [--definition=F] REQUEST...

Prints each AWS Batch request (body of SubmitJob or SubmitServiceJob) as it is to be
sent: one JSON object per line, in their order, with the derived priority, its share, the
policy's limit of runtime, and tags that carry decision and lineage. All other members
stay as they are, in their order.

  --policy=P         the policy: text format, JSON, YAML or binary
  --queue-policy=Q   of the queue: fair-share (a share and a priority are set),
                     quota-share (the same, for service jobs) or none (neither may be
                     given, and both are removed); if not given, as the request's own
                     share or quota share says, else none
  --definition=F     the job definition that the requests name: without it a request does
                     not tell its GPUs
  --now=TIME         what time it is; the clock if not given
  --options=F        precedent.v1.AdapterOptions: known_shares, default_share,
                     instance_gpus, which metadata keys are read, ...

REQUEST is `-` or a file of JSON or YAML. What was replaced or left out is a note on
standard error.

Exit code: 0 all answered; 1 some request was invalid or the policy denies it: a
diagnostic on standard error and no line for it; 2 wrong usage or a policy with errors.
)";

std::optional<aws::QueuePolicy> QueuePolicyFromFlag(Console& console) {
  const std::string name = absl::GetFlag(FLAGS_queue_policy);
  if (name.empty()) return aws::QueuePolicy::kOfRequest;
  if (name == "none") return aws::QueuePolicy::kNone;
  if (name == "fair-share") return aws::QueuePolicy::kFairShare;
  if (name == "quota-share") return aws::QueuePolicy::kQuotaShare;
  Fail(console, "--queue-policy: `" + name + "` is none of fair-share, quota-share, none");
  return std::nullopt;
}

void Say(Console& console, Severity severity, const std::string& text, int line,
         const std::string& file) {
  Issue issue = Error(text, line);
  issue.severity = severity;
  Report(console, issue, file);
}

int Run(const std::vector<std::string>& files, Console& console) {
  const std::optional<aws::QueuePolicy> queue = QueuePolicyFromFlag(console);
  const std::optional<TimePoint> now = queue ? NowFromFlag(console) : std::nullopt;
  if (!now) return kUsage;
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  if (!policy) return kUsage;
  const std::optional<v1::AdapterOptions> options = OptionsFromFlag(console);
  const std::optional<std::string> definition =
      options ? DefinitionFromFlag(console) : std::nullopt;
  if (!definition) return kUsage;
  const absl::StatusOr<aws::Adapter> adapter = aws::Adapter::Create(*options);
  if (!adapter.ok()) {
    Report(console, Error(std::string(adapter.status().message())), absl::GetFlag(FLAGS_options));
    return kUsage;
  }

  int code = kOk;
  for (const std::string& file : files) {
    const auto issue = [&](const Issue& found) {
      Report(console, found, file);
      if (found.severity == Severity::kError) code = kFailed;
    };
    const auto document = [&](const internal::Node& root, Format) {
      const absl::StatusOr<aws::PreparedRequest> request = adapter->Prepare(
          internal::WriteJson(root), &policy->evaluator(), *queue, *now, *definition);
      if (!request.ok()) {
        const std::string message(request.status().message());
        Issue found = Error(message);
        SetPlace(found, FindPlace(root, message));
        return issue(found);
      }
      console.out << request->body << '\n';
      const int line = static_cast<int>(root.line);
      for (const std::string& text : request->warnings)
        Say(console, Severity::kWarning, text, line, file);
      for (const std::string& text : request->remarks)
        Say(console, Severity::kNote, text, line, file);
    };
    ReadDocuments(file, {document, issue});
  }
  return code;
}

}  // namespace

Command SubmitCommand() {
  return {"submit",   "an AWS Batch request with its priority",
          kHelp,      {"policy", "queue-policy", "definition", "options", "now"},
          {"policy"}, "REQUEST...",
          1,          Command::kAnyNumber,
          Run};
}

}  // namespace precedent::cli
