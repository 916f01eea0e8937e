// Random small clusters, planned by the planner and by the reference: never an illegal
// plan, a plan whenever there is one, of least cost for a single pod (and near it for a
// gang), with true reasons, in time, and the same in whatever order things come.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "precedent/preemption.h"
#include "tests/preemption_model/random_cluster.h"
#include "tests/preemption_model/reference.h"

namespace precedent::preemption_model {
namespace {

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TimePoint At(double seconds) {
  return TimePoint(std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6)));
}

absl::StatusOr<PreemptionPlanner> PlannerOf(const Scenario& scenario) {
  auto planner = PreemptionPlanner::Create(scenario.policy);
  if (!planner.ok()) return planner;
  const auto& order = scenario.cluster.class_order();
  planner->SetClassOrder({order.begin(), order.end()});
  for (const v1::Node& node : scenario.cluster.nodes())
    if (const auto status = planner->PutNode(node); !status.ok()) return status;
  for (const v1::ClusterJob& job : scenario.cluster.jobs())
    if (const auto status = planner->PutJob(job); !status.ok()) return status;
  if (const auto status = planner->Restore(scenario.state); !status.ok()) return status;
  return planner;
}

// Pods of a placement by name, whatever their order in the job.
std::string Canonical(v1::PreemptionPlan plan) {
  for (v1::Placement& placement : *plan.mutable_placements())
    std::sort(placement.mutable_pods()->begin(), placement.mutable_pods()->end(),
              [](const auto& a, const auto& b) { return a.pod() < b.pod(); });
  std::sort(plan.mutable_remarks()->begin(), plan.mutable_remarks()->end());
  return plan.DebugString();
}

struct Totals {
  int clusters = 0, placed = 0, evicting = 0, unplaced = 0, optimal = 0, gangs = 0;
  double gang_excess = 0, gang_worst = 0;
  std::map<std::string, int> reasons;
};

// A set of victims is no worse than another if none of it started before the other's.
bool StartedLater(const Reference& reference, const std::vector<std::string>& a,
                  const std::vector<std::string>& b) {
  const auto starts = [&](const std::vector<std::string>& set) {
    std::vector<double> all;
    for (const std::string& id : set) all.push_back(Seconds(reference.Job(id).started()));
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto left = starts(a), right = starts(b);
  bool later = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] < right[i]) return false;
    later = later || left[i] > right[i];
  }
  return later || (left == right && a < b);
}

class Check {
 public:
  Check(const Scenario& scenario, const v1::PreemptionPlan& plan, Totals* totals)
      : plan_(plan), totals_(totals),
        reference_(scenario.cluster, scenario.policy, scenario.state, kNow) {}

  // What is wrong; empty: nothing.
  std::string Run() {
    int placed = 0, unplaced = 0;
    for (const std::string& id : reference_.Waiting()) {
      std::string wrong;
      if (placed < plan_.placements_size() && plan_.placements(placed).job() == id) {
        wrong = Placed(plan_.placements(placed++));
      } else if (unplaced < plan_.unplaced_size() && plan_.unplaced(unplaced).job() == id) {
        wrong = Unplaced(plan_.unplaced(unplaced++));
      } else {
        wrong = "is not in the plan, or not in its order";
      }
      if (!wrong.empty()) return id + ": " + wrong;
    }
    if (placed != plan_.placements_size()) return "places what does not wait";
    for (; unplaced < plan_.unplaced_size(); ++unplaced)
      if (plan_.unplaced(unplaced).reason() != v1::Unplaced::GANG_HALF)
        return "names what does not wait";
    return "";
  }

