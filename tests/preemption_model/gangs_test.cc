// Gangs for which too many jobs may be evicted to try every set: how far from the optimum
// the planner's ways lead, on clusters small enough to know it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "src/preemption/budgets.h"
#include "src/preemption/fleet.h"
#include "src/preemption/room.h"
#include "src/preemption/round.h"
#include "tests/preemption_model/random_cluster.h"
#include "tests/preemption_model/reference.h"

namespace precedent::preemption_model {
namespace {

v1::PreemptionPlan PlanOf(const Scenario& scenario, std::size_t most_exact) {
  internal::Fleet fleet(scenario.policy);
  fleet.SetClassOrder({scenario.cluster.class_order().begin(), scenario.cluster.class_order().end()});
  for (const v1::Node& node : scenario.cluster.nodes()) fleet.PutNode(node);
  for (const v1::ClusterJob& job : scenario.cluster.jobs()) fleet.PutJob(job);
  fleet.Settle({}, kNow * 1'000'000);
  return internal::Round(fleet, scenario.policy, {}, {}, kNow * 1'000'000, most_exact).Run();
}

TEST(PreemptionGangs, WithoutTryingEverySetTheyCostLittleMore) {
  const char* const text = std::getenv("PRECEDENT_CLUSTERS");
  const int count = text == nullptr ? 20'000 : std::atoi(text);
  int gangs = 0, dearer = 0, missed = 0;
  double excess = 0, worst = 0;
  for (int i = 0; i < count; ++i) {
    RandomCluster random(7'000'000'007u + static_cast<std::uint64_t>(i));
    Scenario scenario = random.Make();
    scenario.state.Clear();
    Reference reference(scenario.cluster, scenario.policy, scenario.state, kNow);
    const auto waiting = reference.Waiting();
    if (waiting.empty() || reference.Job(waiting[0]).pods_size() == 1) continue;
    const auto best = reference.Optimum(waiting[0]);
    const v1::PreemptionPlan plan = PlanOf(scenario, 0);
    const bool placed = plan.placements_size() > 0 && plan.placements(0).job() == waiting[0];
    ASSERT_FALSE(placed && !best.has_value()) << scenario.Text() << plan.DebugString();
    if (!best.has_value() || best->sets[0].empty()) {
      EXPECT_EQ(placed, best.has_value()) << scenario.Text() << plan.DebugString();
      continue;
    }
    ++gangs;
    missed += !placed;
    if (!placed) continue;
    ASSERT_EQ(reference.Apply(plan.placements(0)), "") << scenario.Text() << plan.DebugString();
    const double part = plan.placements(0).cost_gpu_seconds() / std::max(1.0, best->cost) - 1;
    dearer += part > 1e-9;
    excess += std::max(0.0, part);
    worst = std::max(worst, part);
  }
  std::printf("%d gangs with victims: %d not placed, %d dearer than the optimum, by %.2f %% on "
              "average over all, %.0f %% at worst\n",
              gangs, missed, dearer, 100 * excess / std::max(1, gangs - missed), 100 * worst);
  EXPECT_GT(gangs, count / 50);
  EXPECT_LE(excess, 0.01 * gangs);
  EXPECT_LE(worst, 1);
  EXPECT_LE(missed, gangs / 100);
}

}  // namespace
}  // namespace precedent::preemption_model
