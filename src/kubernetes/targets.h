// What a decision changes in an object.
#ifndef PRECEDENT_SRC_KUBERNETES_TARGETS_H_
#define PRECEDENT_SRC_KUBERNETES_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "precedent/v1/decision.pb.h"
#include "src/adapter/options.h"
#include "src/kubernetes/describe.h"

namespace precedent::kubernetes {

// Whether some pod of the object has a class of Kubernetes itself.
bool HasSystemClass(const Reading& reading);

// Whether the object was made by a trusted controller from a template that carries a
// decision: it was decided with its whole gang then. What a user writes on an object
// of his own never counts.
bool IsDecided(const adapter::Options& options, const Reading& reading, std::string_view user);

// The patch, as text, that gives the object what the targets of the options ask for;
// empty where nothing changes. What could not be done goes to `*warnings`.
std::string MakePatch(const adapter::Options& options, const Reading& reading,
                      const v1::Decision& decision, std::vector<std::string>* warnings);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_TARGETS_H_
