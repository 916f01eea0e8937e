// What is known of the pods, for Prometheus, on a port of its own.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_METRICS_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_METRICS_H_

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "http.h"
#include "pod_table.h"

namespace precedent::webhook {

// Answers `/metrics`, `/healthz` and `/readyz`. Labels come from closed sets: the table
// bounds the classes. Thread-safety: any thread may call any function.
class PodMetrics : public Handler {
 public:
  // `table` outlives it.
  explicit PodMetrics(const PodTable* table);

  enum class Error { kList, kWatch, kGone, kUnreadable };
  static std::string_view ErrorName(Error error);

  void OnListed();
  void OnEvent() { last_event_.store(Now()); }
  void OnError(Error error) { errors_[static_cast<std::size_t>(error)]->Increment(); }

  Reply Screen(const HttpHeader& header) override;
  Reply Handle(HttpRequest&& request, bool overload) override;
  void OnError(int) override {}
  void OnDropped(std::string_view) override {}

 private:
  static std::chrono::steady_clock::duration Now() {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
  std::string Text();

  const PodTable* const table_;
  std::atomic<std::chrono::steady_clock::duration> last_event_;
  std::atomic<bool> listed_{false};
  std::mutex mutex_;  // one reading at a time: gauges are set for it
  std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Family<prometheus::Gauge>& pods_;
  prometheus::Family<prometheus::Gauge>& oldest_wait_;
  prometheus::Gauge& untracked_;
  prometheus::Gauge& event_age_;
  prometheus::Gauge& synced_;
  prometheus::Counter& lists_;
  std::array<prometheus::Counter*, 4> errors_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_METRICS_H_
