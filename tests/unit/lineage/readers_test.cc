// Readers beside a writer: first writers that stop in the middle, then threads. What is
// read tells of itself whether it belongs together.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "src/lineage/store.h"

namespace precedent::lineage {
namespace {

// Facts number n of the job called `id`: each number follows from n, or from the id.
std::uint32_t NameNumber(std::string_view id) {
  std::uint32_t number = 0;
  for (const char c : id) number = number * 31 + static_cast<unsigned char>(c);
  return number & 0xffffff;
}
Facts FactsNumber(std::string_view id, std::uint32_t n, std::uint32_t report) {
  Facts facts;
  facts.total = {n, NameNumber(id), 2 * n, 3 * n + 1};
  facts.retry_of_preempted = n % 2 != 0;
  facts.step = report != 0 ? 0 : n;
  facts.report = report;
  facts.runtime = 0.5 * n;
  return facts;
}
Report::Values ValuesNumber(std::uint32_t n) {
  return {static_cast<std::int64_t>(n) + (std::int64_t{1} << 40), 1.0 / (n + 1), -1.0 * n};
}
bool BelongsTogether(std::string_view id, const Lineage& lineage) {
  const auto n = static_cast<std::uint32_t>(lineage.failure_count);
  return lineage.preemption_count == NameNumber(id) &&
         lineage.infrastructure_failure_count == 2 * n && lineage.attempt == 3 * n + 1 &&
         lineage.depth == static_cast<std::int64_t>(id.size() % 50) && lineage.retry_of_preempted == (n % 2 != 0) &&
         lineage.predecessor_runtime_seconds == 0.5 * n &&
         (lineage.step == n ||
          (lineage.step == ValuesNumber(n).step && lineage.progress == ValuesNumber(n).progress &&
           lineage.reported_priority == ValuesNumber(n).priority));
}

class Writer {
 public:
  explicit Writer(RecordStore& store) : store_(store) {}
  std::uint32_t Come(const std::string& id, bool reports) {
    const std::uint32_t report = reports ? store_.reports.Take() : 0;
    return store_.NewRecord(id, static_cast<std::uint32_t>(id.size() % 50),
                            FactsNumber(id, 0, report), ValuesNumber(0));
  }
  void Change(std::uint32_t slot, std::uint32_t n) {
    const std::string id(store_.id(slot));
    store_.StoreFacts(slot, FactsNumber(id, n, store_.FactsOf(slot).report), ValuesNumber(n));
  }

