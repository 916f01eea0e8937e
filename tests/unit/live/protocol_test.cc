// The reload protocol step by step, in one thread: readers are stopped in every state
// there is, and what is freed and what is kept is exactly what has to be.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/live/checked_value.h"

namespace precedent::internal {
namespace {

TEST(Protocol, ReadsWhatWasPublishedLast) {
  Cell cell(64, 64);
  EXPECT_EQ(cell.Read().get(), nullptr);
  for (std::uint64_t n = 1; n <= 1000; ++n) {
    ASSERT_EQ(Publish(cell, n), Publication::kDone);
    const Cell::Reader reader = cell.Read();
    ASSERT_NE(reader.get(), nullptr);
    ASSERT_EQ(reader.get()->number(), n);
  }
  EXPECT_EQ(CheckedValue::alive(), 1) << "nobody reads the others";
  const Cell::Counts counts = cell.counts();
  EXPECT_EQ(counts.published, 1000u);
  EXPECT_EQ(counts.freed, 999u);
  EXPECT_EQ(counts.retired, 0u);
  EXPECT_EQ(counts.overflows, 0u);
}

TEST(Protocol, FreesEverythingAtTheEnd) {
  {
    Cell cell(64, 64);
    ASSERT_EQ(Publish(cell, 1), Publication::kDone);
    {
      const Cell::Reader reader = cell.Read();
      ASSERT_EQ(Publish(cell, 2), Publication::kDone);
    }
    EXPECT_EQ(CheckedValue::alive(), 2) << "nobody has looked since the reader left";
  }
  EXPECT_EQ(CheckedValue::alive(), 0);
}

TEST(Protocol, GuardKeepsItsValueAndNoOther) {
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  std::optional<Cell::Reader> stalled(cell.Read());
  for (std::uint64_t n = 2; n <= 100'000; ++n) {
    ASSERT_EQ(Publish(cell, n), Publication::kDone);
    ASSERT_LE(CheckedValue::alive(), 2) << "a narrowed reader pins one value";
    ASSERT_TRUE(stalled->get()->ok());
  }
  EXPECT_EQ(stalled->get()->number(), 1u);
  EXPECT_EQ(cell.counts().retired, 1u);
  EXPECT_FALSE(AllFreed(cell));
  stalled.reset();
  EXPECT_TRUE(AllFreed(cell));
  EXPECT_EQ(CheckedValue::alive(), 1);
}

TEST(Protocol, ReaderStoppedBeforeNarrowingKeepsAllUpToTheCap) {
  constexpr std::size_t kCap = 5;
  Cell cell(64, kCap);
  ASSERT_EQ(Publish(cell, 0), Publication::kDone);
  const Claim claim = PublishedPeer::Enter(cell);
  for (std::uint64_t n = 1; n <= kCap; ++n) {
    ASSERT_EQ(Publish(cell, n), Publication::kDone);
    // It may have got any of them, also the first.
    ASSERT_EQ(CheckedValue::alive(), static_cast<std::int64_t>(n) + 1);
  }
  ASSERT_EQ(Publish(cell, 99), Publication::kFull);
  EXPECT_EQ(cell.Read().get()->number(), kCap) << "a refused value changes nothing";
  EXPECT_EQ(cell.counts().full, 1u);
  EXPECT_EQ(cell.counts().retired, kCap);
  PublishedPeer::Leave(cell, claim);
  EXPECT_EQ(Publish(cell, 99), Publication::kDone);
  EXPECT_EQ(CheckedValue::alive(), 1);
}

TEST(Protocol, ReaderStoppedBeforeNarrowingDoesNotKeepWhatWasReplacedBefore) {
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  std::optional<Cell::Reader> first(cell.Read());
  ASSERT_EQ(Publish(cell, 2), Publication::kDone);
  const Claim claim = PublishedPeer::Enter(cell);
  first.reset();
  EXPECT_TRUE(AllFreed(cell));
  PublishedPeer::Leave(cell, claim);
}

// One slot, taken: whoever comes now is in overflow.
class Overflow : public testing::Test {
 protected:
  Cell cell_{1, 64};
  std::optional<Claim> slot_;
  void SetUp() override {
    ASSERT_EQ(Publish(cell_, 1), Publication::kDone);
    slot_ = PublishedPeer::Enter(cell_);
  }
  void LeaveSlot() { PublishedPeer::Leave(cell_, *std::exchange(slot_, std::nullopt)); }
};

TEST_F(Overflow, KeepsTheValue) {
  std::optional<Cell::Reader> reader(cell_.Read());
  EXPECT_EQ(cell_.counts().overflows, 1u);
  LeaveSlot();
  for (std::uint64_t n = 2; n < 12; ++n) {
    ASSERT_EQ(Publish(cell_, n), Publication::kDone);
    ASSERT_EQ(CheckedValue::alive(), static_cast<std::int64_t>(n));
    ASSERT_TRUE(reader->get()->ok());
  }
  reader.reset();
  EXPECT_TRUE(AllFreed(cell_));
  EXPECT_EQ(CheckedValue::alive(), 1);
}

TEST_F(Overflow, KeepsTheValueInEitherCounter) {
  std::vector<Cell::Reader> readers;
  readers.push_back(cell_.Read());
  LeaveSlot();
  ASSERT_EQ(Publish(cell_, 2), Publication::kDone);  // turns the phase
  const Claim claim = PublishedPeer::Enter(cell_);
  readers.push_back(cell_.Read());
  PublishedPeer::Leave(cell_, claim);
  for (std::uint64_t n = 3; n < 8; ++n) {
    ASSERT_EQ(Publish(cell_, n), Publication::kDone);
    for (const Cell::Reader& reader : readers) ASSERT_TRUE(reader.get()->ok());
    ASSERT_EQ(CheckedValue::alive(), static_cast<std::int64_t>(n));
  }
  readers.erase(readers.begin());
  ASSERT_FALSE(AllFreed(cell_));
  ASSERT_TRUE(readers[0].get()->ok());
  readers.clear();
  EXPECT_TRUE(AllFreed(cell_));
}

TEST_F(Overflow, ThatNeverEndsStillLetsValuesGo) {
  std::optional<Cell::Reader> one(cell_.Read());
  std::int64_t most = 0;
  for (std::uint64_t n = 2; n < 500; ++n) {
    // Somebody is inside at every moment; nobody stays.
    Cell::Reader next = cell_.Read();
    one.emplace(std::move(next));
    if (slot_) LeaveSlot();
    slot_ = PublishedPeer::Enter(cell_);
    ASSERT_EQ(Publish(cell_, n), Publication::kDone) << "starved";
    most = std::max<std::int64_t>(most, CheckedValue::alive());
    ASSERT_TRUE(one->get()->ok());
  }
  EXPECT_LE(most, 6);
}

TEST(Protocol, GuardsMove) {
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  Cell::Reader a = cell.Read();
  ASSERT_EQ(Publish(cell, 2), Publication::kDone);
  Cell::Reader b = std::move(a);
  EXPECT_EQ(a.get(), nullptr);  // NOLINT(bugprone-use-after-move): promised
  EXPECT_TRUE(b.get()->ok());
  EXPECT_EQ(b.get()->number(), 1u);
  a = cell.Read();
  EXPECT_FALSE(AllFreed(cell));
  b = std::move(a);  // lets go of 1
  EXPECT_TRUE(AllFreed(cell));
  EXPECT_EQ(b.get()->number(), 2u);
  Cell::Reader& self = b;
  b = std::move(self);
  EXPECT_EQ(b.get()->number(), 2u);
  std::vector<Cell::Reader> many;
  for (int i = 0; i < 100; ++i) many.push_back(cell.Read());
  ASSERT_EQ(Publish(cell, 3), Publication::kDone);
  for (const Cell::Reader& reader : many) EXPECT_TRUE(reader.get()->ok());
  EXPECT_GT(cell.counts().overflows, 0u) << "64 slots, and a thread tries 8";
  many.clear();
  b = cell.Read();
  EXPECT_TRUE(AllFreed(cell));
}

TEST(Protocol, RefusedValueChangesNothing) {
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 7), Publication::kDone);
  std::uint64_t seen = 0;
  EXPECT_EQ(cell.Publish(CheckedValue(8),
                         [&](const CheckedValue* live) {
                           seen = live->number();
                           return false;
                         }),
            Publication::kRefused);
  EXPECT_EQ(seen, 7u);
  EXPECT_EQ(cell.Read().get()->number(), 7u);
  EXPECT_EQ(CheckedValue::alive(), 1);
  EXPECT_EQ(cell.counts().refused, 1u);
}

