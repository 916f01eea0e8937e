#include "bench/preemption/compare.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/preemption/youngest_first.h"

namespace precedent::bench {
namespace {

double ProcessorSeconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "preemption bench: %s\n", what);
  std::exit(1);
}

PreemptionPlanner PlannerOf(const v1::Cluster& cluster) {
  auto planner = PreemptionPlanner::Create(v1::PreemptionPolicy());
  if (!planner.ok()) Fail("the default policy is refused");
  planner->SetClassOrder({cluster.class_order().begin(), cluster.class_order().end()});
  for (const v1::Node& node : cluster.nodes())
    if (!planner->PutNode(node).ok()) Fail("a node is refused");
  for (const v1::ClusterJob& job : cluster.jobs())
    if (!planner->PutJob(job).ok()) Fail("a job is refused");
  return *std::move(planner);
}

Outcome OutcomeOf(const v1::Cluster& cluster, std::size_t placed,
                  const std::vector<std::string>& victims) {
  std::map<std::string, const v1::ClusterJob*> jobs;
  for (const v1::ClusterJob& job : cluster.jobs()) jobs[job.id()] = &job;
  Outcome outcome;
  outcome.placed = static_cast<int>(placed);
  outcome.victims = static_cast<int>(victims.size());
  for (const std::string& victim : victims) {
    const v1::ClusterJob& job = *jobs.at(victim);
    outcome.lost_gpu_hours += LostGpuSeconds(job, kFleetNow) / 3600;
    for (const v1::ClusterPod& pod : job.pods())
      outcome.restart_gpu_hours += static_cast<double>(pod.gpu_milli()) / 1000 / 60;
  }
  return outcome;
}

// The job that runs whose checkpoint is made between two plans.
v1::ClusterJob Changed(const v1::Cluster& cluster, int round) {
  v1::ClusterJob job = cluster.jobs(1 + 7 * round);
  job.mutable_last_checkpoint()->set_seconds(kFleetNow - 1);
  return job;
}

}  // namespace

Comparison Compare(const FleetOptions& options) {
  const v1::Cluster cluster = Fleet(options);
  Comparison comparison;
  std::set<std::string> placed, placed_by_rival;
  std::vector<std::string> victims;
  const v1::PreemptionPlan plan = PlannerOf(cluster).Plan(FleetTime(kFleetNow));
  for (const v1::Placement& placement : plan.placements()) {
    placed.insert(placement.job());
    for (const v1::Victim& victim : placement.victims()) victims.push_back(victim.job());
  }
  comparison.planner = OutcomeOf(cluster, placed.size(), victims);
  const YoungestFirstPlan rival = YoungestFirst(cluster, YoungestFirstOptions()).Plan(kFleetNow);
  placed_by_rival.insert(rival.placed.begin(), rival.placed.end());
  comparison.rival = OutcomeOf(cluster, placed_by_rival.size(), rival.victims);
  comparison.same_jobs_placed = placed == placed_by_rival;
  return comparison;
}

Times Measure(const FleetOptions& options, int rounds) {
  const v1::Cluster cluster = Fleet(options);
  YoungestFirst rival(cluster, YoungestFirstOptions());
  YoungestFirstOptions sampled;
  sampled.candidates_percent = 10;
  YoungestFirst rival_sampled(cluster, sampled);
  Times times;
  const auto measure = [](int round, double* least, auto&& work) {
    const double begin = ProcessorSeconds();
    work();
    const double time = ProcessorSeconds() - begin;
    *least = round == 0 ? time : std::min(*least, time);
  };
  for (int round = 0; round < rounds; ++round) {
    PreemptionPlanner planner = PlannerOf(cluster);
    std::int64_t now = kFleetNow;
    measure(round, &times.planner, [&] { planner.Plan(FleetTime(now)); });
    measure(round, &times.incremental, [&] {
      if (!planner.PutJob(Changed(cluster, round)).ok()) Fail("a job is refused");
      planner.Plan(FleetTime(now));
    });
    measure(round, &times.second_later, [&] {
      if (!planner.PutJob(Changed(cluster, round + 100)).ok()) Fail("a job is refused");
      planner.Plan(FleetTime(++now));
    });
    measure(round, &times.rival, [&] { rival.Plan(kFleetNow); });
    measure(round, &times.rival_sampled, [&] { rival_sampled.Plan(kFleetNow); });
  }
  return times;
}

}  // namespace precedent::bench
