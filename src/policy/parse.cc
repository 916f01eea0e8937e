#include "src/policy/parse.h"

#include <string>
#include <utility>

#include "src/policy/detect.h"
#include "src/policy/parse_wire.h"
#include "src/text/cursor.h"
#include "src/text/json_reader.h"
#include "src/text/textproto_reader.h"
#include "src/text/yaml_reader.h"

namespace precedent::internal {
namespace {

void Fail(std::string message, std::string hint, std::vector<Issue>* issues) {
  Issue issue;
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  issues->push_back(std::move(issue));
}

// The tree of a text; none where its language is broken, but for protobuf text,
// whose reader goes on after a slip.
std::optional<Document> ReadTree(std::string_view bytes, PolicyFormat format,
                                 std::vector<Issue>* issues) {
  switch (format) {
    case PolicyFormat::kJson: {
      Issue problem;
      std::optional<Document> document = ReadJson(bytes, &problem);
      if (!document) issues->push_back(std::move(problem));
      return document;
    }
    case PolicyFormat::kYaml: {
      const std::size_t before = issues->size();
      std::vector<Document> documents = ReadYaml(bytes, issues);
      if (issues->size() != before) return std::nullopt;
      if (documents.size() == 1) return std::move(documents[0]);
      if (documents.empty()) {
        // Comments only: a policy without anything, as in protobuf text.
        Document empty;
        empty.root.kind = Node::Kind::kObject;
        return empty;
      }
      issues->push_back(ProblemAt(documents[1].root.line, documents[1].root.column,
                                  "a second YAML document begins here",
                                  "one file holds one policy"));
      return std::nullopt;
    }
    default: {
      Document document = ReadTextProto(bytes, issues);
      if (!document.root.is_object()) return std::nullopt;
      return document;
    }
  }
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
  parsed.source = ReadTree(bytes, format, issues);
  if (!parsed.source) return parsed;
  parsed.unreadable = !parsed.source->root.is_object();
  FillMessage(parsed.source->root, &parsed.policy, issues, parsed.dialect);
  return parsed;
}

}  // namespace precedent::internal
