// The kinds of objects that are described, as one table.
#ifndef PRECEDENT_SRC_KUBERNETES_KINDS_H_
#define PRECEDENT_SRC_KUBERNETES_KINDS_H_

#include <string_view>

#include "precedent/span.h"

namespace precedent::kubernetes {

// Pods that a kind wants of one template. All paths are dotted names; an empty path
// is the place that it starts from.
struct Role {
  // From the object: a list, or a map by role name, whose members are roles of this
  // shape. Empty: the object is the only one.
  std::string_view each;
  // From the role: pods, or whole jobs, wanted at once. Empty, or absent there: 1.
  std::string_view replicas;
  // From the role: a batch/v1 JobSpec, which multiplies by its pods at once.
  std::string_view job_spec;
  // From the role: where the pod's metadata and spec are.
  std::string_view pod_template;
};

struct Kind {
  // API group, empty for the core group, and bare kind: only both together say what
  // an object is.
  std::string_view group;
  std::string_view kind;
  // JobDescriptor.kind: the bare kind, or with its group where that is taken.
  std::string_view name;
  Span<const Role> roles;
  // Path of a limit on the whole object's runtime in seconds; empty: it has none.
  std::string_view deadline;
  // Path of metadata between the object's own and those of its pods; may be empty.
  std::string_view inner_metadata;
};

// The row of a group and kind, or null.
const Kind* FindKind(std::string_view group, std::string_view kind);

// For messages: `Pod, batch Job and apps Deployment`.
std::string_view KnownKinds();

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_KINDS_H_