 private:
  std::string Placed(const v1::Placement& placement) {
    const v1::ClusterJob& job = reference_.Job(placement.job());
    const auto best = reference_.Optimum(job.id());
    std::vector<std::string> victims;
    for (const v1::Victim& victim : placement.victims()) victims.push_back(victim.job());
    ++totals_->placed;
    totals_->evicting += !victims.empty();
    if (best.has_value()) {
      const double excess = placement.cost_gpu_seconds() - best->cost;
      if (job.pods_size() == 1) {
        if (excess > 1e-6) return "costs more than the optimum " + std::to_string(best->cost);
        if (victims.size() > best->sets[0].size()) return "evicts more than it has to";
        if (excess > -1e-6) {
          for (const auto& other : best->sets)
            if (StartedLater(reference_, other, victims)) return "evicts those who started earlier";
        }
      } else if (!best->sets[0].empty()) {
        // A cost of nothing: two victims that lose nothing where there might be one.
        const double part = best->cost > 0 ? excess / best->cost : 0;
        ++totals_->gangs;
        totals_->gang_excess += part;
        totals_->gang_worst = std::max(totals_->gang_worst, part);
        if (part > 0.5) return "gang costs more than 1.5 x the optimum " + std::to_string(best->cost);
      } else if (!victims.empty()) {
        return "evicts although there is room";
      }
    }
    return reference_.Apply(placement);
  }

  std::string Unplaced(const v1::Unplaced& unplaced) {
    ++totals_->unplaced;
    const auto best = reference_.Optimum(unplaced.job());
    const std::string reason = v1::Unplaced::Reason_Name(unplaced.reason());
    ++totals_->reasons[reason];
    if (best.has_value()) return reason + ", but it can be placed at " + std::to_string(best->cost);
    const auto reasons = reference_.Reasons(unplaced.job());
    if (reasons.count(unplaced.reason()) == 0) {
      std::string text = reason + " is not true; true is";
      for (const auto r : reasons) text += " " + v1::Unplaced::Reason_Name(r);
      return text;
    }
    if (unplaced.text().empty()) return "has no text";
    if (reference_.Waiting().size() > 1) return "";
    const auto from = reference_.PlaceableFrom(unplaced.job());
    if (!from.has_value()) return "";
    if (!plan_.has_next_wake()) return "never wakes, though it can be placed at " + std::to_string(*from);
    const double wake = Seconds(plan_.next_wake());
    if (wake <= kNow) return "wakes in the past";
    if (wake > *from + 1e-6) return "wakes after it can be placed, at " + std::to_string(*from);
    return "";
  }

  const v1::PreemptionPlan& plan_;
  Totals* const totals_;
  Reference reference_;
};

