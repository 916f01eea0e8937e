#include "pod_reader.h"

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace precedent::webhook {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

// The text at a path of keys; empty where there is none.
template <typename... Keys>
std::string_view Text(element from, Keys... keys) {
  std::string_view text;
  simdjson::error_code error = simdjson::SUCCESS;
  ((error = error ? error : from[keys].get(from)), ...);
  return error || from.get(text) ? std::string_view() : text;
}

bool ReadPod(element json, Pod* pod) {
  pod->uid = Text(json, "metadata", "uid");
  if (pod->uid.empty()) return false;
  pod->priority_class = Text(json, "spec", "priorityClassName");
  const std::string_view phase = Text(json, "status", "phase");
  pod->ended = phase == "Succeeded" || phase == "Failed";
  pod->state = phase == "Running"                  ? PodState::kRunning
               : Text(json, "spec", "nodeName").empty() ? PodState::kPending
                                                   : PodState::kStarting;
  const std::string_view created = Text(json, "metadata", "creationTimestamp");
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, absl::string_view(created.data(), created.size()),
                       &time, &error)) {
    return false;
  }
  pod->created = absl::ToUnixSeconds(time);
  return true;
}

}  // namespace

bool PodReader::ReadPage(const std::string& json, PodPage* page,
                         const std::function<void(const Pod&)>& put) {
  element root;
  array items;
  if (parser_.parse(json).get(root) || Text(root, "kind") != "PodList") return false;
  page->resource_version = Text(root, "metadata", "resourceVersion");
  page->next = Text(root, "metadata", "continue");
  if (page->resource_version.empty()) return false;
  // A list without pods may have null here.
  if (root["items"].get(items)) return root["items"].is_null();
  for (const element item : items) {
    Pod pod;
    if (!ReadPod(item, &pod)) return false;
    put(pod);
  }
  return true;
}

bool PodReader::ReadEvent(const std::string& line, PodEvent* event) {
  element root, object;
  if (parser_.parse(line).get(root) || root["object"].get(object)) return false;
  const std::string_view type = Text(root, "type");
  *event = {};
  if (type == "ERROR") {
    std::int64_t code = 0;
    if (object["code"].get(code)) code = 0;
    event->code = static_cast<int>(code);
    event->message = Text(object, "message");
    return true;
  }
  event->resource_version = Text(object, "metadata", "resourceVersion");
  if (event->resource_version.empty()) return false;
  if (type == "BOOKMARK") {
    event->type = PodEvent::Type::kBookmark;
    return true;
  }
  if (type != "ADDED" && type != "MODIFIED" && type != "DELETED") return false;
  event->type = type == "DELETED" ? PodEvent::Type::kRemove : PodEvent::Type::kPut;
  return ReadPod(object, &event->pod);
}

}  // namespace precedent::webhook
