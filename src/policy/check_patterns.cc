#include "src/policy/check_patterns.h"

#include <algorithm>
#include <vector>

#include "re2/re2.h"
#include "src/policy/check.h"
#include "src/policy/regex_lowering.h"
#include "src/text/cursor.h"

namespace precedent::internal {

RE2::Options PatternOptions(const PolicyLimits& limits) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_max_mem(static_cast<std::int64_t>(limits.regex_memory));
  return options;
}

void CheckPatterns::Check(const std::string& pattern, CheckContext* context) {
  if (pattern.size() > context->limits().pattern_bytes) {
    context->LimitError("the pattern has", pattern.size(), "bytes",
                        context->limits().pattern_bytes, "pattern_bytes");
    return;
  }
  const auto [found, is_new] = results_.try_emplace(pattern);
  if (is_new) found->second = Compile(pattern, context);
  if (!found->second.error.empty()) context->Error(found->second.error, found->second.hint);
}

CheckPatterns::Result CheckPatterns::Compile(const std::string& pattern, CheckContext* context) {
  const PolicyLimits& limits = context->limits();
  // Once over the limit nothing more is compiled: the time it takes is what the
  // limit is for.
  const std::string too_large = "the patterns together have more than " +
                                std::to_string(limits.regex_program_size) +
                                " RE2 instructions, which is the limit";
  if (program_size_ > limits.regex_program_size)
    return {too_large, "PolicyLimits::regex_program_size"};
  const RE2 regex(pattern, PatternOptions(limits));
  if (regex.error_code() == RE2::ErrorPatternTooLarge) {
    // RE2 gave up at about this many instructions of 16 bytes: that costs time too.
    program_size_ += limits.regex_memory / 24;
    return {"the pattern needs more memory than the limit of " +
                std::to_string(limits.regex_memory) + " bytes",
            "fewer or smaller repetitions; PolicyLimits::regex_memory"};
  }
  if (!regex.ok())
    return {"the pattern " + Quote(pattern) + " is not RE2 syntax: " +
                Quote(regex.error_arg()) + ": " + regex.error(),
            {}};
  program_size_ += static_cast<std::size_t>(std::max(0, regex.ProgramSize()));
  if (program_size_ > limits.regex_program_size)
    return {too_large, "PolicyLimits::regex_program_size"};
  const std::vector<LoweredPattern> lowered = LowerPattern(pattern);
  if (std::any_of(lowered.begin(), lowered.end(), [](const LoweredPattern& part) {
        return part.kind == LoweredPattern::kRegex;
      }))
    if (++regex_count_ == 1) first_regex_ = context->path().text();
  return {};
}

}  // namespace precedent::internal
