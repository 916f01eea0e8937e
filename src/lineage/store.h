// The jobs' records and who finds them: all that readers look at. One writer at a time;
// Read by any thread at any time. The protocol is told in record.h and id_table.h.
#ifndef PRECEDENT_SRC_LINEAGE_STORE_H_
#define PRECEDENT_SRC_LINEAGE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "precedent/job_descriptor.h"
#include "src/lineage/chunks.h"
#include "src/lineage/id_table.h"
#include "src/lineage/record.h"

namespace precedent::lineage {

inline constexpr std::size_t kLongestId = 512;

// Blocks for ids that do not fit a record. Never given back before the graph goes: a
// reader may look at one that has become another's.
class LongIds {
 public:
  static constexpr std::size_t kClasses = 4;
  static constexpr std::size_t kBlocks = 64;  // allocated at once

  static std::size_t ClassOf(std::size_t length) {
    std::size_t c = 0;
    while ((std::size_t{64} << c) < length) ++c;
    return c;
  }
  Word* Take(std::size_t length) {
    const std::size_t c = ClassOf(length);
    if (free[c].empty()) {
      const std::size_t words = std::size_t{8} << c;
      memory.emplace_back(new Word[words * kBlocks]());
      held += words * kBlocks * sizeof(Word);
      for (std::size_t i = kBlocks; i-- > 0;) free[c].push_back(memory.back().get() + i * words);
    }
    Word* const block = free[c].back();
    free[c].pop_back();
    return block;
  }
  void Give(Word* block, std::size_t length) { free[ClassOf(length)].push_back(block); }

  std::vector<std::unique_ptr<Word[]>> memory;
  std::vector<Word*> free[kClasses];
  std::size_t held = 0;
};

class RecordStore {
 public:
  // `limit`: jobs at most. `seed`: of the hash of ids.
  RecordStore(std::size_t limit, std::uint64_t seed)
      : records(limit), reports(limit + 1), ids(limit), id_seed(seed) {
    reports.Take();  // 0: nothing was reported
  }

  Pool<Record, 12> records;
  Pool<Report, 10> reports;
  IdTable ids;

  // What a job's Lineage is; nothing: it is not there.
  std::optional<Lineage> Read(std::string_view id) const noexcept {
    return Read(id, [] {});
  }
  // The same for tests: calls `pause` where a writer can do most harm.
  template <typename Pause>
  std::optional<Lineage> Read(std::string_view id, Pause&& pause) const noexcept {
    if (id.empty() || id.size() > kLongestId) return std::nullopt;
    const std::uint64_t hash = IdHash(id);
    const IdWords wanted(id);
    Lineage result;
    for (;;) {
      bool torn = false;
      const bool found = ids.Search(hash, [&](std::uint32_t slot) {
        const Record& record = records[slot];
        const Header header = record.LoadHeader();
        // If the job was replaced by another since, it went while this looked for it.
        if (header.length != id.size()) return false;
        const Word* words = record.id;
        if (id.size() > kInlineIdBytes) {
          words = reinterpret_cast<const Word*>(record.id[0].load(std::memory_order_acquire));
          // Else the address may be that of a shorter id, or half an id.
          if (!header.StoodUntil(record.LoadHeader())) return torn = true;
        }
        if (!wanted.Equals(words)) return false;
        pause();
        const Facts facts = record.LoadFacts(header.live());
        Report::Values values{facts.step, kAbsent, kAbsent};
        if (facts.report != 0) {
          // Likewise: a torn number may be of no report at all.
          if (!header.StoodUntil(record.LoadHeader())) return torn = true;
          values = reports[facts.report].Load(header.live());
        }
        if (!header.StoodUntil(record.LoadHeader())) return torn = true;
        result = Compose(facts, values, header.depth);
        return true;
      });
      if (!torn) return found ? std::optional<Lineage>(result) : std::nullopt;
    }
  }

  // The rest is the writer's.
  std::uint64_t IdHash(std::string_view id) const {
    return absl::HashOf(id_seed, absl::string_view(id.data(), id.size()));
  }

