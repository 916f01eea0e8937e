#include "src/kubernetes/patch.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "src/json/path.h"
#include "src/json/writer.h"

namespace precedent::kubernetes {
namespace {

using json::Value;

std::string MapText(const Patch::Members& members) {
  std::string json = "{";
  for (const auto& [key, text] : members) json::AppendMember(key, text, &json);
  return json + "}";
}

std::string PointerOf(Value root, Value parent, std::string_view key) {
  std::string pointer = parent.Pointer(root);
  json::AppendPointerStep(key, &pointer);
  return pointer;
}

}  // namespace

void Patch::Add(const std::string& pointer, const std::string& json) {
  if (!operations_.empty()) operations_ += ',';
  operations_ += R"({"op":"add","path":)";
  json::AppendString(pointer, &operations_);
  absl::StrAppend(&operations_, ",\"value\":", json, "}");
}

void Patch::Set(Value parent, std::string_view key, std::string_view text) {
  if (!parent.is_object()) return;
  std::string json;
  json::AppendString(text, &json);
  Add(PointerOf(root_, parent, key), json);
}

void Patch::Set(Value parent, std::string_view key, std::int64_t number) {
  if (parent.is_object()) {
    Add(PointerOf(root_, parent, key), absl::StrCat(number));
  } else if (!parent.present()) {
    std::string json = "{";
    json::AppendKey(key, &json);
    Add(parent.Pointer(root_), absl::StrCat(json, number, "}"));
  }
}

void Patch::Remove(Value parent, std::string_view key) {
  if (!parent.HasKey(key)) return;
  if (!operations_.empty()) operations_ += ',';
  operations_ += R"({"op":"remove","path":)";
  json::AppendString(PointerOf(root_, parent, key), &operations_);
  operations_ += '}';
}

void Patch::SetMap(Value metadata, std::string_view name, const Members& members) {
  const Value map = metadata.Get(name);
  Members changed;
  for (const auto& member : members) {
    const std::optional<std::string_view> now =
        map.is_object() ? map.Get(member.first).String() : std::nullopt;
    if (!now.has_value() || *now != member.second) changed.push_back(member);
  }
  if (changed.empty()) return;
  if (!map.present()) {
    Add(PointerOf(root_, metadata, name), MapText(changed));
    return;
  }
  for (const auto& [key, text] : changed) Set(map, key, text);
}

void Patch::SetMetadata(Value owner, const Members& labels, const Members& annotations) {
  if (!owner.is_object() || (labels.empty() && annotations.empty())) return;
  const Value metadata = owner.Get("metadata");
  if (metadata.present()) {
    if (!metadata.is_object()) return;
    SetMap(metadata, "labels", labels);
    SetMap(metadata, "annotations", annotations);
    return;
  }
  std::string json = "{";
  if (!labels.empty()) {
    json::AppendKey("labels", &json);
    json += MapText(labels);
  }
  if (!annotations.empty()) {
    json::AppendKey("annotations", &json);
    json += MapText(annotations);
  }
  Add(PointerOf(root_, owner, "metadata"), json + "}");
}

std::string Patch::Finish() && {
  return operations_.empty() ? std::string() : absl::StrCat("[", operations_, "]");
}

}  // namespace precedent::kubernetes
