// What became of a pod or Job, as events of its lineage.
#ifndef PRECEDENT_SRC_KUBERNETES_EVENTS_H_
#define PRECEDENT_SRC_KUBERNETES_EVENTS_H_

#include <vector>

#include "precedent/v1/lineage.pb.h"
#include "src/json/document.h"
#include "src/kubernetes/describe.h"

namespace precedent::kubernetes {

// An object, or the event of a watch that holds one.
struct WatchEvent {
  json::Value object;
  bool is_deleted = false;
  bool is_bookmark = false;  // tells of no object
};

// What is wrong with it is an error of the document.
WatchEvent ReadWatchEvent(json::Value root);

// See Adapter::Events. `reading` as ReadObject gave it; its descriptor is moved from.
std::vector<v1::LineageEvent> EventsOf(const WatchEvent& watched, Reading& reading);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_EVENTS_H_
