#include "src/cli/flags.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "precedent/adapter_options.h"
#include "src/cli/documents.h"
#include "src/cli/file.h"
#include "src/cli/progress.h"
#include "src/text/json_writer.h"

ABSL_FLAG(std::string, policy, "", "policy file");
ABSL_FLAG(std::string, now, "", "the time that it is, RFC 3339; default: the clock");
ABSL_FLAG(std::string, options, "", "AdapterOptions file");
ABSL_FLAG(std::string, definition, "", "AWS Batch job definition file");
ABSL_FLAG(std::string, output, "", "form of the output");

namespace precedent::cli {
namespace {

// The root of the one document of a file goes to `take`. False if anything is wrong.
bool ReadOneDocument(const std::string& file, Console& console,
                     const std::function<void(const internal::Node&, Format)>& take) {
  bool good = true;
  int documents = 0;
  ReadDocuments(file, {[&](const internal::Node& root, Format format) {
                         if (++documents > 1) return;
                         take(root, format);
                       },
                       [&](const Issue& issue) {
                         Report(console, issue, file);
                         good = good && issue.severity != Severity::kError;
                       }});
  if (documents > 1) {
    Report(console, Error("holds several documents where one is expected"), file);
    return false;
  }
  return good && documents == 1;
}

}  // namespace

absl::StatusOr<TimePoint> ParseTime(std::string_view text) {
  absl::Time time;
  std::string why;
  const absl::Time first = absl::FromUnixSeconds(-62'135'596'800);
  const absl::Time end = absl::FromUnixSeconds(253'402'300'800);
  if (!absl::ParseTime(absl::RFC3339_full, absl::string_view(text.data(), text.size()), &time,
                       &why) ||
      time < first || time >= end)
    return absl::InvalidArgumentError(absl::StrCat(
        "`", std::string(text), "` is no RFC 3339 time such as `2026-03-01T12:00:00Z`"));
  return TimePoint(std::chrono::microseconds(absl::ToUnixMicros(time)));
}

std::optional<TimePoint> NowFromFlag(Console& console) {
  const std::string text = absl::GetFlag(FLAGS_now);
  if (text.empty())
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  const absl::StatusOr<TimePoint> now = ParseTime(text);
  if (now.ok()) return *now;
  Fail(console, absl::StrCat("--now: ", std::string(now.status().message())));
  return std::nullopt;
}

std::optional<std::string> OutputFromFlag(const std::vector<std::string>& choices,
                                          Console& console) {
  const std::string output = absl::GetFlag(FLAGS_output);
  if (output.empty()) return choices[0];
  if (std::find(choices.begin(), choices.end(), output) != choices.end()) return output;
  Fail(console, absl::StrCat("--output: `", output, "` is none of ", absl::StrJoin(choices, ", ")));
  return std::nullopt;
}

std::optional<v1::AdapterOptions> OptionsFromFlag(Console& console) {
  const std::string file = absl::GetFlag(FLAGS_options);
  if (file.empty()) return v1::AdapterOptions();
  const absl::StatusOr<std::string> bytes = ReadFile(file);
  if (!bytes.ok()) {
    Report(console, Error(std::string(bytes.status().message())), file);
    return std::nullopt;
  }
  AdapterOptionsResult result = ReadAdapterOptions(*bytes);
  Report(console, result.issues, file);
  return std::move(result.options);
}

std::optional<std::string> DefinitionFromFlag(Console& console) {
  std::string definition;
  const std::string file = absl::GetFlag(FLAGS_definition);
  if (!file.empty() && !ReadOneDocument(file, console, [&](const internal::Node& root, Format) {
        definition = internal::WriteJson(root);
      }))
    return std::nullopt;
  return definition;
}

std::optional<JobInput> InputFromFlags(Console& console) {
  const std::optional<v1::AdapterOptions> options = OptionsFromFlag(console);
  if (!options) return std::nullopt;
  std::optional<std::string> definition = DefinitionFromFlag(console);
  if (!definition) return std::nullopt;
  absl::StatusOr<JobInput> input = JobInput::Create(*options, *std::move(definition));
  if (input.ok()) return *std::move(input);
  Report(console, Error(std::string(input.status().message())), absl::GetFlag(FLAGS_options));
  return std::nullopt;
}

std::optional<CompiledPolicy> LoadPolicyFile(const std::string& file, Console& console,
                                             const CompileOptions& options) {
  const absl::StatusOr<std::string> bytes = ReadFile(file, options.limits.policy_bytes);
  if (!bytes.ok()) {
    Report(console, Error(std::string(bytes.status().message())), file);
    return std::nullopt;
  }
  CompileResult result = LoadPolicy(*bytes, options);
  if (!result.ok()) Report(console, result.issues, file);
  return std::move(result.policy);
}

int ForEachJob(const JobInput& input, const std::vector<std::string>& files, Console& console,
               const std::function<void(InputJob&&)>& take) {
  int code = kOk;
  Progress progress(console.err);
  for (const std::string& file : files)
    input.ReadFile(file, {[&](InputJob&& job) {
                            progress.Add();
                            take(std::move(job));
                          },
                          [&](const Issue& issue) {
                            progress.Wipe();
                            Report(console, issue, file);
                            if (issue.severity == Severity::kError) code = kFailed;
                          }});
  return code;
}

}  // namespace precedent::cli
