#include "bench/policy/attributes.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace precedent::bench {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::vector<const FieldDescriptor*> SetFields(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

void AddAttributes(const v1::Match& match, std::set<std::string>& attributes) {
  for (const FieldDescriptor* field : SetFields(match)) {
    if (field->is_map()) continue;
    if (field->message_type() != v1::LineageMatch::descriptor()) {
      attributes.insert(field->name());
      continue;
    }
    for (const FieldDescriptor* of_lineage : SetFields(match.lineage()))
      attributes.insert("lineage." + of_lineage->name());
  }
  for (const auto& [key, text] : match.labels())
    attributes.insert(absl::StrCat("labels[\"", key, "\"]"));
  for (const auto& [name, number] : match.metrics())
    attributes.insert(absl::StrCat("metrics[\"", name, "\"]"));
}

std::string AttributeOf(const v1::ScaledAdd& scaled) {
  if (scaled.has_metric()) return absl::StrCat("metrics[\"", scaled.metric(), "\"]");
  const std::string name = absl::AsciiStrToLower(v1::ScaledAdd::Source_Name(scaled.of()));
  const bool of_lineage = v1::LineageMatch::descriptor()->FindFieldByName(name) != nullptr;
  return of_lineage ? "lineage." + name : name;
}

bool IsSelective(const v1::TextMatch& text) {
  return !text.in().empty() || !text.in_set().empty() || !text.prefix().empty() ||
         !text.suffix().empty();
}

bool HasSelectiveText(const v1::Match& match) {
  for (const FieldDescriptor* field : SetFields(match))
    if (!field->is_map() && field->message_type() == v1::TextMatch::descriptor() &&
        IsSelective(
            static_cast<const v1::TextMatch&>(match.GetReflection()->GetMessage(match, field))))
      return true;
  return std::any_of(match.labels().begin(), match.labels().end(),
                     [](const auto& label) { return IsSelective(label.second); });
}

}  // namespace

std::set<std::string> AttributesOf(const v1::Rule& rule) {
  std::set<std::string> attributes;
  for (const v1::Match& match : rule.when()) AddAttributes(match, attributes);
  if (rule.has_add_scaled()) attributes.insert(AttributeOf(rule.add_scaled()));
  if (rule.has_active_from()) attributes.insert("active_from");
  if (rule.has_active_until()) attributes.insert("active_until");
  return attributes;
}

std::vector<AttributeUse> AttributesOf(const v1::Policy& policy) {
  std::map<std::string, std::vector<std::string>> rules;
  for (const v1::Stage& stage : policy.stages())
    for (const v1::Rule& rule : stage.rules())
      for (const std::string& attribute : AttributesOf(rule)) rules[attribute].push_back(rule.id());
  std::vector<AttributeUse> uses;
  for (auto& [attribute, ids] : rules) uses.push_back({attribute, std::move(ids)});
  std::stable_sort(uses.begin(), uses.end(), [](const AttributeUse& a, const AttributeUse& b) {
    return a.rules.size() > b.rules.size();
  });
  return uses;
}

v1::Policy WithoutRulesOn(const std::string& attribute, const v1::Policy& policy) {
  v1::Policy result = policy;
  for (v1::Stage& stage : *result.mutable_stages()) {
    auto& rules = *stage.mutable_rules();
    rules.erase(std::remove_if(
                    rules.begin(), rules.end(),
                    [&](const v1::Rule& rule) { return AttributesOf(rule).count(attribute) != 0; }),
                rules.end());
  }
  return result;
}

std::vector<std::string> RulesWithoutSelectiveText(const v1::Policy& policy) {
  std::vector<std::string> ids;
  for (const v1::Stage& stage : policy.stages())
    for (const v1::Rule& rule : stage.rules())
      if (rule.when().empty() ||
          !std::all_of(rule.when().begin(), rule.when().end(), HasSelectiveText))
        ids.push_back(rule.id());
  return ids;
}

}  // namespace precedent::bench
