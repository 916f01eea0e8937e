// The typed reads of Value.
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/document.h"
#include "src/json/quantity.h"

namespace precedent::json {
namespace {

std::string_view TypeName(simdjson::dom::element element) {
  switch (element.type()) {
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    case simdjson::dom::element_type::ARRAY:
      return "a list";
    case simdjson::dom::element_type::STRING:
      return "a string";
    case simdjson::dom::element_type::BOOL:
      return "true or false";
    case simdjson::dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

}  // namespace

void Value::Fail(std::string_view message) const {
  if (document_ != nullptr) document_->Fail(step_, message);
}

void Value::FailType(std::string_view wanted) const {
  const std::string_view is = TypeName(element_);
  Fail(absl::StrCat("must be ", absl::string_view(wanted.data(), wanted.size()), " and is ",
                    absl::string_view(is.data(), is.size())));
}

Value Value::Get(std::string_view key) const {
  if (document_ == nullptr) return Value();
  const PathStep* step = document_->Step(step_, key, PathStep::kNoIndex);
  if (!present_) return Value(document_, step);
  simdjson::dom::object object;
  if (element_.get_object().get(object) != simdjson::SUCCESS) {
    FailType("an object");
    return Value(document_, step);
  }
  simdjson::dom::element member;
  if (object.at_key(key).get(member) != simdjson::SUCCESS) return Value(document_, step);
  return Value(document_, step, member);
}

Value Value::Find(std::string_view dotted) const {
  Value value = *this;
  while (!dotted.empty()) {
    const std::size_t dot = dotted.find('.');
    value = value.Get(dotted.substr(0, dot));
    dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  }
  return value;
}

Value::MemberRange Value::Members() const {
  if (!present_) return MemberRange(*this);
  simdjson::dom::object object;
  if (element_.get_object().get(object) != simdjson::SUCCESS) {
    FailType("an object");
    return MemberRange(*this);
  }
  return MemberRange(*this, object);
}

Value::ItemRange Value::Items() const {
  if (!present_) return ItemRange(*this);
  simdjson::dom::array array;
  if (element_.get_array().get(array) != simdjson::SUCCESS) {
    FailType("a list");
    return ItemRange(*this);
  }
  return ItemRange(*this, array);
}

std::optional<std::string_view> Value::String() const {
  if (!present_) return std::nullopt;
  std::string_view text;
  if (element_.get_string().get(text) == simdjson::SUCCESS) return text;
  FailType("a string");
  return std::nullopt;
}

std::optional<bool> Value::Bool() const {
  if (!present_) return std::nullopt;
  bool value = false;
  if (element_.get_bool().get(value) == simdjson::SUCCESS) return value;
  FailType("true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Value::Integer(std::int64_t min, std::int64_t max) const {
  if (!present_) return std::nullopt;
  // By type, since get_int64 also converts.
  const auto type = element_.type();
  std::int64_t value = 0;
  if (type == simdjson::dom::element_type::INT64 &&
      element_.get_int64().get(value) == simdjson::SUCCESS && min <= value && value <= max) {
    return value;
  }
  if (type == simdjson::dom::element_type::INT64 || type == simdjson::dom::element_type::UINT64) {
    const std::string number = type == simdjson::dom::element_type::INT64
                                   ? absl::StrCat(value)
                                   : absl::StrCat(element_.get_uint64().value_unsafe());
    Fail(absl::StrCat("`", number, "` is not between ", min, " and ", max));
  } else if (type == simdjson::dom::element_type::DOUBLE) {
    Fail("must be a whole number without point or exponent");
  } else {
    FailType("a whole number");
  }
  return std::nullopt;
}

std::optional<double> Value::Number() const {
  if (!present_) return std::nullopt;
  double value = 0;
  if (element_.get_double().get(value) == simdjson::SUCCESS) return value;
  FailType("a number");
  return std::nullopt;
}

std::optional<std::string> Value::ScalarText() const {
  if (!present_) return std::nullopt;
  switch (element_.type()) {
    case simdjson::dom::element_type::STRING:
      return std::string(element_.get_string().value_unsafe());
    case simdjson::dom::element_type::BOOL:
      return element_.get_bool().value_unsafe() ? "true" : "false";
    case simdjson::dom::element_type::INT64:
      return absl::StrCat(element_.get_int64().value_unsafe());
    case simdjson::dom::element_type::UINT64:
      return absl::StrCat(element_.get_uint64().value_unsafe());
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> Value::DeviceCount() const {
  if (!present_) return std::nullopt;
  std::string_view text;
  switch (element_.type()) {
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
      return Integer(0, std::numeric_limits<std::int64_t>::max());
    case simdjson::dom::element_type::STRING:
      text = element_.get_string().value_unsafe();
      break;
    case simdjson::dom::element_type::DOUBLE: {
      // As an API server reads it, by its digits: the parser has rounded it already, and
      // 0.99999999999999999999 is not 1.
      const std::optional<std::string_view> spelling = document_->Spelling(step_);
      if (!spelling.has_value()) {
        Fail("is one of very many quantities with point or exponent; write them as strings");
        return std::nullopt;
      }
      text = *spelling;
      break;
    }
    default:
      FailType("a quantity");
      return std::nullopt;
  }
  const absl::StatusOr<std::int64_t> count = ParseDeviceCount(text);
  if (count.ok()) return *count;
  Fail(std::string(count.status().message()));
  return std::nullopt;
}

}  // namespace precedent::json
