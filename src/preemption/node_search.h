// The least that has to leave one node, so that a pod fits there.
#ifndef PRECEDENT_SRC_PREEMPTION_NODE_SEARCH_H_
#define PRECEDENT_SRC_PREEMPTION_NODE_SEARCH_H_

#include <cstdint>
#include <vector>

#include "src/preemption/budgets.h"
#include "src/preemption/facts.h"
#include "src/preemption/fleet.h"
#include "src/preemption/room.h"

namespace precedent::internal {

class NodeSearch {
 public:
  NodeSearch(const Fleet& fleet, const Facts& facts, const Room& room, const BudgetBook& book)
      : fleet_(fleet), facts_(facts), room_(room), book_(book) {}

  // The best by Facts::Better, of those that may leave alone by budgets and rates, and
  // with `together` of those that may leave as many. Ends after kMostSteps: then the best
  // that was found.
  Choice Best(const Kind& kind, std::int64_t milli, int node, bool together);

 private:
  static constexpr int kMostSteps = 20'000;
  struct Evictable {
    int job;
    int milli;
    int number;  // of the job, among those of this search
  };
  struct Device {
    double price;  // what it costs at least: its part of each victim's cost
    int device;
    int begin, end;  // of evictable_
  };
  struct Victim {
    int job;
    int spread;
    bool chosen;
  };

  bool MayLeave(int job, const Kind& kind) const {
    return facts_.MayEvict(facts_[job], kind, kEvictable) && book_.Open(job);
  }
  void Share(const Kind& kind, int milli, int node);
  void WalkShare(std::size_t at, int room, double cost);
  void Whole(const Kind& kind, int node, int need);
  bool Additive(int need);
  void Walk(std::size_t at, double cost);
  int Cleared() const;
  bool Clear(const Device& device) const;
  double Missing(const Device& device) const;
  void Accept(absl::InlinedVector<int, 6> victims);
  int Number(int job, int spread);

  const Fleet& fleet_;
  const Facts& facts_;
  const Room& room_;
  const BudgetBook& book_;

  // Of the search that runs.
  Choice best_;
  bool together_ = false;
  int steps_ = 0, need_ = 0;
  std::vector<int> free_;
  std::vector<Evictable> evictable_;
  std::vector<Victim> victims_;
  std::vector<Device> devices_;
  std::vector<char> left_out_;  // by device: it stays
  std::vector<double> prices_;
  std::vector<int> rest_;
  absl::InlinedVector<int, 6> chosen_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_NODE_SEARCH_H_
