// Who an object is: name, id, time of submission and the key of its lineage.
#ifndef PRECEDENT_SRC_KUBERNETES_IDENTITY_H_
#define PRECEDENT_SRC_KUBERNETES_IDENTITY_H_

#include "src/adapter/draft.h"
#include "src/json/document.h"
#include "src/kubernetes/describe.h"
#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {

// Sets namespace, name, id, user, submitted and lineage_key.
//
// The name of an object that only has generateName is `prefix-*`. The lineage key is
// `namespace/kind/name` of the controller that owns the object, else of the Job that
// a pod's job-name label names, else of the object itself; so a Job and its pods
// meet; a pod of an indexed Job adds `/index`. It is empty for an object without owner and name:
// two of those never share one, whatever their generateName.
void ReadIdentity(const Kind& kind, json::Value object, const Context& context,
                  adapter::Draft& draft);

// Where no key gave a workload type: by the kind, else, as a claim, by the kind of
// the controller that owns the object or by labels of notebooks and model servers.
// Needs the labels in the draft.
void ReadWorkloadType(const Kind& kind, json::Value object, adapter::Draft& draft);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_IDENTITY_H_
