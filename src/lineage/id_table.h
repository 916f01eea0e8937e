// From a hash of an id to the slots of jobs that may have it. Open addressing; one
// writer at a time, readers at any time.
//
// An entry is 0 (never used), 1 (its job went) or a job's slot + 2 below some bits of
// its hash. INVARIANTS
//  1. An entry that was not 0 when a job was put behind it is 0 only after all behind it
//     up to the next 0 went: so a search that ends at a 0 missed nothing that was there
//     when it began.
//  2. Entries never move within a table. A table that is too full is replaced by one
//     four times as large; the old one stays, unchanged, for readers that are still in it.
//     All the old ones together are a third of the current one.
// A job's record is whole before its entry is stored (release, with the search's
// acquire). What the search finds may have gone since: the record tells.
#ifndef PRECEDENT_SRC_LINEAGE_ID_TABLE_H_
#define PRECEDENT_SRC_LINEAGE_ID_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace precedent::lineage {

class IdTable {
 public:
  // `limit`: jobs at most.
  explicit IdTable(std::size_t limit) {
    while ((std::size_t{1} << slot_bits_) < limit + 2) ++slot_bits_;
    Publish(std::make_unique<Table>(kFirstSize));
  }

  // Calls `is_it(slot)` for those that may be it until it returns true; whether it did.
  template <typename IsIt>
  bool Search(std::uint64_t hash, IsIt&& is_it) const {
    // acquire, with Publish's release: the table's entries were written before.
    const Table* const table = current_.load(std::memory_order_acquire);
    const std::uint32_t tag = Tag(hash);
    std::size_t at = hash & table->mask;
    for (std::size_t probes = 0; probes <= table->mask; ++probes, at = (at + 1) & table->mask) {
      // acquire, with Insert's release: the job's record was whole before.
      const std::uint32_t entry = table->entries[at].load(std::memory_order_acquire);
      if (entry == kNever) return false;
      if (entry == kGone || entry >> slot_bits_ != tag) continue;
      if (is_it((entry & SlotMask()) - 2)) return true;
    }
    return false;
  }

  // The rest is the writer's. `hash_of(slot)` is asked of every job when it grows.
  template <typename HashOf>
  void Insert(std::uint64_t hash, std::uint32_t slot, HashOf&& hash_of) {
    Table* table = tables_.back().get();
    if ((used_ + 1) * 4 > (table->mask + 1) * 3) {
      auto larger = std::make_unique<Table>((table->mask + 1) * 4);
      used_ = 0;
      for (std::size_t i = 0; i <= table->mask; ++i) {
        const std::uint32_t entry = table->entries[i].load(std::memory_order_relaxed);
        if (entry == kNever || entry == kGone) continue;
        const std::uint32_t moved = (entry & SlotMask()) - 2;
        Put(*larger, hash_of(moved), moved);
      }
      table = Publish(std::move(larger));
    }
    Put(*table, hash, slot);
  }

  void Erase(std::uint64_t hash, std::uint32_t slot) {
    Table& table = *tables_.back();
    const std::uint32_t wanted = Entry(hash, slot);
    std::size_t at = hash & table.mask;
    while (table.entries[at].load(std::memory_order_relaxed) != wanted) at = (at + 1) & table.mask;
    const std::size_t next = (at + 1) & table.mask;
    if (table.entries[next].load(std::memory_order_relaxed) != kNever) {
      table.entries[at].store(kGone, std::memory_order_release);
      return;
    }
    // Nothing is behind it: the gone ones before it are free again too.
    do {
      table.entries[at].store(kNever, std::memory_order_release);
      --used_;
      at = (at - 1) & table.mask;
    } while (table.entries[at].load(std::memory_order_relaxed) == kGone);
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& table : tables_) sum += (table->mask + 1) * sizeof(std::uint32_t);
    return sum;
  }

 private:
  static constexpr std::size_t kFirstSize = 128;
  static constexpr std::uint32_t kNever = 0;
  static constexpr std::uint32_t kGone = 1;

  struct Table {
    explicit Table(std::size_t size)
        : mask(size - 1), entries(new std::atomic<std::uint32_t>[size]()) {}
    const std::size_t mask;
    const std::unique_ptr<std::atomic<std::uint32_t>[]> entries;
  };

  std::uint32_t SlotMask() const { return (std::uint32_t{1} << slot_bits_) - 1; }
  // The place is in the low bits, so the tag is of the high ones.
  std::uint32_t Tag(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash >> (32 + slot_bits_));
  }
  std::uint32_t Entry(std::uint64_t hash, std::uint32_t slot) const {
    return Tag(hash) << slot_bits_ | (slot + 2);
  }

  void Put(Table& table, std::uint64_t hash, std::uint32_t slot) {
    std::size_t at = hash & table.mask;
    std::uint32_t entry;
    while ((entry = table.entries[at].load(std::memory_order_relaxed)) > kGone)
      at = (at + 1) & table.mask;
    if (entry == kNever) ++used_;
    table.entries[at].store(Entry(hash, slot), std::memory_order_release);
  }

  Table* Publish(std::unique_ptr<Table> table) {
    tables_.push_back(std::move(table));
    current_.store(tables_.back().get(), std::memory_order_release);
    return tables_.back().get();
  }

  unsigned slot_bits_ = 1;
  std::atomic<Table*> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  std::size_t used_ = 0;  // entries of the current table that are not kNever
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_ID_TABLE_H_