TEST(Protocol, SynchronizeWaitsOnlyForWhatWasReplacedBefore) {
  Cell cell(64, 64);
  ASSERT_EQ(Publish(cell, 1), Publication::kDone);
  const Cell::Reader reader = cell.Read();
  EXPECT_TRUE(AllFreed(cell)) << "the live value is nobody's to wait for";
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(Publish(cell, 2), Publication::kDone);
  EXPECT_FALSE(cell.Synchronize(begin + std::chrono::milliseconds(50)));
  EXPECT_GE(std::chrono::steady_clock::now(), begin + std::chrono::milliseconds(50));
}

TEST(Slots, AreEnoughAndApart) {
  const std::uint32_t count = ClaimedSlots::DefaultCount();
  EXPECT_GE(count, 64u);
  EXPECT_GE(count, 4 * std::thread::hardware_concurrency());
  EXPECT_EQ(count & (count - 1), 0u);
  Cell cell(64, 64);
  std::vector<Claim> claims;
  for (int i = 0; i < 8; ++i) claims.push_back(PublishedPeer::Enter(cell));
  for (std::size_t i = 1; i < claims.size(); ++i) {
    const auto address = [&](std::size_t k) {
      return reinterpret_cast<std::uintptr_t>(claims[k].word);
    };
    EXPECT_EQ(address(i) % 128, 0u);
    EXPECT_NE(address(i), address(i - 1));
    EXPECT_FALSE(claims[i].counted);
  }
  for (const Claim& claim : claims) PublishedPeer::Leave(cell, claim);
}

}  // namespace
}  // namespace precedent::internal
