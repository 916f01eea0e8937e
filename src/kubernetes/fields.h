// Members that many kinds of objects have.
#ifndef PRECEDENT_SRC_KUBERNETES_FIELDS_H_
#define PRECEDENT_SRC_KUBERNETES_FIELDS_H_

#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "src/json/document.h"
#include "src/json/path.h"
#include "src/json/time.h"

namespace precedent::kubernetes {

// Empty where there is none.
inline std::string_view TextOf(json::Value value) {
  return value.String().value_or(std::string_view());
}

// A text that is no RFC 3339 time is an error of the document.
inline std::optional<absl::Time> TimeOf(json::Value value) {
  const std::optional<std::string_view> text = value.String();
  if (!text.has_value()) return std::nullopt;
  const std::optional<absl::Time> time = json::ParseTime(*text);
  if (!time.has_value()) {
    value.Fail(absl::StrCat("`", json::Printable(*text),
                            "` is no time (write it as `2006-01-02T15:04:05Z`)"));
  }
  return time;
}

// The condition of that type, True or not; absent where there is none.
inline json::Value ConditionOf(json::Value object, std::string_view type) {
  for (const json::Value condition : object.Get("status").Get("conditions").Items()) {
    if (TextOf(condition.Get("type")) == type) return condition;
  }
  return json::Value();
}

inline bool IsTrue(json::Value condition) { return TextOf(condition.Get("status")) == "True"; }

// The one of ownerReferences that controls the object; absent where none does.
inline json::Value ControllerOf(json::Value metadata) {
  for (const json::Value owner : metadata.Get("ownerReferences").Items()) {
    if (owner.Get("controller").Bool().value_or(false)) return owner;
  }
  return json::Value();
}

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_FIELDS_H_
