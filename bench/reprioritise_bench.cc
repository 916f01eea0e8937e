// What it costs to keep a million living jobs' priorities up to date, as ratios within
// one run: time that passes, events and inheritance, against deriving all jobs anew.
//
//   reprioritise_bench [jobs]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "precedent/policy.h"
#include "precedent/reprioritiser.h"

namespace {

using precedent::JobDescriptor;
using precedent::JobEvent;
using precedent::PriorityChange;
using precedent::TimePoint;

TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

// Every job's priority changes once in 1000 seconds: at each second those of one in a
// thousand are due.
void Publish(precedent::LiveEvaluator& live, int base) {
  const auto result = precedent::LoadPolicy(
      "stages { rules { id: 'base' set: " + std::to_string(base) + R"( }
         rules { id: 'failures' add_scaled { of: FAILURE_COUNT points: -10 } }
         rules { id: 'large' when { gpu_count { above: 4 } } add: -50 }
         rules { id: 'team' when { team { prefix: "team-1" } } add: 7 }
         rules { id: 'waiting' order_only: true
                 add_scaled { of: WAIT_SECONDS points: 1 per: 1000 } } }
       propagation { from: DEPENDENTS decay_per_hop: 5 max_hops: 8 })");
  if (!result.ok() ||
      live.Publish(result.policy->evaluator()) != precedent::PublishStatus::kPublished)
    std::abort();
}

// Of this process' own time: others may be at work on the machine.
class Clock {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

double Median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  precedent::LineageGraph graph;
  precedent::LiveEvaluator live;
  precedent::DescriptorStore store;
  precedent::Reprioritiser reprioritiser(&graph, &live, &store);
  std::vector<PriorityChange> changes;
  Publish(live, 500);
  const auto id = [](int i) { return "00000000-0000-4000-8000-" + std::to_string(100'000'000 + i); };

  std::int64_t now = 10'000;
  for (int i = 0; i < jobs; ++i) {
    const std::string name = id(i), team = "team-" + std::to_string(i % 50), parent = id(i - 1);
    JobDescriptor job;
    job.team = team;
    job.workload_type = "training";
    job.gpu_count = i % 9;
    job.submitted = At(now - i % 1000);
    const precedent::ParentRef parents[] = {{parent, precedent::Relation::kDependsOn}};
    precedent::Submission submission;
    submission.id = name;
    submission.submitted = At(now);
    // Chains of eight, of which each waits for the one before.
    if (i % 8 != 0) submission.parents = precedent::Span<const precedent::ParentRef>(parents);
    if (!reprioritiser.Submit(submission, job, At(now), &changes).ok()) std::abort();
    changes.clear();
  }
  std::printf("%d jobs: %.0f bytes a job, without graph and descriptors\n", jobs,
              static_cast<double>(reprioritiser.counts().bytes) / jobs);

  std::vector<double> all;
  for (int round = 0; round < 3; ++round) {
    Publish(live, 501 + round);
    changes.clear();
    const Clock clock;
    reprioritiser.Advance(At(now), &changes);
    all.push_back(clock.seconds());
    if (static_cast<int>(changes.size()) != jobs) std::abort();
  }
  const double everything = Median(all);
  std::printf("deriving all anew:             %9.3f ms (%.0f ns a job)\n", everything * 1e3,
              everything * 1e9 / jobs);

  std::vector<double> due;
  for (int round = 0; round < 21; ++round) {
    ++now;
    changes.clear();
    const auto before = reprioritiser.counts().evaluations;
    const Clock clock;
    reprioritiser.Advance(At(now), &changes);
    due.push_back(clock.seconds());
    if (reprioritiser.counts().evaluations - before != static_cast<std::uint64_t>(jobs / 1000))
      std::abort();
  }
  const double ratio = Median(due) / everything;
  std::printf("Advance, 0.1 %% of them due:    %9.3f ms (%.0f ns a job that is due, %.2f %% of "
              "all; at most 1 %%: %s)\n",
              Median(due) * 1e3, Median(due) * 1e9 / (jobs / 1000), ratio * 100,
              ratio <= 0.01 ? "met" : "MISSED");

  // Nothing due: time passes within one second.
  const Clock idle;
  for (int i = 0; i < 1000; ++i) reprioritiser.Advance(At(now), &changes);
  std::printf("Advance, nothing due:          %9.6f ms\n", idle.seconds());

  // The chain before it falls and rises with each job.
  const Clock events;
  constexpr int kEvents = 100'000;
  for (int i = 0; i < kEvents; ++i) {
    changes.clear();
    const std::string name = id(static_cast<int>(std::int64_t{i} * 7919 % jobs));
    JobEvent event;
    event.job = name;
    event.kind = precedent::EventKind::kFailed;
    event.cause = precedent::Cause::kOwn;
    event.attempt = i / jobs + 1;
    event.time = At(now);
    if (!reprioritiser.Apply(event, At(now), &changes).ok()) std::abort();
    event.kind = precedent::EventKind::kStarted;
    ++event.attempt;
    if (!reprioritiser.Apply(event, At(now), &changes).ok()) std::abort();
  }
  std::printf("a failure and the next start:  %9.6f ms (%.1f jobs' derivations)\n",
              events.seconds() * 1e3 / kEvents,
              events.seconds() / kEvents / (everything / jobs));
  return ratio <= 0.01 ? 0 : 1;
}
