// What the webhook counts. Labels come from closed sets only: no name of a user, a
// namespace or an object ever becomes one.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_METRICS_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_METRICS_H_

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "precedent/kubernetes.h"

namespace precedent::webhook {

// How a request for /mutate ended.
enum class Outcome {
  kPatched,     // allowed with a patch
  kUnchanged,   // allowed as it is
  kDenied,      // by the policy, or as undecodable where the options deny
  kOverload,    // answered with the fallback, since there were too many connections
};

// Thread-safety: any thread may call any function.
class Metrics {
  // First: everything below is made in it.
  std::shared_ptr<prometheus::Registry> registry_;

 public:
  Metrics();

  // The classes that decisions may have; others count as `other`. For a new policy.
  void SetClasses(const std::vector<std::string>& names);

  void CountReview(const kubernetes::ReviewRecord& record, Outcome outcome,
                   std::chrono::nanoseconds took);

  // HTTP requests that got no review: by status code (a closed set).
  void CountHttpError(int status);
  // Connections closed without an answer: `handshake`, `timeout`, `overload`, `network`.
  void CountDropped(std::string_view why);

  // The text format of Prometheus.
  std::string Text();

  // For the parts that own them.
  prometheus::Gauge& connections;
  prometheus::Gauge& policy_generation;
  prometheus::Gauge& policy_live;
  prometheus::Gauge& policy_loaded_seconds;       // when, since 1970
  prometheus::Counter& policy_errors;
  prometheus::Gauge& policy_failing;              // 1: the file is not what serves
  prometheus::Gauge& options_failing;
  prometheus::Counter& certificate_errors;
  prometheus::Gauge& certificate_failing;
  prometheus::Gauge& certificate_expiry_seconds;  // when, since 1970
  prometheus::Gauge& log_lines_dropped;

 private:
  prometheus::Family<prometheus::Counter>& reviews_;
  prometheus::Family<prometheus::Counter>& decisions_;
  prometheus::Family<prometheus::Counter>& http_errors_;
  prometheus::Family<prometheus::Counter>& dropped_;
  prometheus::Counter& undecodable_;
  prometheus::Counter& oversize_;
  prometheus::Counter& overload_;
  prometheus::Histogram& seconds_;
  prometheus::Histogram& scores_;
  // By operation, outcome, reason.
  prometheus::Counter* by_review_[3][4][4];

  std::mutex classes_mutex_;
  std::map<std::string, prometheus::Counter*, std::less<>> classes_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_METRICS_H_
