// Issues as text, for tests.
#ifndef PRECEDENT_TESTS_UNIT_POLICY_LOAD_REPORT_H_
#define PRECEDENT_TESTS_UNIT_POLICY_LOAD_REPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "precedent/policy.h"

namespace precedent {

// One line each, `2: error: stages[0]: message (hint)`.
inline std::string Report(const std::vector<Issue>& issues) {
  std::string text;
  for (Issue issue : issues) {
    issue.column = 0;
    text += FormatIssue(issue, "") + "\n";
  }
  return text;
}

inline std::string Check(std::string_view policy, CompileOptions options = {}) {
  return Report(ReadPolicy(policy, options).issues);
}

}  // namespace precedent

#endif  // PRECEDENT_TESTS_UNIT_POLICY_LOAD_REPORT_H_
