// What outlives the program: it is written before anything is evicted.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_STATE_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_STATE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "precedent/time.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::descheduler {

// The API server stores objects of 1 MiB at most, with what is around it.
constexpr std::size_t kMaxStateBytes = 900 << 10;

struct OrderPod {
  std::string namespace_name;
  std::string name;
  std::string uid;
  // For its history: what its successors share (see Adapter::Describe), and since when it is.
  std::string lineage_key;
  TimePoint created{};
};

struct OrderVictim {
  std::string job;
  std::string reason;
  std::vector<OrderPod> pods;
};

// One placement that is being carried out.
struct Order {
  std::string job;  // for whom
  TimePoint given{};
  std::vector<OrderVictim> victims;
  std::vector<std::string> nodes;  // that it frees, or uses
  // It was given up half-way. Until those that were evicted are gone nobody else is evicted
  // for that job.
  bool stopped = false;
};

// A pod that was preempted; `owner` is its namespace, `lineage_key` as of OrderPod.
struct HistoryRecord {
  std::string uid, owner, lineage_key;
  TimePoint created{};
  TimePoint ended{};
  std::int64_t before = 0;  // preemptions of those that it replaced
};

struct State {
  std::string owner;                   // who wrote it last
  TimePoint renewed{};                 // when, by the API server's clock
  std::chrono::milliseconds lease{0};  // for how long nobody else acts; 0: it has let go
  std::vector<Order> orders;
  v1::PlannerState planner;
  std::vector<HistoryRecord> history;
};

// One line of JSON. Linear.
std::string WriteState(const State& state);

// INVALID_ARGUMENT: what is damaged, or FAILED_PRECONDITION: a version that this program
// does not know. Nothing half-read is ever given.
absl::StatusOr<State> ReadState(std::string_view json);

// `WriteState` of a state that fits: the oldest history is dropped where it does not.
// RESOURCE_EXHAUSTED where that is not enough.
absl::StatusOr<std::string> FitState(State* state, std::size_t max_bytes = kMaxStateBytes);

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_STATE_H_
