// One plan: the jobs that wait, placed one after the other.
#ifndef PRECEDENT_SRC_PREEMPTION_ROUND_H_
#define PRECEDENT_SRC_PREEMPTION_ROUND_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "precedent/v1/cluster.pb.h"
#include "src/preemption/budgets.h"
#include "src/preemption/candidates.h"
#include "src/preemption/facts.h"
#include "src/preemption/fleet.h"
#include "src/preemption/gang.h"
#include "src/preemption/room.h"

namespace precedent::internal {

class Round {
 public:
  // Gangs for which more jobs may be evicted are not tried in every way.
  static constexpr std::size_t kMostExact = 14;

  // All outlive it; `fleet` is settled.
  Round(const Fleet& fleet, const v1::PreemptionPolicy& policy, const Holds& holds,
        const std::vector<PastEviction>& evictions, std::int64_t now,
        std::size_t most_exact = kMostExact);
  v1::PreemptionPlan Run();

 private:
  // Whether a job could be placed if some rules were none; as far as is known.
  struct Possible {
    bool known = false, possible = false;
    int node = -1;          // where
    std::size_t seen = 0;   // of Room::changes
  };
  using Shape = std::tuple<Kind, const Restriction*, std::vector<std::int64_t>, unsigned, bool>;

  std::int64_t Most() const;
  void AddRemarks();
  void Place(int job);
  bool OnHeldRoom(int job, const Kind& kind, const Hold& own, std::vector<Spot>* spots);
  bool Single(int job, const Kind& kind, Choice* choice, std::vector<Spot>* spots);
  // It gets its places, and its victims leave, where they have not yet.
  void Take(int job, const Choice& choice, const std::vector<Spot>& spots);
  void Evict(const Choice& choice);
  void Wake(std::int64_t when);

  // refuse.cc
  void Refuse(int job, const Kind& kind);
  bool TooLarge(int job);
  bool IsPossible(int job, const Kind& kind, unsigned rules, Room::Held held);
  Possible& AnswerFor(int job, std::vector<std::int64_t> sizes, const Kind& kind, unsigned rules,
                      Room::Held held);
  bool PodIsPossible(int job, std::int64_t milli, const Kind& kind, unsigned rules,
                     Room::Held held);
  bool PossibleOn(int node, int job, std::int64_t milli, const Kind& kind, unsigned rules,
                  Room::Held held);
  // The job that passes `rules` and lacks `lacking` which comes first by `less`; -1: none.
  template <typename Less>
  int First(int job, const Kind& kind, unsigned rules, unsigned lacking, const Less& less) const;
  std::string Holder(int job, const Kind& kind);
  std::string Obstacle(int job, const Kind& kind);

  const Fleet& fleet_;
  const v1::PreemptionPolicy& policy_;
  const std::vector<PastEviction>& evictions_;
  Facts facts_;
  Room room_;
  BudgetBook book_;
  Candidates candidates_;
  Gangs gangs_;
  v1::PreemptionPlan plan_;
  std::int64_t wake_ = INT64_MAX;
  absl::flat_hash_map<Shape, Possible> possible_;
  absl::flat_hash_map<std::pair<const Restriction*, std::vector<std::int64_t>>, bool> too_large_;
  std::vector<int> free_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_ROUND_H_
