// Policies for unit tests.
#ifndef PRECEDENT_TESTS_UNIT_POLICIES_H_
#define PRECEDENT_TESTS_UNIT_POLICIES_H_

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "precedent/policy.h"

namespace precedent::testing {

// Compiles text format; throws what is wrong.
inline CompiledPolicy Compile(std::string_view text) {
  CompileOptions options;
  options.format = PolicyFormat::kText;
  CompileResult result = LoadPolicy(text, options);
  if (result.policy.has_value()) return *std::move(result.policy);
  std::string message;
  for (const Issue& issue : result.issues) message += FormatIssue(issue, "policy") + "\n";
  throw std::runtime_error(message);
}

// One stage of every matching rule.
inline CompiledPolicy CompileRules(const std::string& rules) {
  return Compile("stages { " + rules + " } bounds { min: -1000000 max: 1000000 }");
}

inline TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

}  // namespace precedent::testing

#endif  // PRECEDENT_TESTS_UNIT_POLICIES_H_
