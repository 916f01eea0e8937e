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
    const std::optional<std::string_view> text = member.value.String();
    if (!text.has_value()) continue;
    source.values.emplace(View(member.key), Entry{member.value, *text});
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
    const std::optional<std::string_view> text = value.String();
    if (!name.has_value() || !text.has_value()) continue;
    source.values.insert_or_assign(View(*name), Entry{value, *text});
  }
  if (!source.values.empty()) sources_.push_back(std::move(source));
}

void Metadata::AddVariables(json::Value object) {
  Source source;
  source.environment = true;
  source.in_labels = InLabels::kNo;
  for (const json::Value::Member& member : object.Members()) {
    const std::optional<std::string> text = member.value.ScalarText();
    if (!text.has_value()) continue;
    const std::string_view name = owned_.emplace_back(UpperSnake(member.key));
    source.values.emplace(View(name), Entry{member.value, owned_.emplace_back(*text)});
  }
  if (!source.values.empty()) sources_.push_back(std::move(source));
}

void Metadata::ReadAttribute(const AttributeKeys& keys, Draft& draft) const {
  for (const Source& source : sources_) {
    for (const std::string& key : source.environment ? keys.variables : keys.keys) {
      const auto it = source.values.find(key);
      if (it == source.values.end()) continue;
      const std::string_view text = it->second.text;
      if (text.empty() && keys.row->empty_is_absent) continue;
      const absl::Status status = keys.row->read(text, draft.out.job);
      if (!status.ok()) it->second.place.Fail(std::string(status.message()));
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
      labels[std::move(name)] = std::string(source.values.find(View(key))->second.text);
    }
  }
  if (!labels.empty()) draft.Claim(v1::LABELS);
}

}  // namespace precedent::adapter
