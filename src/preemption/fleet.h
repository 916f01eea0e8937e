// The cluster as the planner keeps it from plan to plan: what does not depend on the time.
// Nodes and jobs have slots, numbers that stay as long as they are known.
#ifndef PRECEDENT_SRC_PREEMPTION_FLEET_H_
#define PRECEDENT_SRC_PREEMPTION_FLEET_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "precedent/v1/cluster.pb.h"
#include "src/preemption/budgets.h"

namespace precedent::internal {

// Where jobs of one kind may run.
struct Restriction {
  std::string accelerator;
  std::map<std::string, std::string> selector;
  std::vector<char> nodes;  // by slot

  bool Admits(int node) const { return nodes[static_cast<std::size_t>(node)] != 0; }
};

// What a job uses of a device.
struct Occupant {
  int job;
  int device;
  int milli;   // all its pods there
  int spread;  // on how many devices of this node it is
};

using Holds = std::map<std::string, v1::PlannerState::Hold>;  // by job

// What holds keep on a node.
struct HeldOnNode {
  std::vector<int> milli;    // by device
  std::vector<int> victims;  // who will leave it
};

struct FleetNode {
  v1::Node message;            // of one that is not known: the name alone
  bool known = false;          // else only pods speak of it
  bool changed = true;         // since the last Settle
  bool broken = false;         // more runs there than there is room
  bool assumed = false;        // some of its pods do not say which devices they have
  int first = 0;               // its first device among all
  int position = -1;           // among those known, by name
  std::vector<std::pair<int, int>> pods;  // job, number of the pod
  std::vector<Occupant> occupants;        // by device

  bool open() const { return known && !broken && !message.unschedulable(); }
  int gpus() const { return message.gpus(); }
};

// What every plan reads of every job: apart from the rest, since there are many.
struct JobNumbers {
  bool used = false;  // the slot
  bool waits = false, may_leave = false, consents = false;
  int rank = -1;      // of its class; -1: in no order
  std::int32_t preemption_priority = 0;
  int evictions = 0;
  double gpus = 0;      // of all its pods
  double interval = 0;  // seconds
  std::int64_t started = 0, least_run = 0;  // microseconds
  std::int64_t checkpoint = INT64_MIN;      // INT64_MIN: it names none
};

struct FleetJob {
  v1::ClusterJob message;
  bool runs = false, waits = false, half = false, stops = false;
  bool may_leave = false;  // runs, and is neither `system-*` nor of a class never evicted
  std::int64_t submitted = 0, started = 0;  // microseconds
  std::vector<int> nodes;    // where its pods are, each once
  std::vector<int> budgets;  // that select it, ascending
  std::shared_ptr<const Restriction> where;  // of one that waits

  // By people.
  const std::string& called() const {
    return message.name().empty() ? message.id() : message.name();
  }
};

class Fleet {
 public:
  // `policy` outlives it.
  explicit Fleet(const v1::PreemptionPolicy& policy);
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void PutNode(const v1::Node& node);
  void PutJob(const v1::ClusterJob& job);
  void RemoveNode(std::string_view name);
  void RemoveJob(std::string_view id);
  void SetClassOrder(const std::vector<std::string>& most_important_first);

  // Brings up to date what follows from several changes, for a plan with these holds.
  // O(what changed + holds), and O(nodes log nodes + pods) where a node came or went.
  void Settle(const Holds& holds, std::int64_t now);

  // What a hold keeps of a device for this pod of its job (-1: it is not known).
  int HeldMilli(int holder, const std::string& pod) const;
  // Those of its victims that still use their room.
  std::vector<int> VictimsOf(const v1::PlannerState::Hold& hold, std::int64_t now) const;

  const std::vector<FleetNode>& nodes() const { return nodes_; }
  const std::vector<FleetJob>& jobs() const { return jobs_; }
  const std::vector<JobNumbers>& numbers() const { return numbers_; }  // of jobs
  // -1: not known.
  int FindNode(std::string_view name) const;
  int FindJob(std::string_view id) const;
  const BudgetIndex& budget_index() const { return budget_index_; }
  // Jobs that run and that the budget selects.
  int Running(int budget) const { return running_[static_cast<std::size_t>(budget)]; }
  std::vector<int> JobsOn(int node) const;

  // After Settle: known nodes by name; the devices of the largest; what running pods leave
  // of each device.
  const std::vector<int>& order() const { return order_; }
  int largest() const { return largest_; }
  const std::vector<int>& free() const { return free_; }

 private:
  int NodeSlot(const std::string& name);
  void ForgetNode(int slot);
  void Attach(int slot);
  void Detach(int slot);
  int RankOf(const v1::ClusterJob& job) const;
  std::shared_ptr<const Restriction> RestrictionOf(const v1::ClusterJob& job);
  void Admit(Restriction* restriction, int slot) const;
  void Build(FleetNode* node, const HeldOnNode* held);
  std::map<int, HeldOnNode> HeldNodes(const Holds& holds, std::int64_t now) const;
  void LayOut();

  const v1::PreemptionPolicy& policy_;
  const BudgetIndex budget_index_;
  std::vector<FleetNode> nodes_;
  std::vector<FleetJob> jobs_;
  std::vector<JobNumbers> numbers_;
  std::vector<int> spare_nodes_, spare_jobs_, changed_;
  absl::flat_hash_map<std::string, int> node_slots_, job_slots_;
  absl::flat_hash_map<std::string, int> class_rank_;
  std::map<std::string, std::weak_ptr<Restriction>> restrictions_;
  std::vector<int> running_;  // by budget
  std::vector<int> order_, free_;
  std::vector<int> held_;  // nodes that were built beside holds
  int largest_ = 0;
  bool laid_out_ = false;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_FLEET_H_
