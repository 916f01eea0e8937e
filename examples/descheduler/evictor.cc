#include "evictor.h"

#include <simdjson.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "fields.h"
#include "precedent/kubernetes_cluster.h"

namespace precedent::descheduler {
namespace {

constexpr int kTries = 4;
constexpr std::chrono::milliseconds kPause{100};
constexpr std::size_t kMaxEventName = 200;
constexpr std::size_t kMaxEventNote = 1000;  // the API server takes 1024

std::string PathOf(const OrderPod& pod) {
  return absl::StrCat("/api/v1/namespaces/", pod.namespace_name, "/pods/", pod.name);
}

std::string Quoted(std::string_view text, std::size_t max_bytes = std::string::npos) {
  std::string out = "\"";
  webhook::AppendEscaped(text, max_bytes, &out);
  return out + "\"";
}

}  // namespace

Evictor::Evictor(Api* api, Hooks hooks, std::string identity, Metrics* metrics, webhook::Log* log,
                 const std::atomic<bool>* stop)
    : api_(api),
      hooks_(std::move(hooks)),
      identity_(std::move(identity)),
      metrics_(metrics),
      log_(log),
      stop_(stop) {}

std::vector<Carried> Evictor::CarryOut(const std::vector<Order>& orders) {
  retry_after_ = std::chrono::seconds(0);
  lost_ = false;
  std::vector<Carried> carried;
  std::set<std::string> spoiled;
  for (const Order& order : orders) {
    const bool mixed = std::any_of(order.nodes.begin(), order.nodes.end(),
                                   [&](const auto& node) { return spoiled.count(node) > 0; });
    Carried one = Carried::kStopped;
    if (lost_ || stop_->load()) {
      one = Carried::kLeft;
    } else if (!mixed) {
      one = CarryOutOne(order);
    }
    if (one != Carried::kDone) spoiled.insert(order.nodes.begin(), order.nodes.end());
    carried.push_back(one);
  }
  return carried;
}

Carried Evictor::CarryOutOne(const Order& order) {
  for (const OrderVictim& victim : order.victims) {
    for (const OrderPod& pod : victim.pods) {
      if (stop_->load()) return Carried::kLeft;
      std::string said;
      const Outcome outcome = Evict(order, victim, pod, &said);
      constexpr const char* kNames[] = {"accepted",  "changed",    "budget",    "changed",
                                        "forbidden", "unanswered", "unanswered"};
      const char* const name = kNames[static_cast<std::size_t>(outcome)];
      const bool gone = outcome == Outcome::kAccepted || outcome == Outcome::kLeaving;
      if (outcome != Outcome::kNotMine) metrics_->CountEviction(name);
      log_->Write(gone ? webhook::LogLevel::kInfo : webhook::LogLevel::kWarning, "eviction",
                  {{"result", outcome == Outcome::kLeaving ? "leaving" : name},
                   {"namespace", std::string_view(pod.namespace_name)},
                   {"pod", std::string_view(pod.name)},
                   {"uid", std::string_view(pod.uid)},
                   {"job", std::string_view(victim.job)},
                   {"for", std::string_view(order.job)},
                   {"reason", std::string_view(victim.reason)},
                   {"answer", std::string_view(said)}});
      if (outcome == Outcome::kNotMine) {
        lost_ = true;
        return Carried::kLeft;
      }
      if (outcome == Outcome::kUnanswered) return Carried::kLeft;
      if (!gone) return Carried::kStopped;
      hooks_.left(order, victim, pod);
      if (outcome == Outcome::kAccepted) WriteEvent(victim, pod);
    }
  }
  return Carried::kDone;
}

Evictor::Outcome Evictor::Evict(const Order& order, const OrderVictim& victim, const OrderPod& pod,
                                std::string* said) {
  bool asked = false;  // an eviction was sent of which it is not known what became
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > 0) Pause(attempt);
    if (stop_->load()) break;
    std::string json, version;
    const Look look = LookAt(pod, &json, &version);
    if (look == Look::kUnknown) continue;
    if (look == Look::kStops) return asked ? Outcome::kAccepted : Outcome::kLeaving;
    if (look == Look::kGone && asked) return Outcome::kAccepted;
    if (look != Look::kRuns || !hooks_.may_leave(order, victim, json)) {
      *said = "it has changed since it was listed";
      return Outcome::kChanged;
    }
    const std::chrono::milliseconds left = hooks_.may_go_on();
    if (left.count() <= 0) {
      *said = "the state is not this one's any more";
      return Outcome::kNotMine;
    }
    // At last as it is: a pod that changes all the time is nothing special.
    if (attempt + 1 == kTries && !asked) version.clear();
    const Answer answer = api_->Call(
        "POST", PathOf(pod) + "/eviction",
        kubernetes::EvictionJson({pod.namespace_name, pod.name, pod.uid}, version), left);
    *said = answer.error;
    if (answer.ok()) return Outcome::kAccepted;
    switch (answer.status) {
      case 429:
        retry_after_ = std::max(retry_after_, answer.retry_after);
        return Outcome::kBudget;
      case 409:
        if (!version.empty()) continue;
        return Outcome::kChanged;
      case 404:
        return asked ? Outcome::kAccepted : Outcome::kChanged;
      case 400:
      case 401:
      case 403:
      case 405:
      case 422:
        return Outcome::kForbidden;
      default:
        asked = true;
        break;
    }
  }
  // The last one may have done it, too.
  std::string json, version;
  if (asked) {
    const Look look = LookAt(pod, &json, &version);
    if (look == Look::kGone || look == Look::kStops) return Outcome::kAccepted;
  }
  return Outcome::kUnanswered;
}

