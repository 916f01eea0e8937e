#include "src/kubernetes/patch.h"

#include <optional>
#include <utility>

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

}  // namespace

void Patch::Begin(std::string_view operation, Value parent, std::string_view key) {
  operations_ += operations_.empty() ? '[' : ',';
  operations_ += R"({"op":)";
  json::AppendString(operation, &operations_);
  pointer_.clear();
  parent.AppendPointer(root_, &pointer_);
  if (!key.empty()) json::AppendPointerStep(key, &pointer_);
  json::AppendMember("path", pointer_, &operations_);
}

void Patch::Add(Value parent, std::string_view key, std::string_view json) {
  Begin("add", parent, key);
  operations_ += R"(,"value":)";
  operations_ += json;
  operations_ += '}';
}

void Patch::Set(Value parent, std::string_view key, std::string_view text) {
  if (!parent.is_object()) return;
  Begin("add", parent, key);
  json::AppendMember("value", text, &operations_);
  operations_ += '}';
}

void Patch::Set(Value parent, std::string_view key, std::int64_t number) {
  if (parent.is_object()) {
    Add(parent, key, absl::StrCat(number));
  } else if (!parent.present()) {
    std::string json = "{";
    json::AppendKey(key, &json);
    Add(parent, {}, absl::StrCat(json, number, "}"));
  }
}

void Patch::Remove(Value parent, std::string_view key) {
  if (!parent.HasKey(key)) return;
  Begin("remove", parent, key);
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
    Add(metadata, name, MapText(changed));
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
  Add(owner, "metadata", json + "}");
}

std::string Patch::Finish() && {
  if (!operations_.empty()) operations_ += ']';
  return std::move(operations_);
}

}  // namespace precedent::kubernetes
