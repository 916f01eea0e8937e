// Selectors: which labels a node or pod must have.
#ifndef PRECEDENT_SRC_KUBERNETES_SELECTOR_H_
#define PRECEDENT_SRC_KUBERNETES_SELECTOR_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/json/document.h"

namespace precedent::kubernetes {

using Labels = std::map<std::string, std::string, std::less<>>;

// All texts of a map; those of another type are errors of the document.
Labels ReadLabels(json::Value map);

struct Requirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::vector<std::string> values;

  bool Holds(const Labels& labels) const;
};

// All of them hold.
using Selector = std::vector<Requirement>;
bool Selects(const Selector& selector, const Labels& labels);

// Appends the requirements of a list of `{key, operator, values}`; an operator that is
// not known is an error of the document.
void ReadExpressions(json::Value list, Selector* selector);
// Of a LabelSelector: matchLabels and matchExpressions.
Selector ReadLabelSelector(json::Value selector);

// Where a pod may run, as far as its spec and the nodes tell.
struct Toleration {
  std::string key;     // empty: every key
  bool exists = false;  // whatever the value
  std::string value;
  std::string effect;  // empty: every effect
};
struct Taint {
  std::string key, value, effect;
};

struct Constraint {
  Selector required;                // nodeSelector
  std::vector<Selector> any_of;     // terms of the required node affinity; empty: any node
  std::vector<Toleration> tolerations;
  std::vector<std::string> devices;  // resource names

  // The same text for the same constraint.
  std::string Signature() const;
};

Constraint ReadConstraint(json::Value spec);

// `labels` are the node's, and its name under kNodeNameKey.
inline constexpr std::string_view kNodeNameKey = "/metadata.name";
bool Allows(const Constraint& constraint, const Labels& labels, const std::vector<Taint>& taints,
            const std::vector<std::string>& devices);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_SELECTOR_H_
