// One plan: the cluster as arrays, and the jobs that wait placed one after the other.
#ifndef PRECEDENT_SRC_PREEMPTION_ROUND_H_
#define PRECEDENT_SRC_PREEMPTION_ROUND_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::internal {

absl::Status CheckPolicy(const v1::PreemptionPolicy& policy);
absl::Status CheckNode(const v1::Node& node);
absl::Status CheckJob(const v1::ClusterJob& job);
absl::Status CheckState(const v1::PlannerState& state);
// Microseconds; messages have passed a check.
std::int64_t Micros(const google::protobuf::Timestamp& time);
google::protobuf::Timestamp ToTimestamp(std::int64_t micros);

constexpr std::int64_t kSecond = 1'000'000;  // of Micros

struct PlannerData {
  v1::PreemptionPolicy policy;
  std::map<std::string, v1::Node> nodes;
  std::map<std::string, v1::ClusterJob> jobs;
  std::map<std::string, int> class_rank;
  std::map<std::string, v1::PlannerState::Hold> holds;
  std::vector<v1::PlannerState::Eviction> evictions;
};

struct RoundJob {
  const v1::ClusterJob* message = nullptr;
  int rank = -1;  // of its class; -1: in no order
  bool runs = false, waits = false, half = false, stops = false;
  bool may_leave = false;  // neither `system-*` nor of a class never evicted, and runs
  bool consents = false, fresh = false;
  bool gone = false;  // victim of this plan, or of a hold
  std::int64_t legal_from = 0, started = 0;
  double lost = 0, cost = 0;
  std::vector<std::pair<int, int>> places;  // node, device (by pod and device)

  // By people.
  const std::string& called() const {
    return message->name().empty() ? message->id() : message->name();
  }
};

struct Occupant {
  int job;
  int milli;
};
struct RoundNode {
  const v1::Node* message = nullptr;
  std::vector<int> free;                         // by device; what nobody uses or holds
  std::vector<std::vector<Occupant>> occupants;  // by device; running jobs that may leave
  bool broken = false;                           // more runs there than there is room
  std::uint32_t version = 0;
};

struct HeldRoom {
  int node;
  int device;
  int milli;
};
struct RoundHold {
  std::string job;
  int holder = -1;  // -1: not known
  bool over = false;
  std::vector<HeldRoom> room;
  std::vector<int> victims;
};

struct Choice {
  bool found = false;
  double cost = 0;
  std::vector<int> victims;  // by index, which is by id
};

class Round {
 public:
  Round(const PlannerData& data, std::int64_t now);
  v1::PreemptionPlan Run();

 private:
  enum Rule : unsigned { kConsent = 1, kFresh = 2, kHolds = 4 };
  struct Spot {
    int node = -1;
    std::vector<int> devices;
  };
  using Free = std::vector<std::vector<int>>;

  void AddJobs();
  void AddRunning();
  void Assume(std::vector<std::tuple<std::int64_t, int, int>>* unknown, int node);
  void AddHolds();
  void Occupy(int job, int node, int device, int milli);
  void Vacate(int job);

  bool Lower(const RoundJob& victim, const RoundJob& preemptor) const;
  bool MayEvict(const RoundJob& victim, const RoundJob& preemptor, unsigned rules) const;
  bool MayRun(const RoundJob& job, const RoundNode& node) const;
  bool BudgetAllows(const std::vector<int>& victims) const;
  bool Better(const Choice& a, const Choice& b) const;
  Choice Make(std::vector<int> victims) const;

  // search.cc
  Choice OnNode(const RoundJob& job, int pod, int node, bool budgets) const;
  Choice Single(int job);
  Choice Gang(int job);
  Choice Greedy(int job);
  bool Fits(const RoundJob& job, const Free& free, std::vector<Spot>* spots) const;
  bool FitsFrom(const RoundJob& job, const std::vector<int>& order, std::size_t at, Free* free,
                std::vector<Spot>* spots, int* steps) const;
  Free Room(const std::vector<int>& gone) const;

  bool Possible(int job, unsigned rules);
  void Place(int job);
  // It gets its places, and its victims leave.
  void Take(int job, const Choice& choice, const std::vector<Spot>& spots);
  void Refuse(int job);
  void SetHold(int hold, int sign);
  void CloseHold(int hold);
  int StillStopping(int node, int device, const std::vector<int>& opened) const;
  void OpenHolds(int job, std::vector<int>* opened);
  void Wake(std::int64_t when);

  const PlannerData& data_;
  const std::int64_t now_;
  std::int64_t gap_, min_runtime_, restart_;
  std::vector<RoundJob> jobs_;
  std::vector<RoundNode> nodes_;
  std::vector<RoundHold> holds_;
  absl::flat_hash_map<std::string, int> job_index_, node_index_;
  std::vector<int> limits_, taken_;  // by budget
  int minute_ = 0;
  absl::flat_hash_map<std::string, int> node_minute_;
  struct Cached {
    std::uint32_t version = UINT32_MAX;
    Choice choice;
  };
  // By whom and what a room is for: priority, class, whether it may evict, and size.
  std::map<std::tuple<std::int32_t, int, bool, std::int64_t>, std::vector<Cached>> cache_;
  v1::PreemptionPlan plan_;
  std::int64_t wake_ = INT64_MAX;
};

bool BudgetSelects(const v1::DisruptionBudget& budget, const std::string& priority_class,
                   const google::protobuf::Map<std::string, std::string>& labels);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_ROUND_H_
