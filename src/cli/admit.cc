// precedent admit: the answer to every admission review.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "precedent/kubernetes.h"
#include "src/cli/command.h"
#include "src/cli/file.h"
#include "src/cli/flags.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent admit --policy=P [--options=F] [--now=TIME] REVIEW...

Prints the answer to every AdmissionReview request in the files: the AdmissionReview
that a mutating webhook sends back, one per line, in their order. REVIEW is `-`
(standard input) or a file of JSON, one request, or one per line.

There always is an answer. A request that cannot be read is admitted with the policy's
fallback and a warning, or denied where the options say deny_undecodable; without a
usable policy every request gets the fallback of the options.

  --policy=P    the policy: text format, JSON, YAML or binary
  --options=F   precedent.v1.AdapterOptions: which targets are written, ...
  --now=TIME    what time it is, such as 2026-03-01T12:00:00Z; the clock if not given

Exit code: 0 all answered; 1 some request could not be read: a diagnostic on standard
error; 2 wrong usage or a policy with errors.
)";

// One review of any number of lines, or one on each line.
std::vector<std::string_view> Reviews(std::string_view text) {
  std::vector<std::string_view> lines;
  bool each_is_object = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
      line.remove_suffix(1);
    }
    if (line.empty()) continue;
    each_is_object = each_is_object && line.front() == '{';
    lines.push_back(line);
  }
  if (lines.size() > 1 && each_is_object) return lines;
  return {text};
}

int Run(const std::vector<std::string>& files, Console& console) {
  const std::optional<TimePoint> now = NowFromFlag(console);
  if (!now) return kUsage;
  const std::optional<v1::AdapterOptions> options = OptionsFromFlag(console);
  if (!options) return kUsage;
  const absl::StatusOr<kubernetes::Adapter> adapter = kubernetes::Adapter::Create(*options);
  if (!adapter.ok()) {
    Report(console, Error(std::string(adapter.status().message())), absl::GetFlag(FLAGS_options));
    return kUsage;
  }
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  const Evaluator* const evaluator = policy ? &policy->evaluator() : nullptr;
  int code = kOk;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadFile(file);
    absl::Status status = text.ok() ? absl::OkStatus() : text.status();
    if (!text.ok()) Report(console, Error(std::string(status.message())), file);
    for (const std::string_view review :
         text.ok() ? Reviews(*text) : std::vector<std::string_view>{""}) {
      kubernetes::ReviewRecord record;
      console.out << adapter->Review(review, evaluator, *now, &record) << '\n';
      if (text.ok() && !record.status.ok()) {
        Report(console, Error(std::string(record.status.message())), file);
      }
      if (!record.status.ok()) code = kFailed;
    }
  }
  return policy ? code : kUsage;
}

}  // namespace

Command AdmitCommand() {
  return {"admit",    "answers to Kubernetes admission reviews",
          kHelp,      {"policy", "now", "options"},
          {"policy"}, "REVIEW...",
          1,          Command::kAnyNumber,
          Run};
}

}  // namespace precedent::cli
