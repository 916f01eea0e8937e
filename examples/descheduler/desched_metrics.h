// What the descheduler counts, and its answers on the port for that. Labels come from closed
// sets only: no name of a namespace, job or user ever becomes one.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_DESCHED_METRICS_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_DESCHED_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "http.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::descheduler {

// Thread-safety: any thread may call any function.
class Metrics : public webhook::Handler {
  // First: everything below is made in it.
  std::shared_ptr<prometheus::Registry> registry_;

 public:
  Metrics();

  // `planned`, `evicted`, `standby` or `failed`.
  void CountRound(std::string_view result, double seconds);
  // `accepted`, `budget` (429), `changed` (404, 409), `forbidden`, `unanswered`; of one pod.
  void CountEviction(std::string_view result);
  // `policy`, `preemption` or `options`: 1 while the file is not what is used.
  void SetFileFailing(std::string_view file, bool failing);
  void SetPlan(const v1::PreemptionPlan& plan, std::size_t running);
  // `preempted`, `infrastructure`, `own`, `other`; of what the API server lists.
  void SetEndings(std::string_view cause, std::int64_t count);

  prometheus::Gauge& evicting;       // 0: dry run
  prometheus::Gauge& owner;          // 1: this one wrote the state last
  prometheus::Gauge& state_failing;  // 1: the state cannot be read or written
  prometheus::Gauge& state_bytes;
  prometheus::Gauge& orders_open;
  prometheus::Gauge& holds;
  prometheus::Gauge& history_records;
  prometheus::Gauge& unreadable_objects;
  prometheus::Gauge& clock_skew_seconds;
  prometheus::Counter& lost_gpu_seconds;
  prometheus::Counter& events_lost;
  prometheus::Gauge& log_lines_dropped;

  // Called before the metrics are read.
  std::function<void()> refresh;

  webhook::Reply Screen(const webhook::HttpHeader& header) override;
  webhook::Reply Handle(webhook::HttpRequest&& request, bool overload) override;
  void OnError(int) override {}
  void OnDropped(std::string_view) override {}

 private:
  prometheus::Gauge& last_success_;
  prometheus::Gauge& round_seconds_;
  prometheus::Family<prometheus::Counter>& rounds_;
  prometheus::Family<prometheus::Counter>& evictions_;
  prometheus::Family<prometheus::Gauge>& failing_;
  prometheus::Family<prometheus::Gauge>& jobs_;
  prometheus::Family<prometheus::Gauge>& unplaced_;
  prometheus::Family<prometheus::Gauge>& endings_;
  std::atomic<bool> ready_{false};
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_DESCHED_METRICS_H_
