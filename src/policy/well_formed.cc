#include "src/policy/well_formed.h"

#include <algorithm>
#include <string>

#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "src/policy/attributes.h"
#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

bool IsText(const std::string& text) {
  return IsUtf8(text) && text.find('\0') == std::string::npos;
}

template <typename Message>
bool HasNoUnknownFields(const Message& message) {
  static const google::protobuf::Reflection* const reflection =
      Message::default_instance().GetReflection();
  return reflection->GetUnknownFields(message).empty();
}

bool IsWellFormed(const v1::TextMatch& match) {
  const auto texts = [](const auto& list) { return std::all_of(list.begin(), list.end(), IsText); };
  return HasNoUnknownFields(match) && texts(match.in()) && texts(match.in_set()) &&
         texts(match.prefix()) && texts(match.suffix()) && texts(match.contains()) &&
         texts(match.regex()) && texts(match.not_in());
}

bool IsWellFormed(const v1::Match& match) {
  if (!HasNoUnknownFields(match)) return false;
  for (const TextAttribute& attribute : kTextAttributes)
    if ((match.*attribute.has)() && !IsWellFormed((match.*attribute.get)())) return false;
  for (const NumberAttribute& attribute : kNumberAttributes)
    if (const v1::NumberMatch* number = attribute.In(match))
      if (!HasNoUnknownFields(*number)) return false;
  for (const TimeAttribute& attribute : kTimeAttributes)
    if ((match.*attribute.has)() && !HasNoUnknownFields((match.*attribute.get)())) return false;
  if (match.has_lineage() && !HasNoUnknownFields(match.lineage())) return false;
  for (const auto& [key, text] : match.labels())
    if (!IsText(key) || !IsWellFormed(text)) return false;
  for (const auto& [name, number] : match.metrics())
    if (!IsText(name) || !HasNoUnknownFields(number)) return false;
  return true;
}

bool IsWellFormed(const v1::ScaledAdd& scaled) {
  return HasNoUnknownFields(scaled) &&
         (!scaled.has_of() || v1::ScaledAdd::Source_IsValid(scaled.of())) &&
         IsText(scaled.metric());
}

}  // namespace

bool IsWellFormed(const v1::Rule& rule) {
  if (!HasNoUnknownFields(rule) || !HasNoUnknownFields(rule.active_from()) ||
      !HasNoUnknownFields(rule.active_until()) || !IsWellFormed(rule.add_scaled()))
    return false;
  for (const std::string* text : {&rule.id(), &rule.description(), &rule.priority_class(),
                                  &rule.share_identifier(), &rule.warn(), &rule.deny()})
    if (!IsText(*text)) return false;
  for (const auto& [key, value] : rule.annotate())
    if (!IsText(key) || !IsText(value)) return false;
  return std::all_of(rule.when().begin(), rule.when().end(),
                     [](const v1::Match& match) { return IsWellFormed(match); });
}

}  // namespace precedent::internal
