#include "src/preemption/candidates.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace precedent::internal {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

Candidates::Candidates(const Fleet& fleet, const Facts& facts, const Room& room,
                       const BudgetBook& book, std::int64_t most)
    : fleet_(fleet),
      facts_(facts),
      room_(room),
      book_(book),
      most_(most),
      search_(fleet, facts, room, book),
      bounds_(fleet.nodes().size()),
      prices_(fleet.free().size(), 0) {}

const Candidates::Bounds& Candidates::Of(int index) {
  Bounds& bounds = bounds_[index];
  if (bounds.version == room_.version(index)) return bounds;
  bounds = Bounds();
  bounds.version = room_.version(index);
  const FleetNode& node = fleet_.nodes()[index];
  if (!node.open()) return bounds;
  room_.Devices(index, INT64_MIN, Room::Held::kKept, &devices_);
  bounds.room = std::accumulate(devices_.begin(), devices_.end(), 0);
  // For those to whom every hold is open.
  room_.Devices(index, INT64_MAX, Room::Held::kIgnored, &devices_);
  bounds.cheapest = kNever;
  double* const prices = prices_.data() + node.first;
  std::size_t o = 0;
  for (int d = 0; d < node.gpus(); ++d) {
    const int free = devices_[d];
    int clear = free;
    double price = 0;
    for (; o < node.occupants.size() && node.occupants[o].device == d; ++o) {
      const Occupant& occupant = node.occupants[o];
      const JobFacts& facts = facts_[occupant.job];
      if ((facts.rules & kEvictable) != kEvictable || facts.preemption_priority > most_) continue;
      clear += occupant.milli;
      price += facts.cost / occupant.spread;
      bounds.cheapest = std::min(bounds.cheapest, facts.cost);
    }
    bounds.largest_free = std::max(bounds.largest_free, free);
    bounds.largest_clearable = std::max(bounds.largest_clearable, clear);
    bounds.free_devices += free == 1000;
    if (clear >= 1000) prices[bounds.clearable++] = free == 1000 ? 0 : price;
  }
  std::sort(prices, prices + bounds.clearable);
  std::partial_sum(prices, prices + bounds.clearable, prices);
  return bounds;
}

double Candidates::AtLeast(int node, std::int64_t milli) {
  const Bounds& bounds = Of(node);
  if (!fleet_.nodes()[node].open()) return kNever;
  double cost = 0;
  if (milli >= 1000) {
    if (milli / 1000 > bounds.clearable) return kNever;
    cost = prices_[fleet_.nodes()[node].first + milli / 1000 - 1];
  } else if (bounds.largest_free < milli) {
    if (bounds.largest_clearable < milli) return kNever;
    cost = bounds.cheapest;
  }
  return cost * (1 - 1e-12) - 1e-6;  // parts of a cost round; costs do not
}

bool Candidates::MayBeFree(int node, std::int64_t milli) {
  const Bounds& bounds = Of(node);
  if (!fleet_.nodes()[node].open()) return false;
  return milli >= 1000 ? bounds.free_devices >= milli / 1000 : bounds.largest_free >= milli;
}

void Candidates::Push(Heap* heap, const Entry& entry) {
  heap->entries.push_back(entry);
  std::push_heap(heap->entries.begin(), heap->entries.end());
}

Candidates::Entry Candidates::Pop(Heap* heap) {
  std::pop_heap(heap->entries.begin(), heap->entries.end());
  const Entry entry = heap->entries.back();
  heap->entries.pop_back();
  return entry;
}

