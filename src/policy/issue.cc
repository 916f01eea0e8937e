#include "precedent/issue.h"

#include <algorithm>

namespace precedent {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "error";
}

std::string FormatIssue(const Issue& issue, std::string_view file) {
  std::string text(file);
  if (issue.line > 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(issue.line);
    if (issue.column > 0) text += ':' + std::to_string(issue.column);
  }
  if (!text.empty()) text += ": ";
  text += SeverityName(issue.severity);
  text += ": ";
  if (!issue.path.empty()) text += issue.path + ": ";
  text += issue.message;
  if (!issue.hint.empty()) text += " (" + issue.hint + ")";
  return text;
}

bool HasErrors(const std::vector<Issue>& issues) {
  return std::any_of(issues.begin(), issues.end(),
                     [](const Issue& issue) { return issue.severity == Severity::kError; });
}

}  // namespace precedent
