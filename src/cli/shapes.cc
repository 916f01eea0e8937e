#include "src/cli/shapes.h"

#include <algorithm>
#include <string>

#include "precedent/kubernetes.h"
#include "precedent/v1/job.pb.h"

namespace precedent::cli {
namespace {

using internal::Node;

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

}  // namespace

bool HasAny(const Node& object, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return object.Find(name) != nullptr; });
}

bool IsKubernetes(const Node& object) {
  return HasAny(object, {"apiVersion", "metadata", "spec", "items"}) ||
         (HasAny(object, {"request"}) && HasAny(object, {"kind"}));
}

bool IsDeviceClaim(const Node& object) {
  const Node* version = object.Find("apiVersion");
  const Node* kind = object.Find("kind");
  return version != nullptr && kind != nullptr &&
         kubernetes::DeviceClaims::IsClaim(version->text, kind->text);
}

bool IsBatch(const Node& object) {
  return HasAny(object, {"jobName", "jobQueue", "jobDefinition", "jobId", "serviceJobType",
                         "serviceRequestPayload", "jobDefinitionName", "containerProperties",
                         "nodeProperties", "ecsProperties", "eksProperties", "jobs", "detail-type",
                         "Records"});
}

bool IsDescriptor(const Node& object) {
  const auto* descriptor = v1::JobDescriptor::descriptor();
  return object.children.empty() ||
         std::any_of(object.children.begin(), object.children.end(), [&](const Node& member) {
           const std::string name(member.key);
           return descriptor->FindFieldByName(name) != nullptr ||
                  descriptor->FindFieldByCamelcaseName(name) != nullptr;
         });
}

bool IsList(const Node& object) {
  const Node* kind = object.Find("kind");
  const Node* items = object.Find("items");
  if (kind == nullptr || items == nullptr) return false;
  constexpr std::string_view kEnd = "List";
  const bool named = kind->text.size() >= kEnd.size() &&
                     kind->text.substr(kind->text.size() - kEnd.size()) == kEnd;
  return named && (items->is_list() || items->kind == Node::Kind::kNull);
}

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

}  // namespace precedent::cli
