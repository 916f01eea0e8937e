// Reading parts of objects of the API server.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_FIELDS_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_FIELDS_H_

#include <simdjson.h>

#include <string>
#include <string_view>

namespace precedent::descheduler {

// What is at a path of keys; false where nothing is.
template <typename... Keys>
bool Find(simdjson::dom::element* from, Keys... keys) {
  simdjson::error_code error = simdjson::SUCCESS;
  ((error = error ? error : (*from)[keys].get(*from)), ...);
  return error == simdjson::SUCCESS;
}

// The text at a path of keys; empty where there is none.
template <typename... Keys>
std::string Text(simdjson::dom::element from, Keys... keys) {
  std::string_view text;
  if (!Find(&from, keys...) || from.get(text)) return "";
  return std::string(text);
}

// Whether the object is on its way out: somebody asked for that already.
inline bool IsStopping(simdjson::dom::element pod) {
  if (!Text(pod, "metadata", "deletionTimestamp").empty()) return true;
  simdjson::dom::element conditions = pod;
  if (!Find(&conditions, "status", "conditions") || !conditions.is_array()) return false;
  for (const simdjson::dom::element condition : conditions.get_array().value_unsafe()) {
    if (Text(condition, "type") == "DisruptionTarget" && Text(condition, "status") == "True") {
      return true;
    }
  }
  return false;
}

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_FIELDS_H_
