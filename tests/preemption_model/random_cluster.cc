#include "tests/preemption_model/random_cluster.h"

#include <algorithm>
#include <utility>

namespace precedent::preemption_model {
namespace {

constexpr const char* kClasses[] = {"high", "mid", "low", "", "other", "system-node-critical",
                                    "frozen"};

template <typename List>
void ShuffleList(List* list, std::mt19937_64* random) {
  for (int i = list->size() - 1; i > 0; --i)
    list->SwapElements(i, static_cast<int>((*random)() % static_cast<std::uint64_t>(i + 1)));
}

// Devices with room for it, taken; nothing, where there is not enough.
bool Take(std::vector<int>* free, std::int64_t milli, std::vector<int>* devices) {
  const int each = static_cast<int>(std::min<std::int64_t>(milli, 1000));
  const auto wanted = static_cast<std::size_t>(milli < 1000 ? milli > 0 : milli / 1000);
  for (std::size_t d = 0; d < free->size() && devices->size() < wanted; ++d) {
    if ((*free)[d] < each) continue;
    devices->push_back(static_cast<int>(d));
    (*free)[d] -= each;
  }
  return devices->size() == wanted;
}

}  // namespace

std::string Scenario::Text() const {
  return "now: " + std::to_string(kNow) + "\ncluster {\n" + cluster.DebugString() +
         "}\npolicy {\n" + policy.DebugString() + "}\nstate {\n" + state.DebugString() + "}\n";
}

void RandomCluster::AddNodes(v1::Cluster* cluster) {
  free_.clear();
  const int nodes = 1 + Below(4);
  const int largest = Often(70) ? 4 : 8;
  for (int i = 0; i < nodes; ++i) {
    v1::Node* const node = cluster->add_nodes();
    node->set_name("n" + std::to_string(i));
    node->set_gpus(Often(3) ? 0 : 1 + Below(largest));
    if (Often(60)) node->set_accelerator(Often(70) ? "a" : "b");
    node->set_unschedulable(Often(4));
    if (Often(50)) (*node->mutable_labels())["zone"] = Often(60) ? "east" : "west";
    free_.emplace_back(static_cast<std::size_t>(node->gpus()), 1000);
  }
}

v1::ClusterJob RandomCluster::Traits(int number) {
  v1::ClusterJob job;
  job.set_id("j" + std::to_string(number));
  job.set_preemption_priority(10 * Below(5) + (Often(20) ? Below(10) : 0));
  job.set_priority(job.preemption_priority());
  job.set_priority_class(kClasses[Often(85) ? Below(5) : Below(7)]);
  job.set_preemptible(Often(60));
  job.mutable_submitted()->set_seconds(kNow - Below(20));
  if (Often(60)) (*job.mutable_labels())["team"] = Often(50) ? "red" : "blue";
  return job;
}

void RandomCluster::AddRunning(v1::Cluster* cluster) {
  const int wanted = 2 + Below(7);
  for (int number = 0; number < 5 * wanted && cluster->jobs_size() < wanted; ++number) {
    v1::ClusterJob job = Traits(number);
    const int ran = 60 * Below(80) + (Often(30) ? Below(60) : 0);
    job.mutable_started()->set_seconds(kNow - ran);
    if (Often(75)) {
      job.set_checkpoint_interval_seconds(60 * (1 + Below(20)));
      if (Often(50)) job.mutable_last_checkpoint()->set_seconds(kNow - Below(ran + 1));
    }
    job.set_evictions(Often(40) ? Below(4) : 0);
    const int pods = Often(70) ? 1 : 1 + Below(3);
    const bool known = Often(60), stops = Often(3);
    auto free = free_;
    bool fits = true;
    for (int p = 0; p < pods && fits; ++p) {
      v1::ClusterPod* const pod = job.add_pods();
      pod->set_name("p" + std::to_string(p));
      const int most = Often(60) ? 2 : 8;
      pod->set_gpu_milli(Often(30) ? 250 * (1 + Below(3)) : 1000 * (1 + Below(most)));
      if (Often(2)) pod->set_gpu_milli(0);
      pod->set_stopping(stops && Often(70));
      const int node = Below(cluster->nodes_size());
      pod->set_node(cluster->nodes(node).name());
      std::vector<int> devices;
      // Often all of a node: what is full is what matters.
      const int gpus = cluster->nodes(node).gpus();
      if (pod->gpu_milli() >= 1000 && gpus > 0 && Often(30)) pod->set_gpu_milli(1000 * gpus);
      fits = Take(&free[static_cast<std::size_t>(node)], pod->gpu_milli(), &devices);
      if (known || pod->gpu_milli() < 1000)
        for (const int device : devices) pod->add_devices(device);
    }
    if (!fits) continue;
    free_ = std::move(free);
    *cluster->add_jobs() = std::move(job);
  }
}

void RandomCluster::AddWaiting(v1::Cluster* cluster, int pods) {
  v1::ClusterJob job = Traits(100 + cluster->jobs_size());
  job.set_preemption_priority(job.preemption_priority() + (Often(70) ? 30 : 0));
  job.set_priority(job.preemption_priority() + (Often(30) ? Below(30) : 0));
  if (Often(50)) job.set_priority_class("high");
  job.set_never_preempt_others(Often(5));
  const bool shares = Often(25);
  const std::int64_t milli =
      shares ? 250 * (1 + Below(3)) : 1000 * (1 + Below(Often(80) ? 2 : 6));
  const bool alike = Often(70);
  for (int p = 0; p < pods; ++p) {
    v1::ClusterPod* const pod = job.add_pods();
    pod->set_name("p" + std::to_string(p));
    pod->set_gpu_milli(alike ? milli : Often(30) ? 250 * (1 + Below(3)) : 1000 * (1 + Below(3)));
  }
  if (Often(10)) job.set_accelerator(Often(70) ? "a" : "b");
  if (Often(10)) (*job.mutable_node_selector())["zone"] = Often(60) ? "east" : "west";
  *cluster->add_jobs() = std::move(job);
}

v1::PreemptionPolicy RandomCluster::Policy() {
  v1::PreemptionPolicy policy;
  policy.set_gap(Often(60) ? 0 : 1 + Below(20));
  policy.set_only_preemptible(Often(20));
  if (Often(70)) policy.set_min_runtime_seconds(60 * Below(20));
  if (Often(30)) policy.set_restart_seconds(30 * Below(5));
  const int budgets = Often(50) ? 0 : 1 + Below(3);
  constexpr int kPercents[] = {0, 20, 25, 34, 50, 75, 100};
  for (int i = 0; i < budgets; ++i) {
    v1::DisruptionBudget* const budget = policy.add_budgets();
    budget->set_name("b" + std::to_string(i));
    if (Often(40)) budget->set_priority_class(kClasses[Below(5)]);
    if (Often(50)) (*budget->mutable_match_labels())["team"] = Often(50) ? "red" : "blue";
    if (Often(60)) {
      budget->set_max_disrupted(Below(4));
    } else {
      budget->set_max_disrupted_percent(kPercents[Below(7)]);
    }
    if (Often(40)) budget->set_window_seconds(30 * (1 + Below(60)));
  }
  if (Often(15)) policy.set_max_evictions_per_minute(1 + Below(4));
  if (Often(15)) policy.set_max_evictions_per_node_per_minute(1 + Below(2));
  if (Often(60)) policy.add_never_evict_classes("frozen");
  if (Often(10)) policy.add_never_evict_classes("other");
  return policy;
}

void RandomCluster::AddState(Scenario* scenario) {
  for (int i = Often(70) ? 0 : 1 + Below(3); i > 0; --i) {
    auto* const eviction = scenario->state.add_evictions();
    eviction->set_job("gone" + std::to_string(i));
    eviction->mutable_time()->set_seconds(kNow - Below(Often(50) ? 90 : 2000));
    const v1::Cluster& cluster = scenario->cluster;
    eviction->add_nodes(cluster.nodes(Below(cluster.nodes_size())).name());
    eviction->set_priority_class(kClasses[Below(5)]);
    if (Often(60)) (*eviction->mutable_labels())["team"] = Often(50) ? "red" : "blue";
  }
  // Room that is kept: free now, and of a job that waits.
  if (!Often(20)) return;
  v1::Cluster& cluster = scenario->cluster;
  const v1::ClusterJob& holder = cluster.jobs(cluster.jobs_size() - 1);
  v1::PlannerState::Hold hold;
  hold.set_job(holder.id());
  hold.mutable_until()->set_seconds(kNow + Below(300));
  auto free = free_;
  for (const v1::ClusterPod& pod : holder.pods()) {
    const int node = Below(cluster.nodes_size());
    const v1::Node& at = cluster.nodes(node);
    if (at.unschedulable() || holder.node_selector_size() > 0 || !holder.accelerator().empty())
      return;
    std::vector<int> devices;
    if (!Take(&free[static_cast<std::size_t>(node)], pod.gpu_milli(), &devices)) return;
    v1::PodPlacement* const held = hold.add_pods();
    held->set_pod(pod.name());
    held->set_node(at.name());
    for (const int device : devices) held->add_devices(device);
  }
  *scenario->state.add_holds() = std::move(hold);
}

Scenario RandomCluster::Make() {
  Scenario scenario;
  v1::Cluster& cluster = scenario.cluster;
  AddNodes(&cluster);
  AddRunning(&cluster);
  const int kind = Below(4);
  if (kind < 2) {
    AddWaiting(&cluster, 1);
  } else if (kind == 2) {
    AddWaiting(&cluster, 2 + Below(3));
  } else {
    for (int i = 2 + Below(3); i > 0; --i) AddWaiting(&cluster, Often(60) ? 1 : 1 + Below(3));
  }
  for (const char* const name : {"high", "mid", "low"}) cluster.add_class_order(name);
  if (Often(20)) cluster.mutable_class_order()->RemoveLast();
  scenario.policy = Policy();
  AddState(&scenario);
  return scenario;
}

void RandomCluster::Shuffle(Scenario* scenario) {
  ShuffleList(scenario->cluster.mutable_nodes(), &random_);
  ShuffleList(scenario->cluster.mutable_jobs(), &random_);
  for (v1::ClusterJob& job : *scenario->cluster.mutable_jobs())
    ShuffleList(job.mutable_pods(), &random_);
  ShuffleList(scenario->policy.mutable_budgets(), &random_);
  ShuffleList(scenario->policy.mutable_never_evict_classes(), &random_);
  ShuffleList(scenario->state.mutable_evictions(), &random_);
  for (auto& hold : *scenario->state.mutable_holds()) ShuffleList(hold.mutable_pods(), &random_);
}

}  // namespace precedent::preemption_model
