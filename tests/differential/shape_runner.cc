#include "tests/differential/shape_runner.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/differential/settings.h"
#include "tests/differential/shrink.h"

namespace precedent::differential {
namespace {

constexpr std::uint64_t kDefaultPairs = 1'000'000;
// Longer than what is sorted at once, and no multiple of it.
constexpr int kLongQueue = kLess == 1 ? 9001 : 4100;
constexpr CheckOptions kEverything{/*explain=*/true, /*later_times=*/true};

bool Fails(const Failure& failure) {
  std::string error;
  const std::unique_ptr<Subject> subject = Subject::Make(failure.policy, &error);
  return subject != nullptr &&
         !subject->Check(failure.job.job, failure.job.now, kEverything).empty();
}

// A message about `failure`, made smaller.
std::string Story(Failure failure, const std::string& difference) {
  if (TheSettings().shrink && Fails(failure)) failure = Shrink(std::move(failure), Fails);
  std::string error, now_differs;
  if (const auto small = Subject::Make(failure.policy, &error))
    now_differs = small->Check(failure.job.job, failure.job.now, kEverything);
  return difference + "\nmade smaller:\n" + ToText(failure) + now_differs;
}

}  // namespace

bool AtFullSize() { return TheSettings().pairs >= kDefaultPairs; }

ImageFacts RunShape(const Shape& shape) {
  const Settings& settings = TheSettings();
  const int policies = std::max<int>(
      1, static_cast<int>(settings.pairs * static_cast<std::uint64_t>(shape.policies) /
                          kDefaultPairs));
  ImageFacts facts;
  std::uint64_t applied = 0, timed = 0;
  for (int i = 0; i < policies; ++i) {
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(i);
    const std::string place = "--seed=" + std::to_string(seed) + " --pairs=1";
    Random random(seed);
    const GeneratedPolicy generated = shape.make(random);
    std::string error;
    const std::unique_ptr<Subject> subject = Subject::Make(generated.policy, &error);
    if (subject == nullptr) {
      ADD_FAILURE() << place << "\n" << error << ToText(Failure{generated.policy, {}});
      return {};
    }
    facts.Add(subject->evaluator());
    JobGenerator generator(generated, random);
    std::vector<reference::Job> jobs;
    for (int j = 0; j < shape.jobs; ++j) {
      JobAtTime job = generator.Make();
      if (shape.adjust) shape.adjust(generated, random, &job);
      CheckOptions options;
      options.explain = j % 16 == 0;
      options.later_times = j % 4 == 0;
      reference::Outcome outcome;
      const std::string difference = subject->Check(job.job, job.now, options, &outcome);
      if (!difference.empty()) {
        ADD_FAILURE() << place << ", job " << j << "\n"
                      << Story(Failure{generated.policy, job}, difference);
        return {};
      }
      applied += outcome.rules.size();
      timed += outcome.valid_until_us.has_value();
      jobs.push_back(std::move(job.job));
    }
    const std::string difference =
        subject->CheckQueue(jobs, generated.base_time, i == 0 ? kLongQueue : 17 + i % 64, random);
    if (!difference.empty()) {
      ADD_FAILURE() << place << "\n" << difference << ToText(Failure{generated.policy, {}});
      return {};
    }
  }
  std::printf("%d policies, %d pairs, %.1f rules a job, %.2f decisions that end; images have\n%s",
              policies, policies * shape.jobs,
              static_cast<double>(applied) / policies / shape.jobs,
              static_cast<double>(timed) / policies / shape.jobs, facts.ToText().c_str());
  return facts;
}

}  // namespace precedent::differential