Evictor::Look Evictor::LookAt(const OrderPod& pod, std::string* json,
                              std::string* resource_version) {
  Answer answer = api_->Call("GET", PathOf(pod));
  if (answer.status == 404 && answer.whole) return Look::kGone;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (!answer.ok() || parser.parse(answer.body).get(root)) return Look::kUnknown;
  const std::string uid = Text(root, "metadata", "uid");
  if (uid.empty()) return Look::kUnknown;
  if (uid != pod.uid) return Look::kGone;
  if (IsStopping(root)) return Look::kStops;
  const std::string phase = Text(root, "status", "phase");
  if (phase == "Succeeded" || phase == "Failed") return Look::kEnded;
  *resource_version = Text(root, "metadata", "resourceVersion");
  *json = std::move(answer.body);
  return Look::kRuns;
}

void Evictor::WriteEvent(const OrderVictim& victim, const OrderPod& pod) {
  const std::string now = absl::FormatTime(
      "%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMicros(api_->Latest().time_since_epoch().count()),
      absl::UTCTimeZone());
  // One per pod: writing it again is refused.
  const std::string name =
      absl::StrCat(pod.name.substr(0, kMaxEventName), ".", pod.uid.substr(0, 36));
  const std::string body = absl::StrCat(
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":)", Quoted(name), R"(,"namespace":)",
      Quoted(pod.namespace_name),
      R"(},"involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":)",
      Quoted(pod.namespace_name), R"(,"name":)", Quoted(pod.name), R"(,"uid":)", Quoted(pod.uid),
      R"(},"type":"Warning","reason":"PrecedentPreempted","message":)",
      Quoted(victim.reason, kMaxEventNote), R"(,"firstTimestamp":")", now, R"(","lastTimestamp":")",
      now,
      R"(","count":1,"source":{"component":"precedent-descheduler"},)"
      R"("reportingComponent":"precedent-descheduler","reportingInstance":)",
      Quoted(identity_, 128), "}");
  const Answer answer =
      api_->Call("POST", absl::StrCat("/api/v1/namespaces/", pod.namespace_name, "/events"), body);
  if (answer.ok() || answer.status == 409) return;
  metrics_->events_lost.Increment();
  log_->Write(webhook::LogLevel::kDebug, "event lost", {{"error", std::string_view(answer.error)}});
}

void Evictor::Pause(int attempt) { std::this_thread::sleep_for(kPause * (1 << attempt)); }

}  // namespace precedent::descheduler
