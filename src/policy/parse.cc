#include "src/policy/parse.h"

#include <string>
#include <utility>

#include "src/policy/detect.h"
#include "src/policy/parse_wire.h"
#include "src/policy/read_tree.h"
#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

void Fail(std::string message, std::string hint, std::vector<Issue>* issues) {
  Issue issue;
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  issues->push_back(std::move(issue));
}

}  // namespace

ParsedPolicy ParsePolicy(std::string_view bytes, const CompileOptions& options,
                         std::vector<Issue>* issues) {
  ParsedPolicy parsed;
  parsed.unreadable = true;
  if (bytes.size() > options.limits.policy_bytes) {
    Fail("the policy has " + std::to_string(bytes.size()) + " bytes, and the limit is " +
             std::to_string(options.limits.policy_bytes),
         "raise PolicyLimits::policy_bytes if it is meant to be this large", issues);
    return parsed;
  }
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos &&
      options.format != PolicyFormat::kBinary) {
    Fail("the policy is empty", "a policy has `stages` of `rules`", issues);
    return parsed;
  }
  const PolicyFormat format =
      options.format == PolicyFormat::kDetect ? DetectFormat(bytes) : options.format;
  if (format == PolicyFormat::kBinary) {
    ParseWire(bytes, &parsed.policy, issues);
    parsed.unreadable = HasErrors(*issues);
    return parsed;
  }
  if (format == PolicyFormat::kText) {
    parsed.dialect = Dialect::kText;
    if (bytes.substr(0, 3) == "\xef\xbb\xbf") {
      issues->push_back(ProblemAt(1, 1, "the text begins with a byte order mark",
                                  "save it as UTF-8 without one"));
      return parsed;
    }
  }
  parsed.source = ReadTree(bytes, format, "policy", issues);
  if (!parsed.source) return parsed;
  parsed.unreadable = !parsed.source->root.is_object();
  FillMessage(parsed.source->root, &parsed.policy, issues, parsed.dialect);
  return parsed;
}

}  // namespace precedent::internal