  std::optional<std::uint32_t> Find(std::string_view wanted) const {
    std::optional<std::uint32_t> found;
    ids.Search(IdHash(wanted), [&](std::uint32_t slot) {
      if (id(slot) != wanted) return false;
      found = slot;
      return true;
    });
    return found;
  }

  std::string_view id(std::uint32_t slot) const {
    const Record& record = records[slot];
    const std::uint32_t length = record.LoadHeader().length;
    const Word* words = record.id;
    if (length > kInlineIdBytes)
      words = reinterpret_cast<const Word*>(record.id[0].load(std::memory_order_relaxed));
    // The words are stored by this thread alone, and nobody stores them meanwhile.
    static_assert(sizeof(Word) == sizeof(std::uint64_t));
    return {reinterpret_cast<const char*>(words), length};
  }

  Facts FactsOf(std::uint32_t slot) const {
    const Record& record = records[slot];
    return record.LoadFacts(record.LoadHeader().live());
  }

  Report::Values ReportOf(std::uint32_t slot, const Facts& facts) const {
    if (facts.report == 0) return {facts.step, kAbsent, kAbsent};
    return reports[facts.report].Load(records[slot].LoadHeader().live());
  }

  // The Lineage that readers see.
  Lineage LineageOf(std::uint32_t slot) const {
    const Facts facts = FactsOf(slot);
    return Compose(facts, ReportOf(slot, facts), records[slot].LoadHeader().depth);
  }

  void StoreFacts(std::uint32_t slot, const Facts& facts, const Report::Values& values) {
    Record& record = records[slot];
    Header header = record.LoadHeader();
    const unsigned idle = 1 - header.live();
    // See record.h. Between the two headers the counter is odd.
    ++header.counter;
    record.StoreHeader(header);
    record.StoreFacts(idle, facts);
    if (facts.report != 0) reports[facts.report].Store(idle, values);
    ++header.counter;
    record.StoreHeader(header);
  }

  static bool IsPlain(const Report::Values& values) {
    return IsAbsent(values.progress) && IsAbsent(values.priority) && values.step >= 0 &&
           values.step <= INT32_MAX;
  }

  std::uint32_t NewRecord(std::string_view id, std::uint32_t depth, const Facts& facts,
                          const Report::Values& values) {
    const std::uint32_t slot = records.Take();
    Record& record = records[slot];
    Header header = record.LoadHeader();
    Word* words = record.id;
    if (id.size() > kInlineIdBytes) {
      words = long_ids_.Take(id.size());
      record.id[0].store(reinterpret_cast<std::uint64_t>(words), std::memory_order_release);
    }
    IdWords(id).Store(words);
    header.counter += 4;
    header.length = static_cast<std::uint32_t>(id.size());
    header.depth = depth;
    record.StoreFacts(header.live(), facts);
    if (facts.report != 0) reports[facts.report].Store(header.live(), values);
    record.StoreHeader(header);
    ids.Insert(IdHash(id), slot, [this](std::uint32_t other) { return HashOf(other); });
    return slot;
  }

  void FreeRecord(std::uint32_t slot) {
    Record& record = records[slot];
    ids.Erase(HashOf(slot), slot, [this](std::uint32_t other) { return HashOf(other); });
    const std::uint32_t report = FactsOf(slot).report;
    Header header = record.LoadHeader();
    const std::uint32_t length = header.length;
    header.counter += 4;
    header.length = 0;
    record.StoreHeader(header);
    // Only now: whoever reads these for the job that is gone sees that it is.
    if (report != 0) reports.Give(report);
    if (length > kInlineIdBytes) {
      long_ids_.Give(reinterpret_cast<Word*>(record.id[0].load(std::memory_order_relaxed)), length);
    }
    records.Give(slot);
  }

  std::size_t store_bytes() const {
    return records.bytes() + reports.bytes() + ids.bytes() + long_ids_.held;
  }

 private:
  std::uint64_t HashOf(std::uint32_t slot) const { return IdHash(id(slot)); }

  const std::uint64_t id_seed;
  LongIds long_ids_;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_STORE_H_
