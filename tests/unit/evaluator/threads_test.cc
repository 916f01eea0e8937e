// One evaluator, many threads; and policies loaded and explained beside it. What a race
// would look like is ThreadSanitizer's to say; without it, answers must not differ.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/evaluator.h"
#include "precedent/explain.h"
#include "tests/unit/policies.h"

namespace precedent {
namespace {

std::string Policy() {
  std::string text = "time_zone: 'Europe/Berlin' stages {";
  for (int i = 0; i < 50; ++i)
    text += " rules { id: 'r" + std::to_string(i) + "' when { team { in: 'team-" +
            std::to_string(i) + "' } } add: " + std::to_string(i) + " }";
  text +=
      " rules { id: 'x' when { team { regex: 'team-[0-9]+' } hour_of_day { below: 12 } } add: 100 }"
      " rules { id: 'w' order_only: true add_scaled { of: WAIT_SECONDS points: 1 per: 60 } } }";
  return text;
}

TEST(Threads, ShareOneEvaluator) {
  const CompiledPolicy policy = testing::Compile(Policy());
  ASSERT_FALSE(policy.evaluator().lock_free()) << "the pattern engine is shared too";
  const std::vector<std::string> teams = {"team-3", "team-49", "other", ""};
  const auto decide = [&](std::size_t i) {
    JobDescriptor job;
    job.team = teams[i % teams.size()];
    job.submitted = testing::At(0);
    return policy.evaluator().Evaluate(job, testing::At(3600 * static_cast<int>(i % 24))).priority;
  };
  std::vector<std::int32_t> expected;
  for (std::size_t i = 0; i < 24 * teams.size(); ++i) expected.push_back(decide(i));

  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 3000; ++i) {
        const std::size_t k = (i * 7 + t) % expected.size();
        if (decide(k) != expected[k]) ++wrong;
        if (i % 500 != 0) continue;
        // Compiling, copying and explaining beside it.
        const CompiledPolicy other = testing::Compile(Policy());
        const Evaluator copy = policy.evaluator();
        JobDescriptor job;
        job.team = "team-3";
        if (Explain(policy, job, testing::At(0)).decision.priority !=
            other.evaluator().Evaluate(job, testing::At(0)).priority)
          ++wrong;
        if (copy.fingerprint() != other.evaluator().fingerprint()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace precedent
