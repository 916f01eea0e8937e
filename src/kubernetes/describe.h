// Reading one object into a draft of a job descriptor.
#ifndef PRECEDENT_SRC_KUBERNETES_DESCRIBE_H_
#define PRECEDENT_SRC_KUBERNETES_DESCRIBE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "precedent/kubernetes.h"
#include "src/adapter/draft.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/kubernetes/kinds.h"
#include "src/kubernetes/pods.h"

namespace precedent::kubernetes {

// What is known of an object besides the object.
struct Context {
  // Of a review: they win over what the object says of itself.
  std::string_view namespace_name;
  std::string_view name;
  std::string_view user;
  std::vector<std::string_view> groups;
  const DeviceClaims::Table* claims = nullptr;
};

// An object as it was read.
struct Reading {
  const Kind* kind = nullptr;
  json::Value object;
  std::vector<PodSet> sets;
  adapter::Draft draft;
  // False where no pod of it can hold a device.
  bool holds_devices = false;
  // Seconds; the shortest limit on the runtime that the platform enforces.
  std::optional<std::int64_t> deadline;
};

// The kind of an object by its own kind and apiVersion. INVALID_ARGUMENT where it
// does not say them, UNIMPLEMENTED for a kind that is not in the table.
absl::StatusOr<const Kind*> KindOf(json::Value object, const json::Document& document);

// Reads all of the object; what is wrong with it is an error of `document`, and the
// rest is read all the same.
Reading ReadObject(const adapter::Options& options, const Kind& kind, json::Value object,
                   const json::Document& document, const Context& context);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_DESCRIBE_H_
