// Flags that several subcommands take, and what they stand for.
#ifndef PRECEDENT_SRC_CLI_FLAGS_H_
#define PRECEDENT_SRC_CLI_FLAGS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "precedent/policy.h"
#include "precedent/time.h"
#include "src/cli/console.h"
#include "src/cli/input.h"

ABSL_DECLARE_FLAG(std::string, policy);
ABSL_DECLARE_FLAG(std::string, now);
ABSL_DECLARE_FLAG(std::string, options);
ABSL_DECLARE_FLAG(std::string, definition);
ABSL_DECLARE_FLAG(std::string, output);

namespace precedent::cli {

// An RFC 3339 time between the years 1 and 9999.
absl::StatusOr<TimePoint> ParseTime(std::string_view text);

// --now, or the clock. Empty after a usage error, which was reported.
std::optional<TimePoint> NowFromFlag(Console& console);

// --output, which must be one of `choices`; the first is the default.
std::optional<std::string> OutputFromFlag(const std::vector<std::string>& choices,
                                          Console& console);

// --options and --definition. Empty if something is wrong with them; that was reported.
std::optional<v1::AdapterOptions> OptionsFromFlag(Console& console);
std::optional<std::string> DefinitionFromFlag(Console& console);  // JSON; may be empty
std::optional<JobInput> InputFromFlags(Console& console);

// The policy of a file, or its issues reported and empty.
std::optional<CompiledPolicy> LoadPolicyFile(const std::string& file, Console& console,
                                             const CompileOptions& options = {});

// Calls `take` for each job of the files, in order, and reports everything that is
// wrong with the others. kOk, or kFailed if anything was.
int ForEachJob(const JobInput& input, const std::vector<std::string>& files, Console& console,
               const std::function<void(InputJob&&)>& take);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_FLAGS_H_
