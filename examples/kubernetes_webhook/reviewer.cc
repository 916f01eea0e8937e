#include "reviewer.h"

#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "precedent/time.h"

namespace precedent::webhook {
namespace {

namespace http = boost::beast::http;

Reply Text(int status, std::string body) {
  Reply reply;
  reply.status = status;
  reply.content_type = "text/plain; charset=utf-8";
  reply.body = std::move(body);
  return reply;
}

// The path of a target: the API server adds `?timeout=2s`.
absl::string_view PathOf(boost::beast::string_view target) {
  const absl::string_view whole(target.data(), target.size());
  return whole.substr(0, whole.find('?'));
}

bool IsJson(boost::beast::string_view content_type) {
  absl::string_view type(content_type.data(), content_type.size());
  type = absl::StripAsciiWhitespace(type.substr(0, type.find(';')));
  return absl::EqualsIgnoreCase(type, "application/json");
}

Outcome OutcomeOf(const kubernetes::ReviewRecord& record, bool overload) {
  if (overload) return Outcome::kOverload;
  if (!record.allowed) return Outcome::kDenied;
  return record.patched ? Outcome::kPatched : Outcome::kUnchanged;
}

}  // namespace

Reviewer::Reviewer(Options options, LiveEvaluator* live, Metrics* metrics, Log* log,
                   const std::atomic<bool>* draining)
    : options_(std::move(options)), live_(live), metrics_(metrics), log_(log), draining_(draining) {}

void Reviewer::SetAdapter(kubernetes::Adapter adapter) {
  auto next = std::make_shared<const kubernetes::Adapter>(std::move(adapter));
  const std::lock_guard<std::mutex> lock(mutex_);
  adapter_.swap(next);
}

Reply Reviewer::Screen(const HttpHeader& header) {
  const absl::string_view path = PathOf(header.target());
  const bool read = header.method() == http::verb::get || header.method() == http::verb::head;
  Reply go_on;
  go_on.status = 0;
  if (path == "/mutate" && !options_.metrics_only) {
    if (header.method() != http::verb::post) {
      Reply reply = Text(405, "reviews are posted\n");
      reply.allow = "POST";
      return reply;
    }
    if (!IsJson(header[http::field::content_type])) {
      return Text(415, "a review has the content type application/json\n");
    }
    return go_on;
  }
  if (path == "/healthz" || path == "/readyz" || (path == "/metrics" && options_.metrics_only)) {
    if (read) return go_on;
    Reply reply = Text(405, "can only be read\n");
    reply.allow = "GET, HEAD";
    return reply;
  }
  return Text(404, options_.metrics_only ? "there are /metrics, /healthz and /readyz\n"
                                         : "there are /mutate, /healthz and /readyz\n");
}

Reply Reviewer::Handle(HttpRequest&& request, bool overload) {
  const absl::string_view path = PathOf(request.target());
  if (path == "/mutate") return Mutate(request.body(), overload);
  if (path == "/metrics" && options_.refresh) options_.refresh();
  Reply reply = path == "/healthz" ? Text(200, "ok\n")
                : path == "/readyz" ? Readiness()
                                    : Text(200, metrics_->Text());
  if (path == "/metrics") reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  if (request.method() == http::verb::head) reply.body.clear();
  return reply;
}

Reply Reviewer::Mutate(const std::string& body, bool overload) {
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const kubernetes::Adapter> adapter;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    adapter = adapter_;
  }
  kubernetes::ReviewRecord record;
  Reply reply;
  {
    const LiveEvaluator::Guard guard = live_->read();
    reply.body = adapter->Review(
        body, overload ? nullptr : guard.evaluator(),
        std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now()),
        &record);
  }
  metrics_->CountReview(record, OutcomeOf(record, overload),
                        std::chrono::steady_clock::now() - begin);
  LogReview(record);
  return reply;
}

Reply Reviewer::Readiness() {
  if (draining_->load()) return Text(503, "draining\n");
  const LiveEvaluator::Guard guard = live_->read();
  if (guard.evaluator() == nullptr) {
    return options_.ready_without_policy ? Text(200, "no policy: the fallback serves\n")
                                         : Text(503, "no policy\n");
  }
  const std::string_view fingerprint = guard.evaluator()->fingerprint();
  return Text(200, absl::StrCat("policy ", absl::string_view(fingerprint.data(), fingerprint.size()),
                                " generation ", guard.evaluator()->generation(), "\n"));
}

void Reviewer::LogReview(const kubernetes::ReviewRecord& record) {
  if (!record.status.ok()) {
    log_->Write(LogLevel::kWarning, "undecodable review",
                {{"uid", std::string_view(record.uid)},
                 {"error", std::string_view(record.status.message().data(),
                                            record.status.message().size())}});
  }
  const bool denied = !record.allowed;
  const LogLevel level = denied ? LogLevel::kInfo : LogLevel::kDebug;
  if (!record.decision || !log_->enabled(level)) return;
  const v1::Decision& decision = *record.decision;
  const std::string rules = absl::StrJoin(decision.rules(), ",");
  log_->Write(level, denied ? "denied" : "decided",
              {{"uid", std::string_view(record.uid)},
               {"user", std::string_view(record.user)},
               {"object", std::string_view(decision.job())},
               {"kind", std::string_view(decision.kind())},
               {"priority", decision.priority()},
               {"class", std::string_view(decision.priority_class())},
               {"reason", std::string_view(v1::Reason_Name(decision.reason()))},
               {"rules", std::string_view(rules)},
               {"denial", std::string_view(decision.denial())},
               {"policy", std::string_view(decision.policy_fingerprint())}});
}

}  // namespace precedent::webhook
