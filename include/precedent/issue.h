// Issue: one thing that is wrong with, or worth knowing about, a policy or an input.
#ifndef PRECEDENT_ISSUE_H_
#define PRECEDENT_ISSUE_H_

#include <string>
#include <string_view>
#include <vector>

namespace precedent {

enum class Severity {
  kError,    // nothing is made of it
  kWarning,  // legal, and probably not meant; an error under --strict
  kNote,     // worth knowing
};

struct Issue {
  Severity severity = Severity::kError;
  // Where in the message: `stages[2].rules[0].when[1].gpu_count`; map keys in
  // brackets and quotes, `labels["tier"]`. Empty: the whole.
  std::string path;
  // Line and column from 1; 0 where the format has none.
  int line = 0;
  int column = 0;
  // Lower case, one line, no final period, user text in backticks.
  std::string message;
  // What to do about it, such as the nearest known name; may be empty.
  std::string hint;
};

// `error`, `warning` or `note`.
std::string_view SeverityName(Severity severity);

// `file:12:3: error: stages[0].rules[1].set: message (hint)`, leaving out what is
// not known. No line break.
std::string FormatIssue(const Issue& issue, std::string_view file);

// True if any of them is an error.
bool HasErrors(const std::vector<Issue>& issues);

}  // namespace precedent

#endif  // PRECEDENT_ISSUE_H_
