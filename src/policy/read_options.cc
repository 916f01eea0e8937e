#include "src/policy/read_options.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "src/policy/detect.h"
#include "src/policy/fill.h"
#include "src/policy/read_tree.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

bool ReadAs(std::string_view bytes, PolicyFormat format, google::protobuf::Message* message,
            std::vector<Issue>* issues) {
  message->Clear();
  const std::optional<Document> document = ReadTree(bytes, format, "message of options", issues);
  if (!document) return false;
  FillMessage(document->root, message, issues,
              format == PolicyFormat::kText ? Dialect::kText : Dialect::kJson);
  return !HasErrors(*issues);
}

bool Fail(std::string message, std::string hint, std::vector<Issue>* issues) {
  Issue issue;
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  issues->push_back(std::move(issue));
  return false;
}

}  // namespace

bool ReadOptions(std::string_view bytes, google::protobuf::Message* message,
                 std::vector<Issue>* issues) {
  if (bytes.size() > kMaxBytes) {
    return Fail("the options have " + std::to_string(bytes.size()) + " bytes, and the limit is " +
                    std::to_string(kMaxBytes),
                "", issues);
  }
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Fail("the options are empty", "`{}` is the default options", issues);
  }
  PolicyFormat format = DetectFormat(bytes);
  // Options have no binary form: what looks like one is broken text.
  if (format == PolicyFormat::kBinary) format = PolicyFormat::kText;
  std::vector<Issue> found;
  bool good = ReadAs(bytes, format, message, &found);
  // One line such as `fallback: {priority: 7}` can be text, and yet be YAML.
  if (!good && format == PolicyFormat::kText) {
    std::vector<Issue> of_yaml;
    good = ReadAs(bytes, PolicyFormat::kYaml, message, &of_yaml);
    if (good) found = std::move(of_yaml);
  }
  issues->insert(issues->end(), found.begin(), found.end());
  return good;
}

}  // namespace precedent::internal
