// How often each job was preempted already.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_HISTORY_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_HISTORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "precedent/lineage.h"
#include "precedent/time.h"
#include "precedent/v1/lineage.pb.h"
#include "state.h"

namespace precedent::descheduler {

// Pods come and go; what stays is their controller. Pods that are listed, with what became
// of them, and those that were preempted before make one LineageGraph, in which a pod that
// replaces another inherits its count. A new one for each round: memory follows the list.
// Not thread-safe.
class History {
 public:
  static constexpr std::size_t kMaxRecords = 1000;
  static constexpr std::chrono::hours kKept{7 * 24};

  explicit History(const std::vector<HistoryRecord>& records);

  // Of one pod or Job, as Adapter::Events tells. Known ones are told again freely.
  void Observe(const std::vector<v1::LineageEvent>& events);
  // All that is listed was observed. Once.
  void Connect();

  // After Connect. The count of a pod; 0 where it is not known.
  std::int32_t Evictions(const std::string& uid) const;
  // Adds what a pod's successors share to its name.
  void Describe(OrderPod* pod) const;
  // A pod is leaving, or has left, because of an order. Nothing where it ended by itself.
  void Evicted(const OrderPod& pod, TimePoint when);
  // To be kept: the newest, none older than kKept.
  std::vector<HistoryRecord> Records(TimePoint now) const;

  // Endings that are listed: preempted, infrastructure, own, other.
  using Endings = std::array<std::int64_t, 4>;
  const Endings& endings() const { return endings_; }

 private:
  struct Seen {
    std::string owner, key;
    TimePoint created{};
    std::int64_t before = 0;
    std::vector<v1::JobEvent> events;
  };

  std::unordered_map<std::string, Seen> seen_;
  LineageGraph graph_;
  Endings endings_{};
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_HISTORY_H_
