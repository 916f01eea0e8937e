// What preemption costs a fleet, and how long it takes to decide: the planner, which
// evicts whoever loses least, against kube-scheduler's order, youngest first.
//
//   preemption_bench [--nodes=N] [--running=N] [--pending=N] [--benchmark_filter=...]
//
// First a table: GPU-hours of work lost at equal placements, by how often jobs make
// checkpoints, and processor time of a full plan; then Google Benchmark's figures.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/preemption/compare.h"
#include "bench/preemption/youngest_first.h"

namespace {

using precedent::bench::Compare;
using precedent::bench::Comparison;
using precedent::bench::FleetOptions;
using precedent::bench::Times;

FleetOptions options;

// Fleets of a twentieth: what is lost is a matter of proportions.
void PrintLost() {
  std::printf("%-12s %8s %8s | %8s %10s %8s | %8s %10s %8s | %9s\n", "checkpoints", "waiting",
              "fleets", "placed", "lost GPU-h", "victims", "placed", "lost GPU-h", "victims",
              "planner");
  std::printf("%-12s %8s %8s | %28s | %28s | %9s\n", "", "", "", "planner", "youngest first",
              "loses");
  const int intervals[][2] = {{5, 5}, {5, 30}, {30, 30}};
  for (const auto& [shortest, longest] : intervals) {
    for (const int pending : {25, 100}) {
      Comparison sum;
      const int fleets = 10;
      bool same = true;
      for (int seed = 1; seed <= fleets; ++seed) {
        FleetOptions small;
        small.nodes = 250;
        small.running = 1'200;
        small.pending = pending;
        small.shortest_interval = shortest;
        small.longest_interval = longest;
        small.seed = static_cast<std::uint64_t>(seed);
        const Comparison one = Compare(small);
        same = same && one.same_jobs_placed;
        for (auto outcome : {&Comparison::planner, &Comparison::rival}) {
          (sum.*outcome).placed += (one.*outcome).placed;
          (sum.*outcome).victims += (one.*outcome).victims;
          (sum.*outcome).lost_gpu_hours += (one.*outcome).lost_gpu_hours;
        }
      }
      std::printf("%2d-%2d min    %8d %8d | %8d %10.1f %8d | %8d %10.1f %8d | %6.1f %% %s\n",
                  shortest, longest, pending, fleets, sum.planner.placed,
                  sum.planner.lost_gpu_hours, sum.planner.victims, sum.rival.placed,
                  sum.rival.lost_gpu_hours, sum.rival.victims,
                  100 * (sum.planner.lost_gpu_hours / sum.rival.lost_gpu_hours - 1),
                  same ? "" : "(other jobs placed)");
    }
  }
}

void PrintTimes() {
  const Times times = precedent::bench::Measure(options, 3);
  std::printf("\n%d nodes, up to %d running, %d waiting: processor time\n", options.nodes,
              options.running, options.pending);
  const auto line = [](const char* what, double seconds, const char* demanded) {
    std::printf("  %-52s %9.2f ms  %s\n", what, seconds * 1e3, demanded);
  };
  line("planner, full", times.planner, times.planner <= 0.1 ? "(<= 100: met)" : "(<= 100: MISSED)");
  line("planner, after one change", times.incremental,
       times.incremental <= 0.005 ? "(<= 5: met)" : "(<= 5: MISSED)");
  line("planner, after one change, a second later", times.second_later,
       times.second_later <= 0.005 ? "(<= 5: met)" : "(<= 5: MISSED)");
  line("youngest first, full, all nodes", times.rival, "");
  line("youngest first, full, a tenth of the nodes", times.rival_sampled, "");
  std::printf("\n");
}

const precedent::v1::Cluster& TheFleet() {
  static const auto* const fleet = new precedent::v1::Cluster(precedent::bench::Fleet(options));
  return *fleet;
}

// From messages: what one who keeps no planner pays.
void PlanPreemptionFromNothing(benchmark::State& state) {
  const precedent::v1::Cluster& fleet = TheFleet();
  for (auto _ : state) {
    const auto plan = precedent::PlanPreemption(
        fleet, {}, precedent::bench::FleetTime(precedent::bench::kFleetNow));
    if (!plan.ok()) return state.SkipWithError("the policy is refused");
    benchmark::DoNotOptimize(plan->placements_size());
  }
}
BENCHMARK(PlanPreemptionFromNothing)->Unit(benchmark::kMillisecond);

void YoungestFirst(benchmark::State& state) {
  precedent::bench::YoungestFirstOptions its;
  its.candidates_percent = static_cast<int>(state.range(0));
  precedent::bench::YoungestFirst rival(TheFleet(), its);
  for (auto _ : state) benchmark::DoNotOptimize(rival.Plan(precedent::bench::kFleetNow).placed.size());
}
BENCHMARK(YoungestFirst)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

bool Number(const char* argument, const char* name, int* value) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
  *value = std::atoi(argument + length + 1);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (!Number(argv[i], "--nodes", &options.nodes) &&
        !Number(argv[i], "--running", &options.running) &&
        !Number(argv[i], "--pending", &options.pending)) {
      std::fprintf(stderr, "preemption_bench: `%s` is not an option\n", argv[i]);
      return 2;
    }
  }
  PrintLost();
  PrintTimes();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
