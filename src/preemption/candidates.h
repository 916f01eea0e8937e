// Of all nodes the one with room, and the one where room costs least, without looking at
// all of them each time.
//
// For every kind of question (who asks, for how much, where it may run) the nodes lie in a
// heap by what they cost at least. That bound is worked out once for all who ask; what a
// node really costs only when it comes to the top. What changes in the meantime is in
// Room::changes, and each heap catches up when it is asked next.
#ifndef PRECEDENT_SRC_PREEMPTION_CANDIDATES_H_
#define PRECEDENT_SRC_PREEMPTION_CANDIDATES_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/preemption/node_search.h"
#include "src/preemption/room.h"

namespace precedent::internal {

class Candidates {
 public:
  // `most`: the greatest Kind::below of all who will ask and may evict.
  Candidates(const Fleet& fleet, const Facts& facts, const Room& room, const BudgetBook& book,
             std::int64_t most);

  // The fullest node on which it fits without victims, of those the first by name.
  // False: none.
  bool Free(const Kind& kind, std::int64_t milli, const Restriction& where, Spot* spot);
  // The best choice over all nodes (one victim at least), by budgets and rates; `node` is
  // where.
  Choice Cheapest(const Kind& kind, std::int64_t milli, const Restriction& where, int* node);

 private:
  // What a node has for the one who may do most.
  struct Bounds {
    std::uint32_t version = UINT32_MAX;
    int free_devices = 0, largest_free = 0;
    int room = 0;  // free at least, whoever asks
    int clearable = 0, largest_clearable = 0;
    double cheapest = 0;  // of the victims
  };
  struct Entry {
    double key;
    int position;
    int node;
    std::uint32_t version;
    bool exact;
    bool operator<(const Entry& other) const {  // the least is at the top
      return std::tie(key, position) > std::tie(other.key, other.position);
    }
  };
  struct Heap {
    std::vector<Entry> entries;
    std::size_t seen = 0;  // of Room::changes
    bool filled = false;
    std::uint64_t reopened = 0;  // as of BudgetBook
    // In vain, when nothing but this was known.
    std::size_t failed_seen = SIZE_MAX;
    std::uint64_t failed_generation = 0;
    absl::flat_hash_map<int, Choice> choices;  // by node, of exact entries
  };
  using Asked = std::tuple<Kind, std::int64_t, const Restriction*>;

  const Bounds& Of(int node);
  double AtLeast(int node, std::int64_t milli);
  bool MayBeFree(int node, std::int64_t milli);
  template <typename Key>
  void CatchUp(Heap* heap, const Restriction& where, const Key& key);
  static void Push(Heap* heap, const Entry& entry);
  static Entry Pop(Heap* heap);

  const Fleet& fleet_;
  const Facts& facts_;
  const Room& room_;
  const BudgetBook& book_;
  const std::int64_t most_;
  NodeSearch search_;
  std::vector<Bounds> bounds_;   // by node
  std::vector<double> prices_;   // by device: of the node's cheapest so many, together
  absl::flat_hash_map<std::pair<std::int64_t, const Restriction*>, Heap> free_;
  absl::flat_hash_map<Asked, Heap> cheapest_;
  std::vector<int> devices_;
  std::vector<Entry> aside_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_CANDIDATES_H_
