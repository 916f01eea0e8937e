// What is free on each device while a plan is made, and for whom.
//
// Holds keep room for their jobs. A hold is open to its own job and to those more
// important by the gap: for them its room counts as free, and so does what its victims,
// who still stop, will leave. For all others both are taken.
#ifndef PRECEDENT_SRC_PREEMPTION_ROOM_H_
#define PRECEDENT_SRC_PREEMPTION_ROOM_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/preemption/facts.h"
#include "src/preemption/fleet.h"

namespace precedent::internal {

struct Hold {
  const v1::PlannerState::Hold* message;
  int holder;  // -1: not known
  bool over = false;
  struct Part {
    int node, device, milli;
  };
  std::vector<Part> room;
  std::vector<int> victims;  // that still stop
};

// Devices of one pod.
struct Spot {
  int node = -1;
  std::vector<int> devices;
};

class Room {
 public:
  // All outlive it. Victims of holds become `gone` in `facts`.
  Room(const Fleet& fleet, const Holds& holds, Facts* facts);

  enum class Held { kKept, kIgnored };
  // What is free for whom `below` is the bound (Kind), by device of the node.
  void Devices(int node, std::int64_t below, Held held, std::vector<int>* free) const;
  // Devices for a pod, by a node's free ones: those of the lowest numbers, or the fullest
  // that a share fits on. False: it does not fit.
  static bool Fit(const std::vector<int>& free, std::int64_t milli, std::vector<int>* devices);

  void Vacate(int job);
  void Take(const Spot& spot, std::int64_t milli);
  // It is no candidate.
  void Spare(int job);
  // Undoes all of these since `mark` was taken, those that vacated come back.
  std::size_t Mark() const { return steps_.size(); }
  void Rollback(std::size_t mark);

  // The turn of a job that has a hold: the hold ends, and what its victims will leave is
  // free until the turn ends.
  const Hold* BeginTurn(int job);
  // Ends holds whose room was taken in it.
  void EndTurn(int job);
  // What those who leave still use of a device, but for victims of holds that are open.
  int StillStopping(int node, int device, std::int64_t below, const Hold* own) const;

  bool Open(const Hold& hold, std::int64_t below) const;
  const std::vector<Hold>& holds() const { return holds_; }
  // Nodes in the order in which anything changed there.
  const std::vector<int>& changes() const { return changes_; }
  std::uint32_t version(int node) const { return versions_[static_cast<std::size_t>(node)]; }

 private:
  struct Step {
    enum What { kVacated, kSpared, kTaken } what;
    int job;  // of kTaken: -1
    int node, device, milli;
  };

  void Changed(int node) {
    ++versions_[static_cast<std::size_t>(node)];
    changes_.push_back(node);
  }
  int& free(int node, int device) {
    return free_[static_cast<std::size_t>(fleet_.nodes()[node].first + device)];
  }
  void AddHold(const v1::PlannerState::Hold& message);
  void Close(int hold, std::int64_t opened_below);
  void Give(int job, int sign);
  // What a hold keeps on a node beyond what its victims still use there.
  void Keep(const Hold& hold, int node, std::vector<int>* free) const;
  // What its victims use there, given back.
  void Leave(const Hold& hold, int node, std::vector<int>* free) const;
  const std::vector<int>* HoldsOn(int node) const;
  bool TakenInTurn(int node, int device) const;

  const Fleet& fleet_;
  Facts& facts_;
  std::vector<int> free_;  // by device of all, without holds
  std::vector<std::uint32_t> versions_;
  std::vector<int> changes_;
  std::vector<Step> steps_;
  std::vector<Hold> holds_;  // the more important first
  absl::flat_hash_map<int, std::vector<int>> holds_on_;  // by node, ascending
  int own_ = -1;             // the hold whose job's turn it is
  std::size_t turn_ = 0, turn_steps_ = 0;  // of changes and steps: where the turn began
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_ROOM_H_
