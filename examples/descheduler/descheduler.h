// One round after the other: list, plan, write down, evict.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_DESCHEDULER_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_DESCHEDULER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api.h"
#include "cluster_source.h"
#include "desched_metrics.h"
#include "log.h"
#include "orders.h"
#include "policies.h"
#include "precedent/preemption.h"
#include "state_store.h"

namespace precedent::descheduler {

struct Options {
  webhook::ApiOptions api;
  std::chrono::milliseconds request_timeout{10'000};
  int page_size = 500;
  std::string namespace_name;
  std::string state;
  std::string identity;
  std::chrono::milliseconds lease{30'000};
  std::chrono::milliseconds interval{60'000};
  std::chrono::milliseconds least_interval{1'000};
  bool evict = false;
  bool once = false;
  std::vector<std::string> gang_keys;
};

// What is remembered is in the ConfigMap alone, and read anew each round, so that a restart
// at any point, and another replica, go on from the same.
class Descheduler {
 public:
  // All outlive it.
  Descheduler(Options options, Policies* policies, Metrics* metrics, webhook::Log* log);

  // Rounds until Stop, or one. False where the last one failed.
  bool Run();
  // From any thread: no request is begun any more, but for one that lets go of the state.
  void Stop();

 private:
  enum class Result { kPlanned, kEvicted, kStandby, kFailed };
  struct Round;

  Result RunRound();
  absl::Status Prepare(Round* round);
  absl::Status Plan(Round* round);
  // Orders of the plan, as many as can be written down.
  void Command(Round* round);
  absl::Status Save(Round* round, bool last);
  absl::Status Execute(Round* round);
  std::chrono::milliseconds MayGoOn(Round* round);
  bool MayLeave(const Round& round, const Order& order, const OrderVictim& victim,
                const std::string& pod);
  void Conclude(Round* round, const std::vector<Order>& orders);
  void LogPlan(const Round& round);
  Result Fail(const absl::Status& status);
  void WakeWithin(std::chrono::milliseconds time) { wake_ = std::min(wake_, time); }

  const Options options_;
  Policies* const policies_;
  Metrics* const metrics_;
  webhook::Log* const log_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> never_{false};
  Api api_;
  StateStore store_;
  ClusterSource source_;
  std::chrono::milliseconds wake_{0};
  // No eviction before this: a budget asked for patience.
  std::chrono::steady_clock::time_point patience_{};
  std::vector<std::string> remarks_;

  std::mutex mutex_;
  std::condition_variable woken_;
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_DESCHEDULER_H_
