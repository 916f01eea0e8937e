#include "tests/differential/fields.h"

#include <cmath>
#include <cstdint>

namespace precedent::differential {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Fields of `match` that have type `type` and, under the same name, a plain value in
// `facts`.
std::vector<std::string> Shared(const google::protobuf::Descriptor* match, const char* type,
                                const google::protobuf::Descriptor* facts) {
  std::vector<std::string> names;
  for (int i = 0; i < match->field_count(); ++i) {
    const FieldDescriptor* field = match->field(i);
    if (field->is_repeated() || field->message_type() == nullptr ||
        field->message_type()->name() != type)
      continue;
    if (facts->FindFieldByName(field->name()) != nullptr) names.push_back(field->name());
  }
  return names;
}

const FieldDescriptor* Field(const Message& message, const std::string& name) {
  return message.GetDescriptor()->FindFieldByName(name);
}

}  // namespace

const std::vector<std::string>& TextAttributes() {
  static const auto& names =
      *new auto(Shared(v1::Match::descriptor(), "TextMatch", v1::JobDescriptor::descriptor()));
  return names;
}

const std::vector<std::string>& NumberAttributes() {
  static const auto& names =
      *new auto(Shared(v1::Match::descriptor(), "NumberMatch", v1::JobDescriptor::descriptor()));
  return names;
}

const std::vector<std::string>& LineageNumbers() {
  static const auto& names =
      *new auto(Shared(v1::LineageMatch::descriptor(), "NumberMatch", v1::Lineage::descriptor()));
  return names;
}

v1::TextMatch* MutableText(v1::Match* match, const std::string& name) {
  return static_cast<v1::TextMatch*>(
      match->GetReflection()->MutableMessage(match, Field(*match, name)));
}

v1::NumberMatch* MutableNumber(Message* match, const std::string& name) {
  return static_cast<v1::NumberMatch*>(
      match->GetReflection()->MutableMessage(match, Field(*match, name)));
}

void SetText(v1::JobDescriptor* facts, const std::string& name, const std::string& value) {
  facts->GetReflection()->SetString(facts, Field(*facts, name), value);
}

void SetNumber(Message* facts, const std::string& name, double value) {
  const FieldDescriptor* field = Field(*facts, name);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    facts->GetReflection()->SetDouble(facts, field, value);
    return;
  }
  // A count: the nearest that there is.
  std::int64_t count = 0;
  if (value >= 9.2e18) {
    count = INT64_MAX;
  } else if (value <= -9.2e18) {
    count = INT64_MIN;
  } else if (!std::isnan(value)) {
    count = static_cast<std::int64_t>(value);
  }
  facts->GetReflection()->SetInt64(facts, field, count);
}

}  // namespace precedent::differential