TEST(PreemptionModel, RandomClusters) {
  const std::uint64_t count = Setting("PRECEDENT_CLUSTERS", 4000);
  const std::uint64_t seed = Setting("PRECEDENT_SEED", 1);
  const std::uint64_t most_failures = Setting("PRECEDENT_FAILURES", 1);
  Totals totals;
  std::uint64_t failures = 0;
  for (std::uint64_t i = 0; i < count && failures < most_failures; ++i) {
    RandomCluster random(seed * 1'000'000'007 + i);
    Scenario scenario = random.Make();
    const auto wrong = [&](const std::string& what, const std::string& plan) {
      ++failures;
      ADD_FAILURE() << "cluster " << i << " of seed " << seed << ": " << what << "\n"
                    << scenario.Text() << "plan {\n" << plan << "}";
    };
    auto planner = PlannerOf(scenario);
    if (!planner.ok()) {
      wrong(std::string(planner.status().message()), "");
      continue;
    }
    const v1::PreemptionPlan plan = planner->Plan(At(kNow));
    ++totals.clusters;
    if (const std::string what = Check(scenario, plan, &totals).Run(); !what.empty()) {
      wrong(what, plan.DebugString());
      continue;
    }
    if (planner->Plan(At(kNow)).DebugString() != plan.DebugString())
      wrong("asked twice it says another thing", plan.DebugString());
    Scenario shuffled = scenario;
    random.Shuffle(&shuffled);
    auto again = PlannerOf(shuffled);
    const std::string other = again.ok() ? Canonical(again->Plan(At(kNow))) : "refused";
    if (other != Canonical(plan)) wrong("in another order: " + other, plan.DebugString());
    if (scenario.state.holds().empty() && scenario.state.evictions().empty()) {
      const auto whole = PlanPreemption(scenario.cluster, scenario.policy, At(kNow));
      if (!whole.ok() || Canonical(*whole) != Canonical(plan))
        wrong("PlanPreemption says another thing", whole.ok() ? whole->DebugString() : "");
    }
  }
  std::printf("%d clusters: %d placed, %d of them with victims; %d not placed\n", totals.clusters,
              totals.placed, totals.evicting, totals.unplaced);
  for (const auto& [reason, number] : totals.reasons)
    std::printf("  %-16s %d\n", reason.c_str(), number);
  const double mean = totals.gangs == 0 ? 0 : totals.gang_excess / totals.gangs;
  std::printf("%d gangs with victims: cost above the optimum %.2f %% on average, %.1f %% at worst\n",
              totals.gangs, 100 * mean, 100 * totals.gang_worst);
  EXPECT_LE(mean, 0.1);
  // Else what was tried says nothing.
  EXPECT_GT(totals.evicting * 5, totals.placed);
}

// One planner that hears of change after change, against a new one each time.
TEST(PreemptionModel, ChangesGiveWhatAFreshPlannerGives) {
  const std::uint64_t count = Setting("PRECEDENT_CLUSTERS", 4000) / 10;
  const std::uint64_t seed = Setting("PRECEDENT_SEED", 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    RandomCluster random(seed * 1'000'000'009 + i);
    Scenario scenario = random.Make();
    scenario.state.clear_holds();  // they end with their jobs
    auto planner = PlannerOf(scenario);
    ASSERT_TRUE(planner.ok()) << planner.status() << "\n" << scenario.Text();
    for (int step = 0; step < 10; ++step) {
      v1::Cluster& cluster = scenario.cluster;
      std::string change;
      const bool job = cluster.jobs_size() > 0 && random.Below(3) != 0;
      const int at = random.Below(job ? cluster.jobs_size() : cluster.nodes_size());
      if (job && random.Below(2) == 0) {
        change = "remove " + cluster.jobs(at).id();
        planner->RemoveJob(cluster.jobs(at).id());
        cluster.mutable_jobs()->DeleteSubrange(at, 1);
      } else if (job) {
        v1::ClusterJob* const changed = cluster.mutable_jobs(at);
        changed->set_preemption_priority(random.Below(60));
        changed->set_priority(random.Below(60));
        changed->set_preemptible(random.Below(2) == 0);
        changed->set_evictions(random.Below(3));
        change = "change " + changed->id();
        ASSERT_TRUE(planner->PutJob(*changed).ok());
      } else if (cluster.nodes_size() > 1 && random.Below(3) == 0) {
        change = "remove " + cluster.nodes(at).name();
        planner->RemoveNode(cluster.nodes(at).name());
        cluster.mutable_nodes()->DeleteSubrange(at, 1);
      } else {
        v1::Node* const changed = cluster.mutable_nodes(at);
        changed->set_gpus(changed->gpus() + random.Below(2));
        changed->set_unschedulable(random.Below(4) == 0);
        change = "change " + changed->name();
        ASSERT_TRUE(planner->PutNode(*changed).ok());
      }
      const double now = kNow + 60.0 * step;
      auto fresh = PlannerOf(scenario);
      ASSERT_TRUE(fresh.ok()) << fresh.status() << "\n" << scenario.Text();
      ASSERT_EQ(Canonical(planner->Plan(At(now))), Canonical(fresh->Plan(At(now))))
          << "cluster " << i << ", step " << step << " (" << change << "), now " << now << "\n"
          << scenario.Text();
    }
  }
}

}  // namespace
}  // namespace precedent::preemption_model
