// Pods out of what the API server sends.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_READER_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_READER_H_

#include <functional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "pod_table.h"

namespace precedent::webhook {

// One page of a list.
struct PodPage {
  std::string resource_version;  // of the list
  std::string next;              // where the next page begins; empty: this was the last
};

// One event of a watch.
struct PodEvent {
  enum class Type { kPut, kRemove, kBookmark, kError };
  Type type = Type::kError;
  Pod pod;                       // of kPut; of kRemove the uid
  std::string resource_version;  // but of kError
  int code = 0;                  // of kError: as of HTTP; 410: the version is too old
  std::string message;           // of kError
};

// Thread-safety: one thread.
class PodReader {
 public:
  // `max_bytes` of one text; beyond, reading fails.
  explicit PodReader(std::size_t max_bytes) : parser_(max_bytes) {}

  // False where the bytes are no list of pods. Pods go to `put` one by one.
  bool ReadPage(const std::string& json, PodPage* page, const std::function<void(const Pod&)>& put);
  // False where the line is no event.
  bool ReadEvent(const std::string& line, PodEvent* event);

 private:
  simdjson::dom::parser parser_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_READER_H_