 private:
  RecordStore& store_;
};

constexpr std::uint64_t kSeed = 4711;
const std::string kLongId(300, 'y');

// As StoreFacts, up to its last step.
void StopBeforePublishing(RecordStore& store, std::uint32_t slot, std::uint32_t n) {
  Record& record = store.records[slot];
  Header header = record.LoadHeader();
  const unsigned idle = 1 - header.live();
  ++header.counter;
  record.StoreHeader(header);
  const Facts facts = FactsNumber(store.id(slot), n, store.FactsOf(slot).report);
  record.StoreFacts(idle, facts);
  if (facts.report != 0) store.reports[facts.report].Store(idle, ValuesNumber(n));
}

TEST(Readers, DoNotWaitForAWriterThatStopped) {
  for (const bool reports : {false, true}) {
    RecordStore store(16, kSeed);
    Writer writer(store);
    const std::uint32_t slot = writer.Come("a", reports);
    for (std::uint32_t n = 1; n <= 3; ++n) {
      writer.Change(slot, n);
      StopBeforePublishing(store, slot, 1000);
      const auto lineage = store.Read("a");
      ASSERT_TRUE(lineage.has_value());
      EXPECT_EQ(lineage->failure_count, n);
      EXPECT_TRUE(BelongsTogether("a", *lineage));
      Header header = store.records[slot].LoadHeader();  // the writer gives it up
      --header.counter;
      store.records[slot].StoreHeader(header);
    }
  }
}

// A reader stops; a writer changes its job and is in the middle of the second change when
// the reader goes on: half of what it reads now is of another time.
TEST(Readers, ThatStoppedForTwoChangesTryAgain) {
  RecordStore store(16, kSeed);
  Writer writer(store);
  const std::uint32_t slot = writer.Come("a", false);
  int pauses = 0;
  const auto lineage = store.Read("a", [&] {
    if (++pauses > 1) return;
    writer.Change(slot, 1);
    StopBeforePublishing(store, slot, 1000);
    Record& record = store.records[slot];
    const Facts old = FactsNumber("a", 7, 0);
    record.copy[1 - record.LoadHeader().live()][3].store(BitsOf(old.runtime));
  });
  EXPECT_EQ(pauses, 2);
  ASSERT_TRUE(lineage.has_value());
  EXPECT_EQ(lineage->failure_count, 1);
  EXPECT_TRUE(BelongsTogether("a", *lineage));
}

// Where slots take most of an entry, hashes tell little apart: ids are compared in full.
TEST(Readers, CompareIds) {
  RecordStore store((std::size_t{1} << 30) - 2, kSeed);
  Writer writer(store);
  for (int i = 100; i < 160; ++i) writer.Come(std::to_string(i), false);
  for (int i = 160; i < 999; ++i) EXPECT_FALSE(store.Read(std::to_string(i)).has_value()) << i;
}

// One change leaves what it reads alone: it need not try again.
TEST(Readers, ThatStoppedForOneChangeGoOn) {
  RecordStore store(16, kSeed);
  Writer writer(store);
  const std::uint32_t slot = writer.Come("a", false);
  int pauses = 0;
  const auto lineage = store.Read("a", [&] {
    ++pauses;
    writer.Change(slot, 1);
  });
  EXPECT_EQ(pauses, 1);
  ASSERT_TRUE(lineage.has_value());
  EXPECT_EQ(lineage->failure_count, 0);
}

// Its job goes meanwhile, and another one comes in its place.
TEST(Readers, ThatStoppedForAnotherJobDoNotTellOfIt) {
  for (const bool reports : {false, true}) {
    RecordStore store(16, kSeed);
    Writer writer(store);
    const std::uint32_t slot = writer.Come("a", reports);
    EXPECT_FALSE(store.Read("a", [&] {
                        store.FreeRecord(slot);
                        EXPECT_EQ(writer.Come("b", reports), slot);
                      }).has_value());
  }
}

// Which later headers say that what an earlier one named stood still: its copy is written
// again in the second change after it.
TEST(Readers, TryAgainOnlyAfterTwoChanges) {
  for (std::uint64_t counter : {8, 9}) {
    const Header first{counter, 1, 0};
    for (std::uint64_t later = counter; later < 20; ++later)
      EXPECT_EQ(first.StoodUntil(Header{later, 1, 0}), later <= 10) << counter << " " << later;
  }
}

TEST(Readers, FindNobodyElseInAPlaceThatWasTaken) {
  RecordStore store(16, kSeed);
  Writer writer(store);
  const std::uint32_t a = writer.Come("a", true);
  writer.Change(a, 5);
  store.FreeRecord(a);
  EXPECT_FALSE(store.Read("a").has_value());
  EXPECT_EQ(writer.Come("b", true), a);
  EXPECT_FALSE(store.Read("a").has_value());
  EXPECT_TRUE(BelongsTogether("b", *store.Read("b")));
  // A record's counter goes on, so a reader of `a` sees that its time is over.
  EXPECT_GE(store.records[a].LoadHeader().counter, 4u + 2u + 4u + 4u);
}

TEST(Readers, FindJobsAfterTheTableGrewAndManyWent) {
  RecordStore store(1 << 14, kSeed);
  Writer writer(store);
  std::vector<std::uint32_t> slots;
  for (int i = 0; i < 5000; ++i) slots.push_back(writer.Come(std::to_string(i), false));
  for (int i = 0; i < 5000; i += 2) store.FreeRecord(slots[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(store.Read(std::to_string(i)).has_value(), i % 2 != 0) << i;
  // Those that went leave nothing behind: the table does not grow for ever.
  const std::size_t bytes = store.ids.bytes();
  for (int i = 0; i < 100'000; ++i) store.FreeRecord(writer.Come("x" + std::to_string(i), false));
  EXPECT_EQ(store.ids.bytes(), bytes);
}

std::uint64_t SameHash(std::uint32_t) { return 7; }

// Whatever moment a writer stops at while it closes a gap, every other job is found.
TEST(Readers, FindWhatMovesUp) {
  IdTable table(64);
  for (std::uint32_t slot = 0; slot < 5; ++slot) table.Insert(7, slot, SameHash);
  int looks = 0;
  table.Erase(7, 1, [&](std::uint32_t) {
    for (const std::uint32_t wanted : {0u, 2u, 3u, 4u}) {
      EXPECT_TRUE(table.Search(7, [&](std::uint32_t slot) { return slot == wanted; })) << wanted;
      ++looks;
    }
    return std::uint64_t{7};
  });
  EXPECT_EQ(looks, 12);
  for (const std::uint32_t wanted : {0u, 2u, 3u, 4u})
    EXPECT_TRUE(table.Search(7, [&](std::uint32_t slot) { return slot == wanted; })) << wanted;
  EXPECT_FALSE(table.Search(7, [](std::uint32_t slot) { return slot == 1; }));
}

// A job moves past a search that is on its way to it.
TEST(Readers, LookAgainWhereJobsMoved) {
  IdTable table(64);
  for (std::uint32_t slot = 0; slot < 3; ++slot) table.Insert(7, slot, SameHash);
  bool first = true;
  EXPECT_TRUE(table.Search(7, [&](std::uint32_t slot) {
    if (first) {
      first = false;
      table.Erase(7, 0, SameHash);
      table.Erase(7, 1, SameHash);
    }
    return slot == 2;
  }));
}

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Two jobs that always are there and change all the time, one of them with reports and a
// long id, and some that come and go in the same places.
TEST(Readers, BesideAWriter) {
  const std::uint64_t changes = Setting("PRECEDENT_LINEAGE_CHANGES", 60'000);
  RecordStore store(2048, kSeed);
  Writer writer(store);
  const std::uint32_t a = writer.Come("a", false);
  const std::uint32_t b = writer.Come(kLongId, true);
  std::vector<std::string> guests;
  for (int i = 0; i < 8; ++i)
    guests.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) * 20, 'g'));
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0}, missing{0}, backwards{0}, reads{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r)
    readers.emplace_back([&, r] {
      std::int64_t newest[2] = {0, 0};
      std::uint64_t mine = 0;
      for (std::size_t i = static_cast<std::size_t>(r); !stop || mine < 1000; ++i, ++mine) {
        if (i % 3 != 2) {
          const std::string_view id = i % 3 == 0 ? std::string_view("a") : kLongId;
          const auto lineage = store.Read(id);
          if (!lineage.has_value()) {
            ++missing;
          } else {
            if (!BelongsTogether(id, *lineage)) ++wrong;
            if (lineage->failure_count < newest[i % 3]) ++backwards;
            newest[i % 3] = lineage->failure_count;
          }
        } else {
          const std::string& id = guests[i % guests.size()];
          const auto lineage = store.Read(id);
          if (lineage.has_value() && !BelongsTogether(id, *lineage)) ++wrong;
        }
      }
      reads += mine;
    });
  std::vector<std::uint32_t> there(guests.size(), 0);
  std::vector<bool> is_there(guests.size(), false);
  for (std::uint32_t n = 1; n <= changes; ++n) {
    writer.Change(a, n);
    writer.Change(b, n);
    const std::size_t guest = n * 2654435761u >> 8 & 7;
    if (is_there[guest]) {
      store.FreeRecord(there[guest]);
    } else {
      there[guest] = writer.Come(guests[guest], guest % 2 == 0);
      writer.Change(there[guest], n % 1000);
    }
    is_there[guest] = !is_there[guest];
    if (n % 4096 != 0) continue;
    // The table grows while it is read.
    for (int i = 0; i < 60; ++i) writer.Come(std::to_string(n) + "+" + std::to_string(i), false);
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(missing, 0u);
  EXPECT_EQ(backwards, 0u);
  EXPECT_GE(reads, 3000u);
}

}  // namespace
}  // namespace precedent::lineage
