// Forks while readers are inside: the child must not wait for readers that it does not
// have, and its own must be safe from what the parent's claims looked like.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/live/checked_value.h"

namespace precedent::internal {
namespace {

// The number of the step at which a child found something wrong, 0 for none.
template <typename Body>
int InChild(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

#define STEP(condition) \
  do {                  \
    if (!(condition)) return __LINE__ % 250 + 1; \
  } while (false)

class Fork : public testing::Test {
 protected:
  void SetUp() override {
    if (!PublishedPeer::slots(Cell(1, 1)).wiped_on_fork())
      GTEST_SKIP() << "this kernel does not wipe memory on fork";
  }
};

TEST_F(Fork, ChildDoesNotWaitForTheParentsReaders) {
  for (const std::uint32_t slots : {64u, 1u}) {  // 1: one of the two is in overflow
    SCOPED_TRACE(slots);
    Cell cell(slots, 64);
    ASSERT_EQ(Publish(cell, 1), Publication::kDone);
    std::atomic<int> inside{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i)
      readers.emplace_back([&] {
        const Cell::Reader reader = cell.Read();
        ++inside;
        while (!stop) std::this_thread::yield();
      });
    while (inside != 2) std::this_thread::yield();
    EXPECT_EQ(InChild([&] {
                STEP(Publish(cell, 2) == Publication::kDone);
                STEP(AllFreed(cell));
                STEP(cell.Read().get()->number() == 2);
                return 0;
              }),
              0);
    // The parent's readers still count in the parent.
    EXPECT_EQ(Publish(cell, 3), Publication::kDone);
    EXPECT_FALSE(AllFreed(cell));
    stop = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_TRUE(AllFreed(cell));
  }
}

// The forking thread's own guards exist in the child; dropping them must not touch the
// child's claims, which may lie in the same slot and stand for the same value.
TEST_F(Fork, InheritedGuardsAreDroppedWithoutHarm) {
  Cell cell(1, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  std::optional<Cell::Reader> slot(cell.Read()), counted(cell.Read());
  EXPECT_EQ(InChild([&] {
              std::optional<Cell::Reader> mine(cell.Read()), mine_counted(cell.Read());
              slot.reset();
              counted.reset();
              STEP(Publish(cell, 2) == Publication::kDone);
              STEP(!AllFreed(cell));
              mine.reset();
              STEP(!AllFreed(cell));
              mine_counted.reset();
              STEP(AllFreed(cell));
              // And grandchildren do as children.
              mine.emplace(cell.Read());
              mine_counted.emplace(cell.Read());
              return InChild([&] {
                std::optional<Cell::Reader> own(cell.Read()), own_counted(cell.Read());
                mine.reset();
                mine_counted.reset();
                STEP(Publish(cell, 3) == Publication::kDone);
                own_counted.reset();
                STEP(!AllFreed(cell));
                own.reset();
                STEP(AllFreed(cell));
                return 0;
              });
            }),
            0);
  ASSERT_EQ(Publish(cell, 4), Publication::kDone);
  EXPECT_FALSE(AllFreed(cell));
  slot.reset();
  EXPECT_FALSE(AllFreed(cell));
  counted.reset();
  EXPECT_TRUE(AllFreed(cell));
}

// Dropped before the child has claimed anything.
TEST_F(Fork, InheritedGuardsDroppedFirst) {
  Cell cell(1, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  std::optional<Cell::Reader> slot(cell.Read()), counted(cell.Read());
  EXPECT_EQ(InChild([&] {
              slot.reset();
              counted.reset();
              STEP(Publish(cell, 2) == Publication::kDone);
              STEP(AllFreed(cell));
              const Cell::Reader mine = cell.Read();
              STEP(Publish(cell, 3) == Publication::kDone);
              STEP(!AllFreed(cell));
              STEP(mine.get()->ok());
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace precedent::internal