// `key` of a node; kNever: it is no candidate until it changes.
template <typename Key>
void Candidates::CatchUp(Heap* heap, const Restriction& where, const Key& key) {
  const auto entry = [&](int node) {
    return Entry{key(node), fleet_.nodes()[node].position, node, room_.version(node), false};
  };
  if (!heap->filled || heap->reopened != book_.reopened()) {
    heap->filled = true;
    heap->reopened = book_.reopened();
    heap->entries.clear();
    heap->choices.clear();
    heap->seen = room_.changes().size();
    for (const int node : fleet_.order())
      if (where.Admits(node))
        if (const Entry its = entry(node); its.key != kNever) heap->entries.push_back(its);
    std::make_heap(heap->entries.begin(), heap->entries.end());
    return;
  }
  for (; heap->seen < room_.changes().size(); ++heap->seen) {
    const int node = room_.changes()[heap->seen];
    if (!where.Admits(node)) continue;
    const Entry its = entry(node);
    const auto known = heap->choices.find(node);
    if (known != heap->choices.end()) heap->choices.erase(known);
    if (its.key != kNever) Push(heap, its);
  }
}

bool Candidates::Free(const Kind& kind, std::int64_t milli, const Restriction& where, Spot* spot) {
  Heap& heap = free_[{milli, &where}];
  CatchUp(&heap, where,
          [&](int node) { return MayBeFree(node, milli) ? Of(node).room : kNever; });
  bool found = false;
  Entry best{};
  aside_.clear();
  std::vector<int> devices;
  while (!heap.entries.empty() && (!found || !(heap.entries.front() < best))) {
    const Entry entry = Pop(&heap);
    if (entry.version != room_.version(entry.node)) continue;
    // Of several of one node and version one is enough.
    if (!aside_.empty() && aside_.back().node == entry.node) continue;
    aside_.push_back(entry);
    room_.Devices(entry.node, kind.below, Room::Held::kKept, &devices_);
    if (!Room::Fit(devices_, milli, &devices)) continue;
    Entry its = entry;
    its.key = std::accumulate(devices_.begin(), devices_.end(), 0);
    if (found && !(best < its)) continue;
    found = true;
    best = its;
    spot->node = its.node;
    spot->devices = devices;
  }
  for (const Entry& entry : aside_) Push(&heap, entry);
  return found;
}

Choice Candidates::Cheapest(const Kind& kind, std::int64_t milli, const Restriction& where,
                            int* node) {
  Choice best;
  if (kind.never) return best;
  Heap& heap = cheapest_[Asked(kind, milli, &where)];
  CatchUp(&heap, where, [&](int n) { return AtLeast(n, milli); });
  if (heap.failed_seen == heap.seen && heap.failed_generation == book_.generation()) return best;
  aside_.clear();
  while (!heap.entries.empty() && (!best.found || heap.entries.front().key <= best.cost)) {
    Entry entry = Pop(&heap);
    if (entry.version != room_.version(entry.node)) continue;
    // What costs more since budgets closed some of the victims is worked out again.
    const auto known = heap.choices.find(entry.node);
    const auto open = [this](int victim) { return book_.Open(victim); };
    if (entry.exact && known == heap.choices.end()) continue;  // an older one of its
    if (!entry.exact || !std::all_of(known->second.victims.begin(), known->second.victims.end(), open)) {
      if (!entry.exact && known != heap.choices.end()) continue;  // likewise
      Choice choice = search_.Best(kind, milli, entry.node, false);
      if (!choice.found) {
        if (known != heap.choices.end()) heap.choices.erase(known);
        continue;
      }
      entry.exact = true;
      entry.key = choice.cost;
      heap.choices[entry.node] = std::move(choice);
      Push(&heap, entry);
      continue;
    }
    aside_.push_back(entry);
    // What budgets leave costs no less than what they did not limit.
    Choice choice = known->second;
    if (!book_.Allows(choice.victims)) choice = search_.Best(kind, milli, entry.node, true);
    if (facts_.Better(choice, best)) {
      best = std::move(choice);
      *node = entry.node;
    }
  }
  for (const Entry& entry : aside_) Push(&heap, entry);
  if (!best.found) {
    heap.failed_seen = heap.seen;
    heap.failed_generation = book_.generation();
  }
  return best;
}

}  // namespace precedent::internal
