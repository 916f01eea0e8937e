// The kinds of objects that are described, as one table.
#ifndef PRECEDENT_SRC_KUBERNETES_KINDS_H_
#define PRECEDENT_SRC_KUBERNETES_KINDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "precedent/span.h"

namespace precedent::kubernetes {

// Pods that a kind wants of one template. All paths are dotted names; an empty path
// is the place that it starts from.
struct Role {
  // From the object: a list, or a map by role name, whose members are roles of this
  // shape. Empty: the object is the only one.
  std::string_view each;
  // From the role: pods, or whole jobs, wanted at once. Empty: 1.
  std::string_view replicas;
  // From the role: a batch/v1 JobSpec, which multiplies by its pods at once.
  std::string_view job_spec;
  // From the role: where the pod's metadata and spec are.
  std::string_view pod_template;
  // Where `replicas` is absent: the path of the number that counts then, and what
  // counts where that is absent too.
  std::string_view else_replicas = {};
  std::int64_t default_replicas = 1;
  // From the role: pods of one replica; empty or absent: 1. `less` of them belong to
  // another role.
  std::string_view hosts = {};
  std::int64_t less = 0;
  // The template where `pod_template` is absent.
  std::string_view else_template = {};
};

// What a kind is, besides its paths. Bits of Kind::traits.
enum Trait : unsigned {
  kGang = 1,     // its pods are of use only together
  kPerNode = 2,  // one pod for each node: how many, the object does not say
  kServer = 4,   // its pods are restarted for ever: no limit on their runtime
  kCopy = 8,     // its templates are copies, which make no pods
};

struct Kind {
  // API group, empty for the core group, and bare kind: only both together say what
  // an object is.
  std::string_view group;
  std::string_view kind;
  // JobDescriptor.kind: the bare kind, or with its group where that is taken.
  std::string_view name;
  Span<const Role> roles;
  unsigned traits = 0;
  // What jobs of this kind are for, where no label says it; empty: anything.
  std::string_view workload_type = {};
  // Path of a limit on the whole object's runtime in seconds, besides those in a
  // JobSpec; empty: it has none.
  std::string_view deadline = {};
  // Path of metadata between the object's own and those of its pods; may be empty.
  std::string_view inner_metadata = {};
  // Path of the least number of pods that make a gang. Empty, or absent there: all.
  std::string_view gang_pods = {};
  // Path of a queue; empty: only a label names it.
  std::string_view queue = {};
  // Path of a place of the object itself with a priorityClassName that counts for
  // all its pods; empty: only templates have one.
  std::string_view class_holder = {};

  bool Is(Trait trait) const { return (traits & trait) != 0; }
};

// The row of a group and kind, or null.
const Kind* FindKind(std::string_view group, std::string_view kind);

// The group of an apiVersion: `batch` of `batch/v1`, empty of `v1`.
std::string_view GroupOf(std::string_view api_version);

// What pods of an owner of that group and kind are for: as in the table, and for
// the owners of notebooks and model servers that have no row; empty where unknown.
std::string_view WorkloadTypeOfOwner(std::string_view group, std::string_view kind);

// For messages: every kind of the table, `Pod, Job.batch, ...`.
std::string KnownKinds();

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_KINDS_H_
