// Evicts pods, each once.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_EVICTOR_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_EVICTOR_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api.h"
#include "desched_metrics.h"
#include "log.h"
#include "state.h"

namespace precedent::descheduler {

// What became of an order.
enum class Carried {
  kDone,     // every pod's eviction was accepted, or the pod was leaving anyway
  kStopped,  // refused, or the cluster has changed: the rest of it is not evicted
  kLeft,     // no answer, or no right to go on: perhaps later
};

// Not thread-safe.
class Evictor {
 public:
  struct Hooks {
    // Asked before each request that evicts: for how long this one still owns the state
    // (renewing that where needed); 0: not at all, and nothing more is evicted.
    std::function<std::chrono::milliseconds()> may_go_on;
    // Whether a pod that still runs, as it is now (JSON), may still leave because of `order`.
    std::function<bool(const Order& order, const OrderVictim& victim, const std::string& pod)>
        may_leave;
    // A pod is leaving because of `order`.
    std::function<void(const Order& order, const OrderVictim& victim, const OrderPod& pod)> left;
  };
  // All outlive it.
  Evictor(Api* api, Hooks hooks, std::string identity, Metrics* metrics, webhook::Log* log,
          const std::atomic<bool>* stop);

  // One after the other. Where one stops, later ones with a node of it stop unevicted: they
  // may have counted on its room. The answer is in the order of `orders`.
  std::vector<Carried> CarryOut(const std::vector<Order>& orders);

  // The longest Retry-After of what was refused since the last CarryOut began.
  std::chrono::seconds retry_after() const { return retry_after_; }

 private:
  enum class Outcome { kAccepted, kLeaving, kBudget, kChanged, kForbidden, kUnanswered, kNotMine };
  Carried CarryOutOne(const Order& order);
  Outcome Evict(const Order& order, const OrderVictim& victim, const OrderPod& pod,
                std::string* said);
  enum class Look { kUnknown, kGone, kStops, kEnded, kRuns };
  // What became of the pod; `*json` is all of it where it runs.
  Look LookAt(const OrderPod& pod, std::string* json, std::string* resource_version);
  void WriteEvent(const OrderVictim& victim, const OrderPod& pod);
  void Pause(int attempt);

  Api* const api_;
  const Hooks hooks_;
  const std::string identity_;
  Metrics* const metrics_;
  webhook::Log* const log_;
  const std::atomic<bool>* const stop_;
  std::chrono::seconds retry_after_{0};
  bool lost_ = false;  // the state is somebody else's
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_EVICTOR_H_
