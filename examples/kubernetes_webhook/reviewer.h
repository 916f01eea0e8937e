// What the two ports answer: reviews, health, readiness, metrics.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_REVIEWER_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_REVIEWER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "http.h"
#include "log.h"
#include "metrics.h"
#include "precedent/kubernetes.h"
#include "precedent/live_evaluator.h"

namespace precedent::webhook {

// `/mutate` with POST, `/healthz`, `/readyz`, `/metrics`. Thread-safety: any thread.
class Reviewer : public Handler {
 public:
  struct Options {
    bool metrics_only = false;      // the second port: no `/mutate`
    bool ready_without_policy = true;  // serves with the fallback where none is live
    std::function<void()> refresh;     // brings gauges up to date before they are shown
  };
  // All pointers outlive it.
  Reviewer(Options options, LiveEvaluator* live, Metrics* metrics, Log* log,
           const std::atomic<bool>* draining);

  // Options of the adapter, as new as SetAdapter made them.
  void SetAdapter(kubernetes::Adapter adapter);

  Reply Screen(const HttpHeader& header) override;
  Reply Handle(HttpRequest&& request, bool overload) override;
  void OnError(int status) override { metrics_->CountHttpError(status); }
  void OnDropped(std::string_view why) override { metrics_->CountDropped(why); }

 private:
  Reply Mutate(const std::string& body, bool overload);
  Reply Readiness();
  void LogReview(const kubernetes::ReviewRecord& record);

  const Options options_;
  LiveEvaluator* const live_;
  Metrics* const metrics_;
  Log* const log_;
  const std::atomic<bool>* const draining_;
  std::mutex mutex_;
  std::shared_ptr<const kubernetes::Adapter> adapter_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_REVIEWER_H_
