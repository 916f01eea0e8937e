#include "src/adapter/metadata.h"

#include <optional>
#include <utility>

namespace precedent::adapter {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void Metadata::AddMap(json::Value map, InLabels in_labels) {
  Source source;
  source.environment = false;
  source.in_labels = in_labels;
  for (const json::Value::Member& member : map.Members()) {
    if (!member.value.String().has_value()) continue;
    source.values.emplace(View(member.key), member.value);
    source.order.push_back(member.key);
  }
  if (!source.order.empty()) sources_.push_back(std::move(source));
}

void Metadata::AddEnvironment(json::Value list) {
  Source source;
  source.environment = true;
  source.in_labels = InLabels::kNo;
  for (const json::Value item : list.Items()) {
    const std::optional<std::string_view> name = item.Get("name").String();
    const json::Value value = item.Get("value");
    if (!name.has_value() || !value.String().has_value()) continue;
    source.values.insert_or_assign(View(*name), value);
  }
  if (!source.values.empty()) sources_.push_back(std::move(source));
}

void Metadata::ReadAttribute(const AttributeKeys& keys, Draft& draft) const {
  for (const Source& source : sources_) {
    for (const std::string& key : source.environment ? keys.variables : keys.keys) {
      const auto it = source.values.find(key);
      if (it == source.values.end()) continue;
      const json::Value value = it->second;
      const std::string_view text = value.String().value_or(std::string_view());
      if (text.empty() && keys.row->empty_is_absent) continue;
      const absl::Status status = keys.row->read(text, draft.out.job);
      if (!status.ok()) value.Fail(std::string(status.message()));
      draft.Claim(keys.row->attribute);
      return;
    }
  }
}

void Metadata::Read(const Options& options, Draft& draft) const {
  for (const AttributeKeys& keys : options.attributes) ReadAttribute(keys, draft);
  auto& labels = *draft.out.job.mutable_labels();
  for (const Source& source : sources_) {
    if (source.in_labels == InLabels::kNo) continue;
    for (const std::string_view key : source.order) {
      if (options.no_labels.contains(View(key))) continue;
      std::string name(key);
      if (labels.count(name) != 0) continue;
      const std::string_view text = source.values.find(View(key))->second.String().value_or("");
      labels[std::move(name)] = std::string(text);
    }
  }
  if (!labels.empty()) draft.Claim(v1::LABELS);
}

}  // namespace precedent::adapter
