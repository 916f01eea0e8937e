// Clusters of some dozens of nodes, beyond what can be tried out: what the planner keeps
// and puts off must not show. One plan of many jobs is as many plans of one job, each by a
// planner that knows nothing yet; and a planner that heard of changes is as one that did not.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "precedent/preemption.h"

namespace precedent::preemption_model {
namespace {

constexpr std::int64_t kNow = 1'000'000;
TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

class Fleet {
 public:
  explicit Fleet(std::uint64_t seed) : random_(seed) {
    for (int n = 0; n < 40; ++n) AddNode("n" + std::to_string(n));
    for (int j = 0; j < 200; ++j) AddRunning("r" + std::to_string(j));
    // The more important for eviction come first, so that what is held for one that was
    // placed is closed to those behind it.
    const int waiting = 60;
    for (int j = 0; j < waiting; ++j) {
      v1::ClusterJob job;
      job.set_id("w" + std::to_string(j));
      job.set_preemption_priority(90 - j / 6 * 10);
      job.set_priority(1000 - j);
      job.set_never_preempt_others(Below(8) == 0);
      const int pods = Below(6) == 0 ? 2 + Below(5) : 1;
      const std::int64_t sizes[] = {250, 500, 1000, 1000, 2000, 4000};
      std::int64_t milli = sizes[Below(6)];
      for (int p = 0; p < pods; ++p) {
        if (Below(8) == 0) milli = sizes[Below(6)];
        job.add_pods()->set_name("p" + std::to_string(p));
        job.mutable_pods(p)->set_gpu_milli(milli);
      }
      if (Below(3) == 0) (*job.mutable_node_selector())["pool"] = std::to_string(Below(3));
      jobs_[job.id()] = job;
    }
    for (int b = 0; b < 3; ++b) {
      v1::DisruptionBudget* const budget = policy_.add_budgets();
      budget->set_name("b" + std::to_string(b));
      (*budget->mutable_match_labels())["app"] = std::to_string(b);
      budget->set_max_disrupted(Below(8));
    }
    if (Below(3) == 0) policy_.set_max_evictions_per_node_per_minute(1 + Below(2));
    if (Below(3) == 0) policy_.set_max_evictions_per_minute(20);
  }

  int Below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  void AddNode(const std::string& name) {
    v1::Node node;
    node.set_name(name);
    node.set_gpus(2 + 2 * Below(4));
    (*node.mutable_labels())["pool"] = std::to_string(Below(3));
    nodes_[name] = node;
    free_[name].assign(static_cast<std::size_t>(node.gpus()), 1000);
  }

  void AddRunning(const std::string& id) {
    v1::ClusterJob job;
    job.set_id(id);
    job.set_preemption_priority(Below(90));
    job.set_preemptible(Below(3) != 0);
    if (Below(3) != 0) job.set_checkpoint_interval_seconds(300 * (1 + Below(4)));
    job.mutable_started()->set_seconds(kNow - 600 * Below(40));
    job.set_evictions(Below(3));
    (*job.mutable_labels())["app"] = std::to_string(Below(6));
    const std::int64_t sizes[] = {250, 500, 1000, 1000, 2000, 4000};
    const std::int64_t milli = sizes[Below(6)];
    const int pods = Below(8) == 0 ? 2 : 1;
    for (int p = 0; p < pods; ++p) {
      auto at = std::next(free_.begin(), Below(static_cast<int>(free_.size())));
      v1::ClusterPod* const pod = job.add_pods();
      pod->set_name("p" + std::to_string(p));
      pod->set_gpu_milli(milli);
      pod->set_node(at->first);
      const int each = static_cast<int>(std::min<std::int64_t>(1000, milli));
      const auto wanted = std::max<std::int64_t>(1, milli / 1000);
      for (std::size_t d = 0; d < at->second.size() && pod->devices_size() < wanted; ++d)
        if (at->second[d] >= each) pod->add_devices(static_cast<int>(d));
      if (pod->devices_size() < wanted) return;
      for (const int d : pod->devices()) at->second[static_cast<std::size_t>(d)] -= each;
    }
    jobs_[id] = job;
  }

  // One change, told to `planner`.
  void Change(PreemptionPlanner* planner, int step) {
    auto node = std::next(nodes_.begin(), Below(static_cast<int>(nodes_.size())));
    auto job = std::next(jobs_.begin(), Below(static_cast<int>(jobs_.size())));
    switch (Below(6)) {
      case 0:
        (*node->second.mutable_labels())["pool"] = std::to_string(Below(3));
        break;
      case 1:
        node->second.set_unschedulable(!node->second.unschedulable());
        break;
      case 2:
        node->second.set_gpus(2 + 2 * Below(4));
        break;
      case 3:
        AddNode("x" + std::to_string(step));
        node = nodes_.find("x" + std::to_string(step));
        break;
      case 4:
        planner->RemoveNode(node->first);
        free_.erase(node->first);
        nodes_.erase(node);
        return;
      default:
        planner->RemoveJob(job->first);
        jobs_.erase(job);
        AddRunning("y" + std::to_string(step));
        if (const auto added = jobs_.find("y" + std::to_string(step)); added != jobs_.end())
          EXPECT_TRUE(planner->PutJob(added->second).ok());
        return;
    }
    EXPECT_TRUE(planner->PutNode(node->second).ok());
  }

