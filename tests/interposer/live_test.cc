// A million reads of a live policy: no allocation, no lock, no system call, also where
// slots run out; and what a policy that needs RE2 does, and how it is told and refused.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "precedent/live_evaluator.h"
#include "precedent/policy.h"
#include "tests/interposer/interposer.h"
#include "tests/interposer/system_calls.h"

namespace precedent::interposer {
namespace {

constexpr int kReads = 1'000'000;
constexpr std::string_view kPolicy =
    "stages { rules { id: 'a' when { team { in: 'x' } } set: 7 } }"
    "priority_classes { name: 'c' at_least: 0 }";
constexpr std::string_view kPatternPolicy =
    "stages { rules { id: 'a' when { team { regex: '(?i).*x[0-9]+.*' } } set: 7 } }";

struct LiveLoop {
  LiveEvaluator* live = nullptr;
  int reads = kReads;
  int nested = 1;
  JobDescriptor job;
  std::int64_t sum = 0;  // keeps the work from being optimised away
};

void RunLive(void* argument) {
  LiveLoop& loop = *static_cast<LiveLoop*>(argument);
  const TimePoint now{std::chrono::seconds(1'700'000'000)};
  for (int i = 0; i < loop.reads; ++i) {
    std::optional<LiveEvaluator::Guard> guards[12];
    for (int k = 0; k < loop.nested; ++k) guards[k].emplace(loop.live->read());
    LiveEvaluator::Guard guard = std::move(*guards[0]);
    loop.sum += guard.Evaluate(loop.job, now).priority;
    if (guard.evaluator() != nullptr) loop.sum += guard.evaluator()->generation();
  }
}

Counts CountLive(LiveLoop& loop) {
  Start();
  RunLive(&loop);
  return Stop();
}

void ExpectSilence(LiveLoop& loop) {
  const Counts counts = CountLive(loop);
  EXPECT_EQ(counts.allocations, 0u);
  EXPECT_EQ(counts.locks, 0u);
  // In a forked process, where the first read also finds its slots wiped.
  const SystemCalls calls = CountSystemCalls(RunLive, &loop);
  if (calls.supported) {
    EXPECT_TRUE(calls.finished);
    EXPECT_EQ(calls.count, 0u);
  }
  // And in a new thread, from its first read on.
  std::thread([&] {
    loop.reads = 10;
    const Counts first = CountLive(loop);
    EXPECT_EQ(first.allocations, 0u);
    EXPECT_EQ(first.locks, 0u);
  }).join();
  EXPECT_NE(loop.sum, 0);
}

TEST(InterposerLive, FallbackIsSilent) {
  LiveEvaluator live(Fallback{5, "none"});
  LiveLoop loop;
  loop.live = &live;
  ExpectSilence(loop);
}

TEST(InterposerLive, ReadsAreSilent) {
  const CompileResult result = LoadPolicy(kPolicy);
  ASSERT_TRUE(result.ok());
  LiveEvaluator live;
  ASSERT_EQ(live.Publish(result.policy->evaluator()), PublishStatus::kPublished);
  LiveLoop loop;
  loop.live = &live;
  loop.job.team = "x";
  ExpectSilence(loop);
  EXPECT_EQ(live.counts().overflows, 0u);
}

TEST(InterposerLive, ReadsInOverflowAreSilent) {
  const CompileResult result = LoadPolicy(kPolicy);
  ASSERT_TRUE(result.ok());
  LiveOptions few;
  few.slots = 2;
  LiveEvaluator live({}, few);
  ASSERT_EQ(live.Publish(result.policy->evaluator()), PublishStatus::kPublished);
  LiveLoop loop;
  loop.live = &live;
  loop.reads = kReads / 10;
  loop.nested = 12;
  loop.job.team = "x";
  ExpectSilence(loop);
  EXPECT_GE(live.counts().overflows, 10u * loop.reads);
}

TEST(InterposerLive, CountsWhatAPublishDoes) {
  const CompileResult result = LoadPolicy(kPolicy);
  ASSERT_TRUE(result.ok());
  LiveEvaluator live;
  Start();
  EXPECT_EQ(live.Publish(result.policy->evaluator()), PublishStatus::kPublished);
  const Counts counts = Stop();
  EXPECT_GT(counts.allocations, 0u);
  EXPECT_GT(counts.locks, 0u);
}

TEST(InterposerLive, PolicyThatNeedsRe2IsToldAndRefused) {
  CompileResult result = LoadPolicy(kPatternPolicy);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result.policy->evaluator().lock_free());
  bool noted = false;
  for (const Issue& issue : result.issues)
    noted = noted || (issue.severity == Severity::kNote &&
                      issue.message.find("lock") != std::string::npos);
  EXPECT_TRUE(noted) << "a note says so";
  // What is said is true.
  LiveEvaluator live;
  ASSERT_EQ(live.Publish(result.policy->evaluator()), PublishStatus::kPublished);
  LiveLoop loop;
  loop.live = &live;
  loop.reads = 1000;
  loop.job.team = "ax12b";
  EXPECT_GT(CountLive(loop).locks, 0u);

  CompileOptions strict;
  strict.require_lock_free = true;
  result = LoadPolicy(kPatternPolicy, strict);
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(HasErrors(result.issues));
  EXPECT_TRUE(LoadPolicy(kPolicy, strict).ok());
}

}  // namespace
}  // namespace precedent::interposer
