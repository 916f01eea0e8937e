// From a hash of an id to the slots of jobs that may have it. Open addressing; one
// writer at a time, readers at any time.
//
// An entry is 0 (free) or a job's slot + 1 below some bits of its hash. INVARIANTS
//  1. A job's entry stands at the place that its hash names, or behind it with no free
//     entry in between. Where one goes, those behind it move up to close the gap (marks
//     for those that went would fill the table in the end).
//  2. An entry that moves stands in its new place before it leaves the old one, and
//     `moves` grows between the two. So whatever moment a writer stops at, every job is
//     found; and a search that found nothing may have missed one that moved past it only
//     if `moves` is not what it was at its start: then it looks again.
//  3. A table that is too full is replaced by one four times as large; the old one stays,
//     unchanged, for readers that are still in it. All the old ones together are a third
//     of the current one.
// ATOMICS. Entries are stored with release and loaded with acquire: who finds a job's
// entry sees its record whole, and who sees an entry overwritten sees `moves` grown.
// What the search finds may have gone since: the record tells.
#ifndef PRECEDENT_SRC_LINEAGE_ID_TABLE_H_
#define PRECEDENT_SRC_LINEAGE_ID_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace precedent::lineage {

class IdTable {
 public:
  // `limit`: jobs at most, below 2^31.
  explicit IdTable(std::size_t limit) {
    while ((std::size_t{1} << slot_bits_) < limit + 1) ++slot_bits_;
    Publish(std::make_unique<Table>(kFirstSize));
  }

  // Calls `is_it(slot)` for those that may be it until it returns true; whether it did.
  template <typename IsIt>
  bool Search(std::uint64_t hash, IsIt&& is_it) const {
    const std::uint32_t tag = Tag(hash);
    for (;;) {
      // acquire, with Publish's release: the table's entries were written before.
      const Table* const table = current_.load(std::memory_order_acquire);
      // acquire, with Erase's release: what moved before stands in its new place.
      const std::uint64_t moves = table->moves.load(std::memory_order_acquire);
      std::size_t at = hash & table->mask;
      std::uint32_t entry;
      while ((entry = table->entries[at].load(std::memory_order_acquire)) != kFree) {
        if (entry >> slot_bits_ == tag && is_it((entry & SlotMask()) - 1)) return true;
        at = (at + 1) & table->mask;
      }
      if (table->moves.load(std::memory_order_acquire) == moves) return false;
    }
  }

  // The rest is the writer's. `hash_of(slot)` is that of a job in the table.
  template <typename HashOf>
  void Insert(std::uint64_t hash, std::uint32_t slot, HashOf&& hash_of) {
    Table* table = tables_.back().get();
    if ((used_ + 1) * 4 > (table->mask + 1) * 3) {
      auto larger = std::make_unique<Table>((table->mask + 1) * 4);
      for (std::size_t i = 0; i <= table->mask; ++i) {
        const std::uint32_t entry = table->entries[i].load(std::memory_order_relaxed);
        if (entry == kFree) continue;
        const std::uint32_t moved = (entry & SlotMask()) - 1;
        Put(*larger, hash_of(moved), moved);
      }
      table = Publish(std::move(larger));
    }
    Put(*table, hash, slot);
    ++used_;
  }

  template <typename HashOf>
  void Erase(std::uint64_t hash, std::uint32_t slot, HashOf&& hash_of) {
    Table& table = *tables_.back();
    const std::uint32_t wanted = Entry(hash, slot);
    std::size_t gap = hash & table.mask;
    while (table.entries[gap].load(std::memory_order_relaxed) != wanted)
      gap = (gap + 1) & table.mask;
    for (std::size_t at = (gap + 1) & table.mask;; at = (at + 1) & table.mask) {
      const std::uint32_t entry = table.entries[at].load(std::memory_order_relaxed);
      if (entry == kFree) break;
      const std::size_t home = hash_of((entry & SlotMask()) - 1) & table.mask;
      // Would it, in the gap, stand before the place that its hash names?
      if (((at - home) & table.mask) < ((at - gap) & table.mask)) continue;
      Overwrite(table, gap, entry);
      gap = at;
    }
    Overwrite(table, gap, kFree);
    --used_;
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& table : tables_) sum += (table->mask + 1) * sizeof(std::uint32_t);
    return sum;
  }

 private:
  static constexpr std::size_t kFirstSize = 128;
  static constexpr std::uint32_t kFree = 0;

  struct Table {
    explicit Table(std::size_t size)
        : mask(size - 1), entries(new std::atomic<std::uint32_t>[size]()) {}
    const std::size_t mask;
    const std::unique_ptr<std::atomic<std::uint32_t>[]> entries;
    std::atomic<std::uint64_t> moves{0};
  };

  std::uint32_t SlotMask() const { return (std::uint32_t{1} << slot_bits_) - 1; }
  // The place is in the low bits, so the tag is of the high ones.
  std::uint32_t Tag(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash >> (32 + slot_bits_));
  }
  std::uint32_t Entry(std::uint64_t hash, std::uint32_t slot) const {
    return Tag(hash) << slot_bits_ | (slot + 1);
  }

  void Put(Table& table, std::uint64_t hash, std::uint32_t slot) {
    std::size_t at = hash & table.mask;
    while (table.entries[at].load(std::memory_order_relaxed) != kFree) at = (at + 1) & table.mask;
    table.entries[at].store(Entry(hash, slot), std::memory_order_release);
  }

  // What stood there has gone, or stands elsewhere already.
  static void Overwrite(Table& table, std::size_t at, std::uint32_t entry) {
    table.moves.store(table.moves.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    table.entries[at].store(entry, std::memory_order_release);
  }

  Table* Publish(std::unique_ptr<Table> table) {
    tables_.push_back(std::move(table));
    current_.store(tables_.back().get(), std::memory_order_release);
    return tables_.back().get();
  }

  unsigned slot_bits_ = 1;
  std::atomic<Table*> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  std::size_t used_ = 0;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_ID_TABLE_H_
