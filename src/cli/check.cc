// precedent check: everything that is wrong with a policy, or worth knowing.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "src/cli/claims.h"
#include "src/cli/command.h"
#include "src/cli/documents.h"
#include "src/cli/file.h"
#include "src/cli/flags.h"
#include "src/cli/place.h"
#include "src/text/json_writer.h"

ABSL_FLAG(bool, strict, false, "warnings count as errors");

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent check [--strict] [--options=F] [--output=text|json] POLICY...

Prints every problem of every policy (text format, JSON, YAML or binary) at once:
`file:line:column: severity: path: message (hint)`, and a summary.

  --strict         warnings count as errors
  --options=F      precedent.v1.AdapterOptions: also note every rule that can raise a
                   priority on a value that a job merely claims; with --strict each of
                   these notes is a warning
  --output=json    one JSON object per problem and line, and no summary

Exit code: 0 no errors; 1 errors, or with --strict warnings; 2 wrong usage.
)";

struct Counts {
  int errors = 0;
  int warnings = 0;
  int notes = 0;
};

std::string Counted(int count, std::string_view noun, std::string_view nouns) {
  return absl::StrCat(count, " ", std::string(count == 1 ? noun : nouns));
}

// Claim notes are about the message; their lines are found in the file once more.
void AddClaimNotes(const std::string& file, const v1::Policy& policy,
                   const v1::AdapterOptions& options, std::vector<Issue>& issues) {
  std::vector<Issue> notes = ClaimNotes(policy, options);
  for (Issue& note : notes)
    if (absl::GetFlag(FLAGS_strict)) note.severity = Severity::kWarning;
  if (!notes.empty() && file != "-")
    ReadDocuments(file, {[&](const internal::Node& root, Format) {
                           for (Issue& note : notes) {
                             const internal::Node& place = FindPlace(root, note.path);
                             if (&place != &root) SetPlace(note, place);
                           }
                         },
                         [](const Issue&) {}});  // a binary policy has no lines
  issues.insert(issues.end(), notes.begin(), notes.end());
}

std::vector<Issue> CheckFile(const std::string& file,
                             const std::optional<v1::AdapterOptions>& options) {
  const CompileOptions compile_options;
  const absl::StatusOr<std::string> bytes = ReadFile(file, compile_options.limits.policy_bytes);
  if (!bytes.ok()) return {Error(std::string(bytes.status().message()))};
  CompileResult result = LoadPolicy(*bytes, compile_options);
  if (options && result.ok()) AddClaimNotes(file, result.policy->source(), *options, result.issues);
  return std::move(result.issues);
}

void PrintJson(const Issue& issue, const std::string& file, Console& console) {
  std::string line;
  const auto text = [&](std::string_view name, std::string_view value) {
    absl::StrAppend(&line, line.empty() ? "{\"" : ",\"", std::string(name), "\":");
    internal::AppendJsonString(value, &line);
  };
  text("file", Printable(file));
  absl::StrAppend(&line, ",\"line\":", issue.line, ",\"column\":", issue.column);
  text("severity", SeverityName(issue.severity));
  text("path", Printable(issue.path));
  text("message", Printable(issue.message));
  text("hint", Printable(issue.hint));
  console.out << line << "}\n";
}

int Run(const std::vector<std::string>& files, Console& console) {
  const std::optional<std::string> output = OutputFromFlag({"text", "json"}, console);
  if (!output) return kUsage;
  std::optional<v1::AdapterOptions> options;
  if (!absl::GetFlag(FLAGS_options).empty()) {
    options = OptionsFromFlag(console);
    if (!options) return kUsage;
  }
  Counts counts;
  for (const std::string& file : files) {
    for (const Issue& issue : CheckFile(file, options)) {
      ++(issue.severity == Severity::kError     ? counts.errors
         : issue.severity == Severity::kWarning ? counts.warnings
                                                : counts.notes);
      if (*output == "json")
        PrintJson(issue, file, console);
      else
        console.out << Printable(FormatIssue(issue, FileLabel(file))) << '\n';
    }
  }
  if (*output == "text")
    console.out << Counted(static_cast<int>(files.size()), "policy", "policies") << ": "
                << Counted(counts.errors, "error", "errors") << ", "
                << Counted(counts.warnings, "warning", "warnings") << ", "
                << Counted(counts.notes, "note", "notes") << '\n';
  const bool strict = absl::GetFlag(FLAGS_strict);
  return counts.errors > 0 || (strict && counts.warnings > 0) ? kFailed : kOk;
}

}  // namespace

Command CheckCommand() {
  return {
      "check", "all problems of policies", kHelp, {"strict", "options", "output"}, {}, "POLICY...",
      1,       Command::kAnyNumber,        Run};
}

}  // namespace precedent::cli
