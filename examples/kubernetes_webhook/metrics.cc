#include "metrics.h"

#include <array>
#include <utility>

#include <prometheus/text_serializer.h>

namespace precedent::webhook {
namespace {

constexpr std::array<const char*, 3> kOperations = {"CREATE", "UPDATE", "other"};
constexpr std::array<const char*, 4> kOutcomes = {"patched", "unchanged", "denied", "overload"};
// Of no decision, then the values of precedent.v1.Reason.
constexpr std::array<const char*, 4> kReasons = {"NONE", "DERIVED", "FALLBACK_NO_POLICY",
                                                 "FALLBACK_INVALID_INPUT"};
constexpr std::array<const char*, 4> kDrops = {"handshake", "timeout", "overload", "network"};

prometheus::Gauge& MakeGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Counter& MakeCounter(prometheus::Registry& registry, const char* name,
                                 const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

std::size_t OperationIndex(std::string_view operation) {
  return operation == kOperations[0] ? 0 : operation == kOperations[1] ? 1 : 2;
}

}  // namespace

Metrics::Metrics()
    : registry_(std::make_shared<prometheus::Registry>()),
      connections(MakeGauge(*registry_, "precedent_webhook_connections", "Open connections")),
      policy_generation(MakeGauge(*registry_, "precedent_webhook_policy_generation",
                                  "Generation of the policy that serves")),
      policy_live(MakeGauge(*registry_, "precedent_webhook_policy_live",
                            "1 where a policy serves, 0 where the fallback does")),
      policy_loaded_seconds(MakeGauge(*registry_, "precedent_webhook_policy_loaded_timestamp_seconds",
                                      "When the policy that serves was loaded")),
      policy_errors(MakeCounter(*registry_, "precedent_webhook_policy_errors_total",
                                "Times that the policy's file became unreadable, invalid or refused")),
      policy_failing(MakeGauge(*registry_, "precedent_webhook_policy_failing",
                               "1 while the policy's file is not what serves")),
      options_failing(MakeGauge(*registry_, "precedent_webhook_options_failing",
                                "1 while the options' file is not what serves")),
      certificate_errors(MakeCounter(*registry_, "precedent_webhook_certificate_errors_total",
                                     "Times that a new certificate or key was refused")),
      certificate_failing(MakeGauge(*registry_, "precedent_webhook_certificate_failing",
                                    "1 while the certificate's files are not what serves")),
      certificate_expiry_seconds(MakeGauge(*registry_,
                                           "precedent_webhook_certificate_expiry_timestamp_seconds",
                                           "When the certificate that serves expires")),
      log_lines_dropped(MakeGauge(*registry_, "precedent_webhook_log_lines_dropped",
                                  "Lines that the log's reader was too slow for")),
      reviews_(prometheus::BuildCounter()
                   .Name("precedent_webhook_reviews_total")
                   .Help("Answered reviews by operation, outcome and reason of the decision")
                   .Register(*registry_)),
      decisions_(prometheus::BuildCounter()
                     .Name("precedent_webhook_decisions_total")
                     .Help("Decisions by class; those of the policy and `other`")
                     .Register(*registry_)),
      http_errors_(prometheus::BuildCounter()
                       .Name("precedent_webhook_http_errors_total")
                       .Help("HTTP requests that got no review, by status")
                       .Register(*registry_)),
      dropped_(prometheus::BuildCounter()
                   .Name("precedent_webhook_connections_dropped_total")
                   .Help("Connections closed without an answer")
                   .Register(*registry_)),
      undecodable_(MakeCounter(*registry_, "precedent_webhook_undecodable_total",
                               "Reviews whose body could not be read")),
      oversize_(MakeCounter(*registry_, "precedent_webhook_oversize_total",
                            "Requests over the limit of a body")),
      overload_(MakeCounter(*registry_, "precedent_webhook_overload_total",
                            "Reviews answered with the fallback since there were too many")),
      seconds_(prometheus::BuildHistogram()
                   .Name("precedent_webhook_review_seconds")
                   .Help("From the last byte of a request to its answer")
                   .Register(*registry_)
                   .Add({}, prometheus::Histogram::BucketBoundaries{
                                2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 5e-2, 0.1, 1})),
      scores_(prometheus::BuildHistogram()
                  .Name("precedent_webhook_priority")
                  .Help("Priorities that decisions have")
                  .Register(*registry_)
                  .Add({}, prometheus::Histogram::BucketBoundaries{
                               0, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000,
                               5000, 9999})) {
  for (std::size_t operation = 0; operation < kOperations.size(); ++operation) {
    for (std::size_t outcome = 0; outcome < kOutcomes.size(); ++outcome) {
      for (std::size_t reason = 0; reason < kReasons.size(); ++reason) {
        by_review_[operation][outcome][reason] =
            &reviews_.Add({{"operation", kOperations[operation]},
                           {"outcome", kOutcomes[outcome]},
                           {"reason", kReasons[reason]}});
      }
    }
  }
  for (const char* why : kDrops) dropped_.Add({{"why", why}});
  SetClasses({});
}

void Metrics::SetClasses(const std::vector<std::string>& names) {
  const std::lock_guard<std::mutex> lock(classes_mutex_);
  // A class that is gone keeps its count: what Prometheus saw does not vanish. Policies
  // that keep inventing classes must not grow the set without end.
  constexpr std::size_t kMaxClasses = 256;
  const auto add = [this](const std::string& name) {
    if (classes_.size() < kMaxClasses && classes_.count(name) == 0) {
      classes_[name] = &decisions_.Add({{"class", name}});
    }
  };
  add("other");
  add("none");
  for (const std::string& name : names) add(name);
}

void Metrics::CountReview(const kubernetes::ReviewRecord& record, Outcome outcome,
                          std::chrono::nanoseconds took) {
  const std::size_t reason =
      record.decision ? static_cast<std::size_t>(record.decision->reason()) : 0;
  by_review_[OperationIndex(record.operation)][static_cast<std::size_t>(outcome)]
            [reason < kReasons.size() ? reason : 0]
                ->Increment();
  seconds_.Observe(std::chrono::duration<double>(took).count());
  if (!record.status.ok()) undecodable_.Increment();
  if (outcome == Outcome::kOverload) overload_.Increment();
  if (!record.decision) return;
  scores_.Observe(record.decision->priority());
  const std::string& name = record.decision->priority_class();
  const std::lock_guard<std::mutex> lock(classes_mutex_);
  const auto found = classes_.find(name.empty() ? "none" : name);
  (found != classes_.end() ? found->second : classes_.find("other")->second)->Increment();
}

void Metrics::CountHttpError(int status) {
  if (status == 413) oversize_.Increment();
  http_errors_.Add({{"status", std::to_string(status)}}).Increment();
}

void Metrics::CountDropped(std::string_view why) {
  dropped_.Add({{"why", std::string(why)}}).Increment();
}

std::string Metrics::Text() { return prometheus::TextSerializer().Serialize(registry_->Collect()); }

}  // namespace precedent::webhook