  PreemptionPlanner Planner() const {
    auto planner = PreemptionPlanner::Create(policy_);
    for (const auto& [name, node] : nodes_) EXPECT_TRUE(planner->PutNode(node).ok());
    for (const auto& [id, job] : jobs_) EXPECT_TRUE(planner->PutJob(job).ok());
    return *std::move(planner);
  }

  const std::map<std::string, v1::ClusterJob>& jobs() const { return jobs_; }

 private:
  std::mt19937_64 random_;
  std::map<std::string, v1::Node> nodes_;
  std::map<std::string, v1::ClusterJob> jobs_;
  std::map<std::string, std::vector<int>> free_;
  v1::PreemptionPolicy policy_;
};

std::uint64_t Fleets() {
  const char* const text = std::getenv("PRECEDENT_FLEETS");
  return text == nullptr ? 8 : std::strtoull(text, nullptr, 10);
}

TEST(PreemptionFleet, APlanOfManyIsAsManyPlansOfOne) {
  int evicting = 0, unplaced = 0, gangs = 0;
  for (std::uint64_t seed = 1; seed <= Fleets(); ++seed) {
    const Fleet fleet(seed);
    const v1::PreemptionPlan whole = fleet.Planner().Plan(At(kNow));
    std::map<std::string, const v1::Placement*> placed;
    for (const v1::Placement& placement : whole.placements()) placed[placement.job()] = &placement;
    std::vector<const v1::ClusterJob*> waiting;
    for (const auto& [id, job] : fleet.jobs())
      if (job.pods(0).node().empty()) waiting.push_back(&job);
    std::sort(waiting.begin(), waiting.end(),
              [](auto* a, auto* b) { return a->priority() > b->priority(); });
    std::vector<std::string> gone;
    v1::PlannerState state;
    for (const v1::ClusterJob* const job : waiting) {
      PreemptionPlanner one = fleet.Planner();
      for (const std::string& victim : gone) one.RemoveJob(victim);
      ASSERT_TRUE(one.Restore(state).ok());
      // Whoever waits behind it, or was not placed, is not there; whoever was has its hold.
      for (const v1::ClusterJob* const other : waiting)
        if (other != job && (other->priority() < job->priority() || placed.count(other->id()) == 0))
          one.RemoveJob(other->id());
      for (const auto& hold : state.holds())
        EXPECT_TRUE(one.PutJob(fleet.jobs().at(hold.job())).ok());
      const v1::PreemptionPlan plan = one.Plan(At(kNow));
      const auto its = std::find_if(plan.placements().begin(), plan.placements().end(),
                                    [&](const auto& each) { return each.job() == job->id(); });
      const auto expected = placed.find(job->id());
      ASSERT_EQ(its != plan.placements().end(), expected != placed.end())
          << "fleet " << seed << ", " << job->DebugString() << plan.DebugString();
      if (expected == placed.end()) {
        ++unplaced;
        continue;
      }
      ASSERT_EQ(its->DebugString(), expected->second->DebugString()) << "fleet " << seed;
      evicting += !its->victims().empty();
      gangs += its->pods_size() > 1 && !its->victims().empty();
      ASSERT_TRUE(one.Commit(*its, At(kNow)).ok());
      state = one.Snapshot();
      for (const v1::Victim& victim : its->victims()) gone.push_back(victim.job());
    }
  }
  EXPECT_GT(evicting, static_cast<int>(Fleets()) * 5);
  EXPECT_GT(unplaced, static_cast<int>(Fleets()) * 5);
  EXPECT_GT(gangs, 0);
}

TEST(PreemptionFleet, ChangesGiveWhatAFreshPlannerGives) {
  for (std::uint64_t seed = 1; seed <= Fleets(); ++seed) {
    Fleet fleet(1000 + seed);
    PreemptionPlanner planner = fleet.Planner();
    for (int step = 0; step < 40; ++step) {
      fleet.Change(&planner, step);
      const TimePoint now = At(kNow + 30 * step);
      ASSERT_EQ(planner.Plan(now).DebugString(), fleet.Planner().Plan(now).DebugString())
          << "fleet " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace precedent::preemption_model
