#include "precedent/adapter_options.h"

#include <cstddef>
#include <string>
#include <utility>

#include "src/policy/detect.h"
#include "src/policy/fill.h"
#include "src/policy/read_tree.h"

namespace precedent {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

AdapterOptionsResult ReadAs(std::string_view bytes, PolicyFormat format) {
  AdapterOptionsResult result;
  const std::optional<internal::Document> document =
      internal::ReadTree(bytes, format, "message of options", &result.issues);
  if (!document) return result;
  v1::AdapterOptions options;
  internal::FillMessage(document->root, &options, &result.issues,
                        format == PolicyFormat::kText ? internal::Dialect::kText
                                                      : internal::Dialect::kJson);
  if (!HasErrors(result.issues)) result.options = std::move(options);
  return result;
}

}  // namespace

AdapterOptionsResult ReadAdapterOptions(std::string_view bytes) {
  AdapterOptionsResult result;
  const auto fail = [&result](std::string message, std::string hint) {
    Issue issue;
    issue.message = std::move(message);
    issue.hint = std::move(hint);
    result.issues.push_back(std::move(issue));
    return result;
  };
  if (bytes.size() > kMaxBytes) {
    return fail("the options have " + std::to_string(bytes.size()) + " bytes, and the limit is " +
                    std::to_string(kMaxBytes),
                "");
  }
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail("the options are empty", "`{}` is the default options");
  }
  PolicyFormat format = internal::DetectFormat(bytes);
  // Options have no binary form: what looks like one is broken text.
  if (format == PolicyFormat::kBinary) format = PolicyFormat::kText;
  result = ReadAs(bytes, format);
  // One line such as `fallback: {priority: 7}` can be text, and yet be YAML.
  if (!result.options && format == PolicyFormat::kText) {
    AdapterOptionsResult yaml = ReadAs(bytes, PolicyFormat::kYaml);
    if (yaml.options) return yaml;
  }
  return result;
}

}  // namespace precedent
