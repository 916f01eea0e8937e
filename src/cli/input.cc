#include "src/cli/input.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "src/cli/console.h"
#include "src/cli/descriptor_check.h"
#include "src/cli/documents.h"
#include "src/cli/place.h"
#include "src/policy/fill.h"
#include "src/text/json_writer.h"

namespace precedent::cli {
namespace {

using internal::Node;

bool HasAny(const Node& object, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return object.Find(name) != nullptr; });
}

// A JobDescriptor has a `kind` of its own, so that alone is no Kubernetes object.
bool IsKubernetes(const Node& object) {
  return HasAny(object, {"apiVersion", "metadata", "spec", "items"});
}

// Requests, definitions, descriptions and events of AWS Batch, and messages that hold
// such; the adapter tells which.
bool IsBatch(const Node& object) {
  return HasAny(object, {"jobName", "jobQueue", "jobDefinition", "jobId", "serviceJobType",
                         "serviceRequestPayload", "jobDefinitionName", "containerProperties",
                         "nodeProperties", "ecsProperties", "eksProperties", "jobs", "detail-type",
                         "Records"});
}

// Some member is a field of one, or there is none: nothing is known of such a job.
bool IsDescriptor(const Node& object) {
  const auto* descriptor = v1::JobDescriptor::descriptor();
  return object.children.empty() ||
         std::any_of(object.children.begin(), object.children.end(), [&](const Node& member) {
           const std::string name(member.key);
           return descriptor->FindFieldByName(name) != nullptr ||
                  descriptor->FindFieldByCamelcaseName(name) != nullptr;
         });
}

// `List`, or a typed list such as `PodList`.
bool IsList(const Node& object) {
  const Node* kind = object.Find("kind");
  const Node* items = object.Find("items");
  if (kind == nullptr || items == nullptr) return false;
  constexpr std::string_view kEnd = "List";
  const bool named = kind->text.size() >= kEnd.size() &&
                     kind->text.substr(kind->text.size() - kEnd.size()) == kEnd;
  return named && (items->is_list() || items->kind == Node::Kind::kNull);
}

Node StringMember(std::string_view key, std::string_view text, const Node& place) {
  Node member;
  member.kind = Node::Kind::kString;
  member.quoted = true;
  member.key = key;
  member.text = text;
  member.line = place.line;
  member.column = place.column;
  return member;
}

// The servers leave kind and apiVersion out of the items of a typed list.
Node WithKind(const Node& item, const Node& list) {
  Node object = item;
  const Node* kind = list.Find("kind");
  const Node* version = list.Find("apiVersion");
  if (kind == nullptr || kind->text == "List" || item.Find("kind") != nullptr) return object;
  if (version != nullptr && item.Find("apiVersion") == nullptr)
    object.children.insert(object.children.begin(),
                           StringMember("apiVersion", version->text, item));
  object.children.insert(object.children.begin(),
                         StringMember("kind", kind->text.substr(0, kind->text.size() - 4), item));
  return object;
}

Issue ErrorAt(const Node& place, std::string message) {
  Issue issue = Error(std::move(message));
  SetPlace(issue, place);
  return issue;
}

}  // namespace

absl::StatusOr<JobInput> JobInput::Create(const v1::AdapterOptions& options,
                                          std::string definition_json) {
  absl::StatusOr<kubernetes::Adapter> kubernetes = kubernetes::Adapter::Create(options);
  if (!kubernetes.ok()) return kubernetes.status();
  absl::StatusOr<aws::Adapter> aws = aws::Adapter::Create(options);
  if (!aws.ok()) return aws.status();
  return JobInput(*std::move(kubernetes), *std::move(aws), std::move(definition_json));
}

void JobInput::ReadFile(const std::string& file, const Sink& sink) const {
  const Sink named{[&](InputJob&& job) {
                     job.file = file;
                     sink.job(std::move(job));
                   },
                   sink.issue};
  ReadDocuments(
      file, {[&](const Node& root, Format format) { ReadNode(root, format, named); }, sink.issue});
}

void JobInput::ReadNode(const Node& root, Format format, const Sink& sink) const {
  if (!root.is_object())
    sink.issue(ErrorAt(root, absl::StrCat("expected an object, found ",
                                          std::string(internal::KindName(root.kind)))));
  else if (format == Format::kText)
    ReadDescriptor(root, format, sink);
  else if (IsList(root))
    ReadList(root, sink);
  else if (IsKubernetes(root) || IsBatch(root))
    ReadObject(root, "", sink);
  else if (IsDescriptor(root))
    ReadDescriptor(root, format, sink);
  else
    sink.issue(ErrorAt(root,
                       "is no Kubernetes object (it has no `apiVersion` and `kind`), no "
                       "AWS Batch request or event and no job descriptor (none of "
                       "its members is a field of one)"));
}

void JobInput::ReadList(const Node& list, const Sink& sink) const {
  const Node& items = *list.Find("items");
  for (std::size_t i = 0; i < items.children.size(); ++i) {
    const Node& item = items.children[i];
    const std::string prefix = absl::StrCat("items[", i, "]");
    if (!item.is_object())
      sink.issue(ErrorAt(item, absl::StrCat(prefix, ": expected an object, found ",
                                            std::string(internal::KindName(item.kind)))));
    else if (IsList(item))
      sink.issue(ErrorAt(item, absl::StrCat(prefix, ": a list within a list is not read")));
    else if (const Node object = WithKind(item, list); IsKubernetes(object) || IsBatch(object))
      ReadObject(object, prefix, sink);
    else
      ReadNode(item, Format::kJson, sink);
  }
}

void JobInput::ReadObject(const Node& object, const std::string& prefix, const Sink& sink) const {
  const std::string json = internal::WriteJson(object);
  const auto fail = [&](const absl::Status& status) {
    const std::string message(status.message());
    sink.issue(ErrorAt(FindPlace(object, message),
                       prefix.empty() ? message : absl::StrCat(prefix, ": ", message)));
  };
  const auto take = [&](const Node& place, absl::StatusOr<DescribedJob> described) {
    if (!described.ok()) return fail(described.status());
    InputJob input;
    input.line = static_cast<int>(place.line);
    input.job = std::move(described->job);
    input.remarks = std::move(described->remarks);
    sink.job(std::move(input));
  };
  if (IsKubernetes(object)) return take(object, kubernetes_.Describe(json));
  absl::StatusOr<std::vector<aws::DescribedItem>> items = aws_.DescribeAll(json, definition_json_);
  if (!items.ok()) return fail(items.status());
  for (aws::DescribedItem& item : *items) take(FindPlace(object, item.place), std::move(item.job));
}

void JobInput::ReadDescriptor(const Node& object, Format format, const Sink& sink) const {
  InputJob input;
  input.line = static_cast<int>(object.line);
  std::vector<Issue> issues;
  internal::FillMessage(
      object, &input.job, &issues,
      format == Format::kText ? internal::Dialect::kText : internal::Dialect::kJson);
  // Only what could be read can be checked: a half-read number gives no second error.
  if (!HasErrors(issues)) {
    CheckDescriptor(input.job, &issues);
    for (Issue& issue : issues)
      if (issue.line == 0) SetPlace(issue, FindPlace(object, issue.path));
  }
  for (const Issue& issue : issues) sink.issue(issue);
  if (!HasErrors(issues)) sink.job(std::move(input));
}

}  // namespace precedent::cli
