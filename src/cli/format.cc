// precedent format: a policy as canonical text.
#include <string>
#include <vector>

#include "src/cli/command.h"
#include "src/cli/file.h"
#include "src/cli/flags.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent format POLICY

Prints the policy (text format, JSON, YAML or binary) as canonical text format: two
policies give the same text exactly when they are the same. Comments are not kept.

Exit code: 0 printed; 2 wrong usage or a policy with errors.
)";

int Run(const std::vector<std::string>& arguments, Console& console) {
  const std::string& file = arguments[0];
  const absl::StatusOr<std::string> bytes = ReadFile(file);
  if (!bytes.ok()) {
    Report(console, Error(std::string(bytes.status().message())), file);
    return kUsage;
  }
  const ReadResult result = ReadPolicy(*bytes);
  if (HasErrors(result.issues)) {
    Report(console, result.issues, file);
    return kUsage;
  }
  console.out << FormatPolicy(result.policy);
  return kOk;
}

}  // namespace

Command FormatCommand() {
  return {"format", "a policy as canonical text", kHelp, {}, {}, "POLICY", 1, 1, Run};
}

}  // namespace precedent::cli
