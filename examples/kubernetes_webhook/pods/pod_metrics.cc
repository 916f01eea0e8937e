#include "pod_metrics.h"

#include <algorithm>
#include <ctime>

#include <prometheus/text_serializer.h>

#include "absl/strings/string_view.h"

namespace precedent::webhook {
namespace {

namespace http = boost::beast::http;

constexpr std::array<std::string_view, 4> kErrors = {"list", "watch", "gone", "unreadable"};

prometheus::Gauge& MakeGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
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

PodMetrics::PodMetrics(const PodTable* table)
    : table_(table),
      last_event_(Now()),
      registry_(std::make_shared<prometheus::Registry>()),
      pods_(prometheus::BuildGauge()
                .Name("precedent_pods")
                .Help("Pods that have not ended by priority class and state: pending (no node yet), "
                      "starting, running")
                .Register(*registry_)),
      oldest_wait_(prometheus::BuildGauge()
                       .Name("precedent_pods_oldest_wait_seconds")
                       .Help("Since when the oldest pending pod of a class waits; 0: there is none")
                       .Register(*registry_)),
      untracked_(MakeGauge(*registry_, "precedent_pods_untracked",
                           "Above 0: there was no room for some pods, and the counts are too low")),
      event_age_(MakeGauge(*registry_, "precedent_pods_last_event_age_seconds",
                           "Since the API server last told anything")),
      synced_(MakeGauge(*registry_, "precedent_pods_synced",
                        "1 once all pods have been listed, 0 before")),
      lists_(prometheus::BuildCounter()
                 .Name("precedent_pods_lists_total")
                 .Help("Times that all pods were listed")
                 .Register(*registry_)
                 .Add({})) {
  auto& errors = prometheus::BuildCounter()
                     .Name("precedent_pods_watch_errors_total")
                     .Help("Errors in listing and watching")
                     .Register(*registry_);
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    errors_[i] = &errors.Add({{"during", std::string(kErrors[i])}});
  }
}

std::string_view PodMetrics::ErrorName(Error error) {
  return kErrors[static_cast<std::size_t>(error)];
}

void PodMetrics::OnListed() {
  lists_.Increment();
  listed_.store(true);
}

Reply PodMetrics::Screen(const HttpHeader& header) {
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

Reply PodMetrics::Handle(HttpRequest&& request, bool) {
  const absl::string_view path = PathOf(request.target());
  Reply reply = path == "/healthz"  ? TextReply(200, "ok\n")
                : path == "/metrics" ? TextReply(200, Text())
                : listed_.load()     ? TextReply(200, "all pods are listed\n")
                                     : TextReply(503, "the pods are not listed yet\n");
  if (path == "/metrics") reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  if (request.method() == http::verb::head) reply.body.clear();
  return reply;
}

std::string PodMetrics::Text() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::int64_t now = std::time(nullptr);
  for (const PodTable::Class& one : table_->Classes()) {
    const auto set = [&](const char* state, std::size_t count) {
      pods_.Add({{"class", one.name}, {"state", state}}).Set(static_cast<double>(count));
    };
    set("pending", one.pending);
    set("starting", one.starting);
    set("running", one.running);
    const std::int64_t wait = one.oldest == 0 ? 0 : std::max<std::int64_t>(0, now - one.oldest);
    oldest_wait_.Add({{"class", one.name}}).Set(static_cast<double>(wait));
  }
  untracked_.Set(static_cast<double>(table_->untracked()));
  event_age_.Set(std::chrono::duration<double>(Now() - last_event_.load()).count());
  synced_.Set(listed_.load() ? 1 : 0);
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace precedent::webhook
