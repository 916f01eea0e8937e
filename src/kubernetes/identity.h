// Who an object is: name, id, time of submission and the key of its lineage.
#ifndef PRECEDENT_SRC_KUBERNETES_IDENTITY_H_
#define PRECEDENT_SRC_KUBERNETES_IDENTITY_H_

#include "src/adapter/draft.h"
#include "src/json/document.h"
#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {

// Sets namespace, name, id, submitted and lineage_key.
//
// The name of an object that only has generateName is `prefix-*`. The lineage key is
// `namespace/kind/name` of the controller that owns the object, else of the Job that
// a pod's job-name label names, else of the object itself; so a Job and its pods
// meet. It is empty for an object without owner and name: two of those never share
// one, whatever their generateName.
void ReadIdentity(const Kind& kind, json::Value object, adapter::Draft& draft);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_IDENTITY_H_
