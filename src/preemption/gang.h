// Places for a job of several pods: all or nothing.
#ifndef PRECEDENT_SRC_PREEMPTION_GANG_H_
#define PRECEDENT_SRC_PREEMPTION_GANG_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "src/preemption/budgets.h"
#include "src/preemption/candidates.h"
#include "src/preemption/facts.h"
#include "src/preemption/fit.h"
#include "src/preemption/fleet.h"
#include "src/preemption/room.h"

namespace precedent::internal {

struct GangPlan {
  Choice choice;
  std::vector<Spot> spots;  // by pod
};

class Gangs {
 public:
  // `most_exact`: where no more jobs than this may be evicted for it, every set of them is
  // tried.
  Gangs(const Fleet& fleet, Facts* facts, Room* room, BudgetBook* book, Candidates* candidates,
        std::size_t most_exact)
      : fleet_(fleet),
        facts_(*facts),
        room_(*room),
        book_(*book),
        candidates_(*candidates),
        most_exact_(most_exact) {}

  // Changes nothing but what it undoes. What was asked in vain is not tried again before
  // something has changed.
  GangPlan Find(int job, const Kind& kind);

  // Nodes where one pod at least fits when the jobs that pass `rules` have left.
  FreeTable Table(int job, const Kind& kind, unsigned rules, Room::Held held) const;

 private:
  static constexpr int kMostTrials = 12, kMostPodTrials = 48;
  struct Question {
    const v1::ClusterJob& job;
    const Restriction& where;
    const Kind& kind;
    std::vector<int> order;  // of its pods
  };
  using Victims = absl::InlinedVector<int, 6>;
  enum class Way { kPodByPod, kCheapestNodes, kFewestNodes };

  GangPlan Search(const Question& question, int job);
  bool Free(const Question& question, std::vector<Spot>* spots);
  bool Exact(const Question& question, int job, GangPlan* plan);
  bool PodByPod(const Question& question, Victims* victims, std::vector<int>* nodes);
  bool NodeByNode(const Question& question, Way way, Victims* victims, std::vector<int>* nodes);
  bool WhateverFits(const Question& question, int job, Victims* victims, std::vector<int>* nodes);
  Victims Cheapest(const Question& question, GangPlan* best);
  void Improve(const Question& question, Victims tried, GangPlan* best);
  void Consider(const Question& question, Victims victims, std::vector<int> nodes, GangPlan* best);
  FreeTable Rows(const Question& question, std::vector<int> nodes, const Victims& gone) const;
  void Evict(const Choice& choice, Victims* victims);
  void Undo(std::size_t mark, const Victims& victims);

  const Fleet& fleet_;
  Facts& facts_;
  Room& room_;
  BudgetBook& book_;
  Candidates& candidates_;
  const std::size_t most_exact_;
  struct InVain {
    std::size_t changes = SIZE_MAX;
    std::uint64_t generation = 0;
  };
  absl::flat_hash_map<std::tuple<Kind, const Restriction*, std::vector<std::int64_t>>, InVain>
      in_vain_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_GANG_H_
