// Seeded random policies and jobs: the library and the reference agree.
//
// Policy number i is made from seed + i and nothing else, so that a failure can be
// seen again with --seed=(the seed printed) --pairs=1.
#include <cstdio>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/differential/job_generator.h"
#include "tests/differential/policy_generator.h"
#include "tests/differential/random.h"
#include "tests/differential/settings.h"
#include "tests/differential/shrink.h"
#include "tests/differential/statistics.h"
#include "tests/differential/subject.h"

namespace precedent::differential {
namespace {

constexpr CheckOptions kEverything{/*explain=*/true, /*later_times=*/true};

bool Fails(const Failure& failure) {
  std::string error;
  const std::unique_ptr<Subject> subject = Subject::Make(failure.policy, &error);
  return subject != nullptr &&
         !subject->Check(failure.job.job, failure.job.now, kEverything).empty();
}

// Jobs for one policy: compiling costs more than evaluating, but for large ones.
int JobsFor(Style style) { return style == Style::kHuge ? 100 : 200; }

TEST(RandomPoliciesTest, AgreeWithTheReference) {
  const Settings& settings = TheSettings();
  std::printf("seed %llu, %llu pairs%s\n", static_cast<unsigned long long>(settings.seed),
              static_cast<unsigned long long>(settings.pairs),
              HasExplain() ? "" : ", without Explain");
  std::fflush(stdout);
  Statistics statistics;
  for (std::uint64_t i = 0; statistics.pairs() < settings.pairs; ++i) {
    const std::uint64_t seed = settings.seed + i;
    Random random(seed);
    const GeneratedPolicy generated = RandomPolicy(random);
    std::string error;
    const std::unique_ptr<Subject> subject = Subject::Make(generated.policy, &error);
    ASSERT_NE(subject, nullptr) << "--seed=" << seed << " --pairs=1\n"
                                << error << ToText(Failure{generated.policy, {}});
    statistics.BeginPolicy(generated.policy, subject->evaluator().lock_free());
    JobGenerator jobs(generated, random);
    const int count = JobsFor(generated.style);
    for (int j = 0; j < count; ++j) {
      const JobAtTime job = jobs.Make();
      CheckOptions options;
      options.explain = j % 16 == 0;
      options.later_times = j % 4 == 0;
      reference::Outcome outcome;
      const std::string difference = subject->Check(job.job, job.now, options, &outcome);
      if (!difference.empty()) {
        Failure failure{generated.policy, job};
        if (settings.shrink && Fails(failure)) failure = Shrink(std::move(failure), Fails);
        std::string now_differs;
        if (const auto small = Subject::Make(failure.policy, &error))
          now_differs = small->Check(failure.job.job, failure.job.now, kEverything);
        FAIL() << "--seed=" << seed << " --pairs=1, job " << j << "\n"
               << difference << "\nmade smaller:\n"
               << ToText(failure) << now_differs;
      }
      statistics.Add(outcome);
    }
    statistics.EndPolicy();
  }
  std::printf("%s", statistics.ToText().c_str());
  if (statistics.pairs() < 500'000) return;  // too few to ask the following of them

  // That nothing differed means something only if something happened.
  EXPECT_GT(statistics.PerPair("applied with conditions"), 1.0);
  EXPECT_GT(statistics.PerPair("jobs that satisfy a condition"), 0.6);
  EXPECT_GT(static_cast<double>(statistics.count("conditional rules that applied")) /
                static_cast<double>(statistics.count("conditional rules")),
            0.3);
  for (const char* effect :
       {"set", "add", "add_scaled", "at_least", "at_most", "order_only", "priority_class",
        "limit_runtime_seconds", "share_identifier", "never_preempt_others", "annotate", "warn",
        "deny", "final", "first match", "temporary", "with several matches"})
    EXPECT_GT(statistics.PerPair(std::string("applied ") + effect), 0.004) << effect;
  EXPECT_GT(statistics.PerPair("invalid jobs"), 0.003);
  EXPECT_GT(statistics.PerPair("ignored claims"), 0.01);
  EXPECT_GT(statistics.PerPair("finite valid_until"), 0.1);
  EXPECT_GT(statistics.PerPair("two priorities"), 0.05);
  EXPECT_GT(statistics.PerPair("jobs with more than 200 rules"), 0.0005);
  EXPECT_GT(statistics.PerPolicy("lock-free policies"), 0.35);
  EXPECT_LT(statistics.PerPolicy("lock-free policies"), 0.98);
  EXPECT_GT(statistics.PerPolicy("policies of more than 1000 rules"), 0.002);
}

}  // namespace
}  // namespace precedent::differential
