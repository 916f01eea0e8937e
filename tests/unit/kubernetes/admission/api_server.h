// ApiServer: what a Kubernetes API server does around a mutating webhook at CREATE.
//
// The rules are those seen on a real server 1.36: the built-in Priority plugin runs,
// then the webhook, then the plugin again, then, where something changed after it,
// the webhook once more (reinvocationPolicy IfNeeded).
#ifndef PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_API_SERVER_H_
#define PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_API_SERVER_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/kubernetes/admission/json_tree.h"

namespace precedent::kubernetes {

// The fields of an answer that matter, checked for what a server demands.
struct Response {
  std::string error;  // what makes the server refuse the answer as such
  bool allowed = false;
  std::string patch;  // decoded; empty where there is none
  std::vector<std::string> warnings;
  std::map<std::string, std::string> audit;
  std::string message;
  long long code = 0;
};
Response ReadResponse(const std::string& answer, const std::string& uid,
                      const std::string& api_version = "admission.k8s.io/v1");

struct PriorityClass {
  long long value = 0;
  std::string preemption_policy = "PreemptLowerPriority";
};

class ApiServer {
 public:
  // Answers a review.
  using Webhook = std::function<std::string(const std::string& review)>;

  std::map<std::string, PriorityClass> classes;
  std::string global_default;  // a class; empty: none
  std::string user = "system:serviceaccount:kube-system:job-controller";
  std::string namespace_name = "team-a";

  struct Result {
    int code = 201;  // 403 and 500 as the server answers
    std::string error;
    Tree seen;                         // what the webhook saw first
    Tree stored;                       // the object as it is stored
    std::vector<std::string> patches;  // of each call of the webhook
  };
  // Creates the object.
  Result Create(Tree object, const Webhook& webhook) const;

  std::string Review(const Tree& object) const;

  // The Priority plugin on a pod's spec; empty, or why it answers 403.
  std::string AdmitPriority(Tree* spec) const;
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_API_SERVER_H_
