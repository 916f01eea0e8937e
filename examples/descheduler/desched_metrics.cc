#include "desched_metrics.h"

#include <prometheus/text_serializer.h>

#include <ctime>
#include <string>

#include "absl/strings/string_view.h"

namespace precedent::descheduler {
namespace {

namespace http = boost::beast::http;
using webhook::Reply;

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name,
                                              const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

absl::string_view PathOf(boost::beast::string_view target) {
  const absl::string_view whole(target.data(), target.size());
  return whole.substr(0, whole.find('?'));
}

Reply TextReply(int status, std::string body) {
  Reply reply;
  reply.status = status;
  reply.content_type = "text/plain; charset=utf-8";
  reply.body = std::move(body);
  return reply;
}

}  // namespace

Metrics::Metrics()
    : registry_(std::make_shared<prometheus::Registry>()),
      evicting(Gauges(*registry_, "precedent_descheduler_evicting", "0: a dry run").Add({})),
      owner(
          Gauges(*registry_, "precedent_descheduler_owner", "1 where this one may evict").Add({})),
      state_failing(Gauges(*registry_, "precedent_descheduler_state_failing",
                           "1 while the state's ConfigMap cannot be read or written")
                        .Add({})),
      state_bytes(
          Gauges(*registry_, "precedent_descheduler_state_bytes", "Size of the state").Add({})),
      orders_open(Gauges(*registry_, "precedent_descheduler_orders_open",
                         "Placements that are not yet carried out to their end")
                      .Add({})),
      holds(
          Gauges(*registry_, "precedent_descheduler_holds", "Jobs for whom room is held").Add({})),
      history_records(Gauges(*registry_, "precedent_descheduler_history_records",
                             "Preempted pods that are remembered")
                          .Add({})),
      unreadable_objects(Gauges(*registry_, "precedent_descheduler_unreadable_objects",
                                "Of the newest lists; at most 100 are counted")
                             .Add({})),
      clock_skew_seconds(Gauges(*registry_, "precedent_descheduler_clock_skew_seconds",
                                "The API server's clock less this machine's")
                             .Add({})),
      lost_gpu_seconds(Counters(*registry_, "precedent_descheduler_lost_gpu_seconds_total",
                                "Work since the last checkpoint of those that were evicted")
                           .Add({})),
      events_lost(Counters(*registry_, "precedent_descheduler_events_lost_total",
                           "Events on victims that could not be written")
                      .Add({})),
      log_lines_dropped(
          Gauges(*registry_, "precedent_descheduler_log_lines_dropped", "Lines that nobody took")
              .Add({})),
      last_success_(Gauges(*registry_, "precedent_descheduler_last_success_timestamp_seconds",
                           "When a round last ended without a failure")
                        .Add({})),
      round_seconds_(
          Gauges(*registry_, "precedent_descheduler_round_seconds", "What the newest round took")
              .Add({})),
      rounds_(Counters(*registry_, "precedent_descheduler_rounds_total",
                       "Rounds by result: planned, evicted, standby, failed")),
      evictions_(Counters(*registry_, "precedent_descheduler_evictions_total",
                          "Pods by what became of their eviction: accepted, budget, changed, "
                          "forbidden, unanswered")),
      failing_(Gauges(*registry_, "precedent_descheduler_file_failing",
                      "1 while a file (policy, preemption, options) is not what is used")),
      jobs_(Gauges(*registry_, "precedent_descheduler_jobs",
                   "Of the newest plan: running, placed, placed_by_eviction, victims, unplaced")),
      unplaced_(Gauges(*registry_, "precedent_descheduler_unplaced",
                       "Jobs of the newest plan for whom there is no room, by reason")),
      endings_(Gauges(*registry_, "precedent_descheduler_endings",
                      "Attempts of pods and Jobs that are listed and ended, by cause")) {
  for (const char* result : {"planned", "evicted", "standby", "failed"}) {
    rounds_.Add({{"result", result}});
  }
  for (const char* result : {"accepted", "budget", "changed", "forbidden", "unanswered"}) {
    evictions_.Add({{"result", result}});
  }
  for (const char* file : {"policy", "preemption", "options"}) SetFileFailing(file, false);
}

void Metrics::CountRound(std::string_view result, double seconds) {
  rounds_.Add({{"result", std::string(result)}}).Increment();
  round_seconds_.Set(seconds);
  if (result == "failed") return;
  last_success_.Set(static_cast<double>(std::time(nullptr)));
  ready_.store(true);
}

void Metrics::CountEviction(std::string_view result) {
  evictions_.Add({{"result", std::string(result)}}).Increment();
}

void Metrics::SetFileFailing(std::string_view file, bool failing) {
  failing_.Add({{"file", std::string(file)}}).Set(failing ? 1 : 0);
}

void Metrics::SetPlan(const v1::PreemptionPlan& plan, std::size_t running) {
  const auto set = [&](const char* state, double count) {
    jobs_.Add({{"state", state}}).Set(count);
  };
  int by_eviction = 0, victims = 0;
  for (const v1::Placement& placement : plan.placements()) {
    by_eviction += placement.victims_size() > 0 ? 1 : 0;
    victims += placement.victims_size();
  }
  set("running", static_cast<double>(running));
  set("placed", plan.placements_size());
  set("placed_by_eviction", by_eviction);
  set("victims", victims);
  set("unplaced", plan.unplaced_size());
  for (int reason = v1::Unplaced::Reason_MIN + 1; reason <= v1::Unplaced::Reason_MAX; ++reason) {
    int count = 0;
    for (const v1::Unplaced& one : plan.unplaced()) count += one.reason() == reason ? 1 : 0;
    unplaced_
        .Add({{"reason", v1::Unplaced::Reason_Name(static_cast<v1::Unplaced::Reason>(reason))}})
        .Set(count);
  }
}

void Metrics::SetEndings(std::string_view cause, std::int64_t count) {
  endings_.Add({{"cause", std::string(cause)}}).Set(static_cast<double>(count));
}

Reply Metrics::Screen(const webhook::HttpHeader& header) {
  const absl::string_view path = PathOf(header.target());
  if (path != "/metrics" && path != "/healthz" && path != "/readyz") {
    return TextReply(404, "there are /metrics, /healthz and /readyz\n");
  }
  Reply reply;
  reply.status = 0;
  if (header.method() != http::verb::get && header.method() != http::verb::head) {
    reply = TextReply(405, "can only be read\n");
    reply.allow = "GET, HEAD";
  }
  return reply;
}

Reply Metrics::Handle(webhook::HttpRequest&& request, bool) {
  const absl::string_view path = PathOf(request.target());
  Reply reply = TextReply(200, "ok\n");
  if (path == "/readyz" && !ready_.load()) reply = TextReply(503, "no round has succeeded yet\n");
  if (path == "/metrics") {
    if (refresh) refresh();
    reply = TextReply(200, prometheus::TextSerializer().Serialize(registry_->Collect()));
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  }
  if (request.method() == http::verb::head) reply.body.clear();
  return reply;
}

}  // namespace precedent::descheduler
