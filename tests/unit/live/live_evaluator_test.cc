// LiveEvaluator as an embedder meets it.
#include "precedent/live_evaluator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/unit/policies.h"

namespace precedent {
namespace {

using testing::At;
using testing::Compile;

Evaluator Policy(int priority, int generation = 0) {
  return Compile("generation: " + std::to_string(generation) + " stages { rules { id: 'r' set: " +
                 std::to_string(priority) + " } } priority_classes { name: 'c" +
                 std::to_string(priority) + "' at_least: 0 }")
      .evaluator();
}

constexpr auto kNow = std::chrono::steady_clock::time_point::min();  // look once

TEST(LiveEvaluator, FallsBackUntilAPolicyIsLive) {
  std::string name = "standard-class-with-a-long-name";
  LiveEvaluator live(Fallback{321, name});
  name.assign(name.size(), 'x');  // the class is copied
  const LiveEvaluator::Guard guard = live.read();
  EXPECT_EQ(guard.evaluator(), nullptr);
  for (const Decision& decision : {guard.Evaluate(JobDescriptor(), At(0)), guard.fallback()}) {
    EXPECT_EQ(decision.reason, Reason::kFallbackNoPolicy);
    EXPECT_EQ(decision.priority, 321);
    EXPECT_EQ(decision.preemption_priority, 321);
    EXPECT_EQ(decision.priority_class, "standard-class-with-a-long-name");
    EXPECT_EQ(decision.policy_fingerprint, "");
    EXPECT_EQ(decision.valid_until, kForever);
  }
  // A job that no policy could take is no different: there is no policy to say so.
  JobDescriptor invalid;
  invalid.gpu_count = -1;
  EXPECT_EQ(guard.Evaluate(invalid, At(0)).reason, Reason::kFallbackNoPolicy);

  ASSERT_EQ(live.Publish(Policy(7)), PublishStatus::kPublished);
  // The guard keeps what it saw; a new one sees the policy, and the policy's own
  // fallback has won.
  EXPECT_EQ(guard.Evaluate(JobDescriptor(), At(0)).reason, Reason::kFallbackNoPolicy);
  const LiveEvaluator::Guard next = live.read();
  EXPECT_EQ(next.Evaluate(JobDescriptor(), At(0)).reason, Reason::kDerived);
  EXPECT_EQ(next.Evaluate(JobDescriptor(), At(0)).priority, 7);
  EXPECT_EQ(next.Evaluate(invalid, At(0)).reason, Reason::kFallbackInvalidInput);
  EXPECT_EQ(next.Evaluate(invalid, At(0)).priority, 500);
}

TEST(LiveEvaluator, DefaultFallback) {
  LiveEvaluator live;
  const LiveEvaluator::Guard guard = live.read();
  EXPECT_EQ(guard.Evaluate(JobDescriptor(), At(0)).priority, 500);
  EXPECT_EQ(guard.Evaluate(JobDescriptor(), At(0)).priority_class, "");
}

TEST(LiveEvaluator, GuardKeepsItsPolicyAlive) {
  LiveEvaluator live;
  ASSERT_EQ(live.Publish(Policy(1)), PublishStatus::kPublished);
  std::optional<LiveEvaluator::Guard> guard(live.read());
  const Decision before = guard->Evaluate(JobDescriptor(), At(0));
  const std::string fingerprint(before.policy_fingerprint);
  for (int i = 2; i < 200; ++i) {
    ASSERT_EQ(live.Publish(Policy(i)), PublishStatus::kPublished);
    ASSERT_LE(live.counts().retired, 1u);
  }
  // The views of the old decision still hold, and one guard means one policy.
  EXPECT_EQ(before.priority_class, "c1");
  EXPECT_EQ(before.policy_fingerprint, fingerprint);
  EXPECT_EQ(guard->Evaluate(JobDescriptor(), At(0)).priority, 1);
  EXPECT_EQ(guard->evaluator()->fingerprint(), fingerprint);
  const LiveEvaluator::Guard now = live.read();
  EXPECT_EQ(now.Evaluate(JobDescriptor(), At(0)).priority, 199);
  EXPECT_FALSE(live.Synchronize(kNow));
  guard.reset();
  EXPECT_TRUE(live.Synchronize(kNow));
  const LiveCounts counts = live.counts();
  EXPECT_EQ(counts.published, 199u);
  EXPECT_EQ(counts.freed, 198u);
  EXPECT_EQ(counts.retired, 0u);
}

TEST(LiveEvaluator, BindsAndListsThroughTheGuard) {
  LiveEvaluator live;
  ASSERT_EQ(live.Publish(Policy(42)), PublishStatus::kPublished);
  const LiveEvaluator::Guard guard = live.read();
  const Evaluator* evaluator = guard.evaluator();
  ASSERT_NE(evaluator, nullptr);
  std::vector<std::uint64_t> storage(evaluator->bound_size() / 8);
  const BoundJob bound =
      evaluator->Bind(JobDescriptor(), {reinterpret_cast<std::byte*>(storage.data()),
                                        evaluator->bound_size()});
  EXPECT_EQ(evaluator->Evaluate(bound, At(0)).priority, 42);
  std::uint32_t rules[1];
  EXPECT_EQ(evaluator->AppliedRules(bound, At(0), rules), 1u);
}

TEST(LiveEvaluator, GenerationDoesNotGoBackUnlessTold) {
  LiveEvaluator live;
  const auto priority = [&] {
    const LiveEvaluator::Guard guard = live.read();
    return guard.Evaluate(JobDescriptor(), At(0)).priority;
  };
  ASSERT_EQ(live.Publish(Policy(1, -3)), PublishStatus::kPublished) << "there was none before";
  ASSERT_EQ(live.Publish(Policy(2, 5)), PublishStatus::kPublished);
  EXPECT_EQ(live.Publish(Policy(3, 4)), PublishStatus::kOlderGeneration);
  EXPECT_EQ(live.Publish(Policy(3, 0)), PublishStatus::kOlderGeneration);
  EXPECT_EQ(priority(), 2);
  EXPECT_EQ(live.counts().refused_older, 2u);
  EXPECT_EQ(live.Publish(Policy(4, 5)), PublishStatus::kPublished) << "equal is fine";
  EXPECT_EQ(priority(), 4);
  PublishOptions rollback;
  rollback.allow_older_generation = true;
  EXPECT_EQ(live.Publish(Policy(5, 4), rollback), PublishStatus::kPublished);
  EXPECT_EQ(priority(), 5);
  // From here on 4 is what counts.
  EXPECT_EQ(live.Publish(Policy(6, 3)), PublishStatus::kOlderGeneration);
  EXPECT_EQ(live.Publish(Policy(6, 4)), PublishStatus::kPublished);
}

TEST(LiveEvaluator, RefusesWhenReadersHoldTooMany) {
  LiveOptions options;
  options.max_retired = 3;
  LiveEvaluator live({}, options);
  std::vector<LiveEvaluator::Guard> guards;
  ASSERT_EQ(live.Publish(Policy(0)), PublishStatus::kPublished);
  for (int i = 1; i <= 3; ++i) {
    guards.push_back(live.read());
    ASSERT_EQ(live.Publish(Policy(i)), PublishStatus::kPublished);
  }
  EXPECT_EQ(live.Publish(Policy(9)), PublishStatus::kResourceExhausted);
  EXPECT_EQ(live.counts().refused_exhausted, 1u);
  EXPECT_EQ(live.counts().retired, 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(guards[static_cast<std::size_t>(i)].Evaluate(JobDescriptor(), At(0)).priority, i);
  guards.pop_back();  // any one of them
  EXPECT_EQ(live.Publish(Policy(9)), PublishStatus::kPublished);
}

TEST(LiveEvaluator, StatusTexts) {
  for (const PublishStatus status :
       {PublishStatus::kPublished, PublishStatus::kOlderGeneration,
        PublishStatus::kResourceExhausted}) {
    const std::string_view text = PublishStatusText(status);
    EXPECT_FALSE(text.empty());
    EXPECT_NE(text.back(), '.');
    EXPECT_NE(text, "unknown status");
  }
}

TEST(LiveEvaluator, SlotsAreRoundedUp) {
  LiveOptions options;
  options.slots = 3;
  LiveEvaluator live({}, options);
  ASSERT_EQ(live.Publish(Policy(1)), PublishStatus::kPublished);
  std::vector<LiveEvaluator::Guard> guards;
  for (int i = 0; i < 4; ++i) guards.push_back(live.read());
  EXPECT_EQ(live.counts().overflows, 0u);
  guards.push_back(live.read());
  EXPECT_EQ(live.counts().overflows, 1u);
  EXPECT_EQ(guards.back().Evaluate(JobDescriptor(), At(0)).priority, 1);
}

// Guards and whole evaluations, many threads, real policies.
TEST(LiveEvaluator, EveryDecisionIsOfOnePolicy) {
  std::vector<Evaluator> policies;
  std::vector<std::string> fingerprints;
  for (int i = 0; i < 16; ++i) {
    policies.push_back(Policy(i));
    fingerprints.emplace_back(policies.back().fingerprint());
  }
  LiveEvaluator live;
  ASSERT_EQ(live.Publish(policies[0]), PublishStatus::kPublished);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!stop) {
        const LiveEvaluator::Guard guard = live.read();
        const Decision decision = guard.Evaluate(JobDescriptor(), At(0));
        const auto i = static_cast<std::size_t>(decision.priority);
        if (decision.priority_class != "c" + std::to_string(i) ||
            decision.policy_fingerprint != fingerprints[i])
          ++wrong;
      }
    });
  int published = 0;
  for (int i = 0; i < 3000; ++i)
    if (live.Publish(policies[static_cast<std::size_t>(i) % policies.size()]) ==
        PublishStatus::kPublished)
      ++published;
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(published, 0);
  EXPECT_TRUE(live.Synchronize(kNow));
}

static_assert(!std::is_copy_constructible_v<LiveEvaluator::Guard>);
static_assert(!std::is_copy_assignable_v<LiveEvaluator::Guard>);
static_assert(std::is_nothrow_move_constructible_v<LiveEvaluator::Guard>);
static_assert(std::is_nothrow_move_assignable_v<LiveEvaluator::Guard>);
static_assert(!std::is_move_constructible_v<LiveEvaluator>);
static_assert(std::is_trivially_destructible_v<decltype(internal::first_slot)>);

TEST(LiveEvaluator, MovedGuardIsOneWithoutPolicy) {
  LiveEvaluator live(Fallback{11, ""});
  ASSERT_EQ(live.Publish(Policy(1)), PublishStatus::kPublished);
  LiveEvaluator::Guard guard = live.read();
  const LiveEvaluator::Guard taken = std::move(guard);
  EXPECT_EQ(taken.Evaluate(JobDescriptor(), At(0)).priority, 1);
  EXPECT_EQ(guard.Evaluate(JobDescriptor(), At(0)).priority, 11);  // NOLINT: promised
}

}  // namespace
}  // namespace precedent
