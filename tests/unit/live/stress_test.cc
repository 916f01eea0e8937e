// Readers and writers at once. A value that is freed while it is read is seen by the
// value itself, by AddressSanitizer or, as a race, by ThreadSanitizer. What these
// cannot see, an order that the processor does not keep, tests/model finds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/live/checked_value.h"

namespace precedent::internal {
namespace {

constexpr int kMaxNested = 5;

struct Load {
  int readers = 3;
  int writers = 1;
  std::uint64_t reads = 0;      // by all together
  std::uint64_t publishes = 0;  // by all together, at least
  std::uint32_t slots = 64;
  int nested = 1;  // guards that a reader holds at once, up to kMaxNested
};

void Check(const Load& load) {
  Cell cell(load.slots, 64);
  ASSERT_EQ(Publish(cell, 0), Publication::kDone);
  std::atomic<std::uint64_t> wrong{0}, reads{0}, publishes{0}, full{0};
  std::atomic<bool> begin{false};
  const auto enough = [&] { return reads >= load.reads && publishes >= load.publishes; };
  std::vector<std::thread> threads;
  for (int r = 0; r < load.readers; ++r)
    threads.emplace_back([&] {
      std::uint64_t newest = 0;
      while (!begin) std::this_thread::yield();
      while (!enough()) {
        for (int i = 0; i < 256; ++i) {
          std::optional<Cell::Reader> guards[kMaxNested];
          for (int k = 0; k < load.nested; ++k) {
            guards[k].emplace(cell.Read());
            // Never an older one than before.
            const std::uint64_t number = guards[k]->get()->number();
            if (number < newest) ++wrong;
            newest = number;
          }
          for (int k = 0; k < load.nested; ++k)
            if (!guards[k]->get()->ok()) ++wrong;
        }
        reads += 256 * static_cast<std::uint64_t>(load.nested);
      }
    });
  std::atomic<std::uint64_t> next{0};
  std::atomic_flag order = ATOMIC_FLAG_INIT;
  for (int w = 0; w < load.writers; ++w)
    threads.emplace_back([&] {
      while (!begin) std::this_thread::yield();
      while (!enough()) {
        // Numbers go up in the order of publishing, also with two writers.
        while (order.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
        const Publication result = Publish(cell, next.fetch_add(1) + 1);
        order.clear(std::memory_order_release);
        if (result == Publication::kDone) {
          ++publishes;
        } else {
          ++full;
          std::this_thread::yield();
        }
      }
    });
  begin = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(reads, load.reads);
  EXPECT_GE(publishes, load.publishes);
  EXPECT_TRUE(AllFreed(cell));
  EXPECT_EQ(CheckedValue::alive(), 1);
  std::printf("%llu reads, %llu publishes, %llu refused for want of room, %llu in overflow\n",
              static_cast<unsigned long long>(reads), static_cast<unsigned long long>(publishes),
              static_cast<unsigned long long>(full),
              static_cast<unsigned long long>(cell.counts().overflows));
}

std::uint64_t Reads() { return Setting("PRECEDENT_LIVE_READS", 2'000'000); }
std::uint64_t Publishes() { return Reads() / 1000; }

TEST(Stress, ReadersAndAWriter) {
  Load load;
  load.reads = Reads();
  load.publishes = Publishes();
  Check(load);
}

TEST(Stress, PublishUnderOverflow) {
  Load load;
  load.reads = Reads() / 4;
  load.publishes = Publishes() / 4;
  load.slots = 1;
  load.nested = 2;
  Check(load);
}

TEST(Stress, OneSlotForAll) {
  Load load;
  load.reads = Reads() / 4;
  load.publishes = Publishes() / 4;
  load.slots = 1;
  Check(load);
}

TEST(Stress, TwoWritersAndNestedReads) {
  Load load;
  load.readers = 2;
  load.writers = 2;
  load.reads = Reads() / 4;
  load.publishes = Publishes() / 4;
  load.nested = kMaxNested;
  load.slots = 16;
  Check(load);
}

TEST(Stress, AStalledReaderAmongOthers) {
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  const Cell::Reader stalled = cell.Read();
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0};
  std::thread other([&] {
    while (!stop)
      if (!cell.Read().get()->ok()) ++wrong;
  });
  for (std::uint64_t n = 2; n < 5000; ++n) {
    // The other reader may be stopped between two instructions for a while.
    while (Publish(cell, n) == Publication::kFull) std::this_thread::yield();
  }
  stop = true;
  other.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(stalled.get()->ok());
  EXPECT_FALSE(AllFreed(cell));
  EXPECT_EQ(cell.counts().retired, 1u);
}

// Guards that are taken in one thread and dropped in another.
TEST(Stress, GuardsTravel) {
  Cell cell(8, 64);
  ASSERT_EQ(Publish(cell, 0), Publication::kDone);
  std::atomic<std::uint64_t> wrong{0};
  std::uint64_t number = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Cell::Reader> guards;
    for (int i = 0; i < 6; ++i) guards.push_back(cell.Read());
    std::thread thread([&wrong, guards = std::move(guards)]() mutable {
      for (const Cell::Reader& guard : guards)
        if (!guard.get()->ok()) ++wrong;
      guards.clear();
    });
    while (Publish(cell, ++number) == Publication::kFull) std::this_thread::yield();
    thread.join();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(AllFreed(cell));
}

std::uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// A thread leaves nothing behind.
TEST(Stress, ShortThreads) {
  const std::uint64_t threads = Setting("PRECEDENT_LIVE_THREADS", 2'000);
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 0), Publication::kDone);
  std::uint64_t wrong = 0, before = 0;
  for (std::uint64_t n = 1; n <= threads; ++n) {
    std::thread([&] {
      if (!cell.Read().get()->ok()) ++wrong;
    }).join();
    if (n % 16 == 0) {
      ASSERT_EQ(Publish(cell, n), Publication::kDone);
    }
    if (n == threads / 10) before = ResidentBytes();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(AllFreed(cell));
  EXPECT_EQ(CheckedValue::alive(), 1);
  EXPECT_EQ(cell.counts().overflows, 0u);
#if !defined(__SANITIZE_ADDRESS__) && !defined(PRECEDENT_INSTRUMENTED)
  // The sanitizers keep records of threads that are gone.
  EXPECT_LT(ResidentBytes(), before + (1u << 20));
#endif
  std::printf("%llu threads, %lld bytes more\n", static_cast<unsigned long long>(threads),
              static_cast<long long>(ResidentBytes()) - static_cast<long long>(before));
}

}  // namespace
}  // namespace precedent::internal
