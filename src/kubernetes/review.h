// The request of an AdmissionReview, and the way to its answer.
#ifndef PRECEDENT_SRC_KUBERNETES_REVIEW_H_
#define PRECEDENT_SRC_KUBERNETES_REVIEW_H_

#include <string_view>

#include "absl/status/status.h"
#include "precedent/evaluator.h"
#include "precedent/kubernetes.h"
#include "precedent/time.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/kubernetes/answer.h"
#include "src/kubernetes/describe.h"

namespace precedent::kubernetes {

// What a review asks. Views into its document.
struct Request {
  std::string_view operation;
  std::string_view sub_resource;
  json::Value object;  // oldObject where there is no object
  Context context;
};

// An AdmissionReview, or what is taken for one: a body without apiVersion.
bool IsReview(json::Value root);

Request ReadRequest(json::Value root);

// The kind of the request's object: by what the object says, else by request.kind.
absl::StatusOr<const Kind*> KindOfRequest(json::Value root, const Request& request,
                                          const json::Document& document);

// Fills the answer to `body`, and of `record`, where given, what only the review tells:
// operation, user, decision. An error says what is wrong with the body; the answer
// is then the one for a body that cannot be read, but for the options' way with it.
absl::Status Fill(const adapter::Options& options, std::string_view body,
                  const Evaluator* evaluator, TimePoint now, json::Workspace* workspace,
                  Answer& answer, ReviewRecord* record);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_REVIEW_H_
