// Answer: the AdmissionReview that goes back to the API server.
#ifndef PRECEDENT_SRC_KUBERNETES_ANSWER_H_
#define PRECEDENT_SRC_KUBERNETES_ANSWER_H_

#include <string>
#include <utility>
#include <vector>

namespace precedent::kubernetes {

struct Answer {
  // As the request has them; the API server takes no answer with others.
  std::string api_version = "admission.k8s.io/v1";
  std::string uid;
  bool allowed = true;
  // A JSON Patch array; empty: no patch. Not sent with a denial.
  std::string patch;
  // Whole sentences; each is cut to what a client shows.
  std::vector<std::string> warnings;
  // Name (the server puts the webhook's before it) and value for the audit log.
  std::vector<std::pair<std::string, std::string>> audit;
  // Of a denial: an HTTP code, a reason of the API (`Forbidden`), text for people.
  int code = 403;
  std::string reason = "Forbidden";
  std::string message;

  // One line of JSON. Warnings have at most 120 bytes each and 10 stand, since the
  // server drops all of them where all webhooks' together pass 4096; audit values
  // have at most 1024 bytes.
  std::string ToJson() const;
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_ANSWER_H_
