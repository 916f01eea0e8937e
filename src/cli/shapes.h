// What an object of a file is, by what it holds.
#ifndef PRECEDENT_SRC_CLI_SHAPES_H_
#define PRECEDENT_SRC_CLI_SHAPES_H_

#include <initializer_list>
#include <string_view>

#include "src/text/node.h"

namespace precedent::cli {

bool HasAny(const internal::Node& object, std::initializer_list<std::string_view> names);

// A Kubernetes object or admission review. A JobDescriptor has a `kind` of its own, so
// that alone is none.
bool IsKubernetes(const internal::Node& object);

// A ResourceClaim or its template.
bool IsDeviceClaim(const internal::Node& object);

// Requests, definitions, descriptions and events of AWS Batch, and messages that hold
// such; the adapter tells which.
bool IsBatch(const internal::Node& object);

// Some member is a field of a JobDescriptor, or there is none: nothing is known of such
// a job.
bool IsDescriptor(const internal::Node& object);

// `List`, or a typed list such as `PodList`.
bool IsList(const internal::Node& object);

// An item of a list with the kind and apiVersion that the servers leave out of the items
// of a typed list.
internal::Node WithKind(const internal::Node& item, const internal::Node& list);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_SHAPES_H_
