// What becomes of orders that were not carried out to their end.
#include "orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/descheduler/times.h"

namespace precedent::descheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::ClusterJob& AddJob(kubernetes::ClusterReading& reading, const std::string& id, int priority,
                       const std::string& of, const std::vector<std::string>& nodes) {
  v1::ClusterJob& job = *reading.cluster.add_jobs();
  job.set_id(id);
  job.set_preemption_priority(priority);
  job.set_priority_class(of);
  job.set_checkpoint_interval_seconds(600);
  job.mutable_started()->set_seconds(kNow - 7200);
  for (const std::string& node : nodes) {
    v1::ClusterPod& pod = *job.add_pods();
    pod.set_name("team/" + id + std::to_string(job.pods_size()));
    pod.set_gpu_milli(4000);
    pod.set_node(node);
    reading.pods[id].push_back({"team", pod.name().substr(5), "uid-" + pod.name().substr(5)});
  }
  return job;
}

// chat waits; `low` and both pods of `gang` had to leave for it, a minute ago.
struct World {
  World() {
    AddJob(reading, "chat", 1200, "critical", {""});
    AddJob(reading, "gang", 500, "experimental", {"n1", "n2"});
    AddJob(reading, "low", 500, "experimental", {"n1"});
    Order order;
    order.job = "chat";
    order.given = At(kNow - 60);
    order.nodes = {"n1"};
    order.victims = {
        {"gang",
         "",
         {{"team", "gang1", "uid-gang1", "", {}}, {"team", "gang2", "uid-gang2", "", {}}}},
        {"low", "", {{"team", "low1", "uid-low1", "", {}}}}};
    state.orders = {order};
    v1::PlannerState::Hold& hold = *state.planner.add_holds();
    hold.set_job("chat");
    hold.mutable_until()->set_seconds(kNow + 240);
    for (const char* victim : {"gang", "low"}) {
      hold.add_victims(victim);
      v1::PlannerState::Eviction& eviction = *state.planner.add_evictions();
      eviction.set_job(victim);
      eviction.mutable_time()->set_seconds(kNow - 60);
    }
  }

  v1::ClusterJob& Job(int i) { return *reading.cluster.mutable_jobs(i); }

  Settled Run() {
    const ClusterIndex index(reading);
    return Settle(index, {policy, {"critical", "production", "experimental"}}, At(kNow), &state);
  }

  std::vector<std::string> Charged() const {
    std::vector<std::string> jobs;
    for (const auto& eviction : state.planner.evictions()) jobs.push_back(eviction.job());
    return jobs;
  }

  kubernetes::ClusterReading reading;
  v1::PreemptionPolicy policy;
  State state;
};

TEST(SettleTest, UntouchedItGoesOn) {
  World world;
  const Settled settled = world.Run();
  ASSERT_EQ(settled.complete.size(), 1u);
  ASSERT_EQ(settled.complete[0].victims.size(), 2u);
  EXPECT_EQ(settled.complete[0].victims[0].pods.size(), 2u);
  EXPECT_THAT(settled.left, IsEmpty());
  EXPECT_EQ(world.state.orders.size(), 1u);
  EXPECT_EQ(world.state.planner.holds_size(), 1);
  EXPECT_THAT(world.Charged(), ElementsAre("gang", "low"));
}

TEST(SettleTest, WhoStopsOrIsGoneIsNotToldAgain) {
  World world;
  world.Job(1).mutable_pods(0)->set_stopping(true);
  world.reading.pods["low"][0].uid = "uid-of-its-successor";
  const Settled settled = world.Run();
  ASSERT_EQ(settled.complete.size(), 1u);
  ASSERT_EQ(settled.complete[0].victims.size(), 1u);
  ASSERT_EQ(settled.complete[0].victims[0].pods.size(), 1u);
  EXPECT_EQ(settled.complete[0].victims[0].pods[0].uid, "uid-gang2");
  EXPECT_EQ(settled.left.size(), 2u);
}

TEST(SettleTest, DoneItLeavesTheHold) {
  World world;
  for (int i : {1, 2}) {
    for (v1::ClusterPod& pod : *world.Job(i).mutable_pods()) pod.set_stopping(true);
  }
  const Settled settled = world.Run();
  EXPECT_THAT(settled.complete, IsEmpty());
  EXPECT_THAT(settled.waiting, IsEmpty());
  EXPECT_THAT(world.state.orders, IsEmpty());
  EXPECT_EQ(world.state.planner.holds_size(), 1);
  EXPECT_THAT(world.Charged(), ElementsAre("gang", "low"));
}

// Whatever makes an order void: nobody is evicted for it any more, its hold ends, and who was
// not evicted is charged no more.
TEST(SettleTest, WhatMakesItVoid) {
  const std::vector<std::pair<std::string, std::function<void(World&)>>> cases = {
      {"the hold is over",
       [](World& w) { w.state.planner.mutable_holds(0)->mutable_until()->set_seconds(kNow); }},
      {"there is no hold", [](World& w) { w.state.planner.clear_holds(); }},
      {"it runs", [](World& w) { w.Job(0).mutable_pods(0)->set_node("n9"); }},
      {"it is gone", [](World& w) { w.Job(0).set_id("another"); }},
      {"it must not evict any more", [](World& w) { w.Job(0).set_never_preempt_others(true); }},
      {"it is less important now", [](World& w) { w.Job(0).set_preemption_priority(500); }},
      {"the gap is wider now", [](World& w) { w.policy.set_gap(701); }},
      {"a victim is more important now", [](World& w) { w.Job(2).set_preemption_priority(1200); }},
      {"a victim's class is not lower now",
       [](World& w) { w.Job(2).set_priority_class("critical"); }},
      {"a victim belongs to the system",
       [](World& w) { w.Job(2).set_priority_class("system-node-critical"); }},
      {"a class is never evicted now",
       [](World& w) { w.policy.add_never_evict_classes("experimental"); }},
      {"consent is needed now", [](World& w) { w.policy.set_only_preemptible(true); }},
      {"a victim makes no checkpoints now",
       [](World& w) { w.Job(2).clear_checkpoint_interval_seconds(); }},
      {"a victim began anew",
       [](World& w) { w.Job(2).mutable_started()->set_seconds(kNow - 59); }}};
  for (const auto& [name, change] : cases) {
    World world;
    change(world);
    const Settled settled = world.Run();
    EXPECT_THAT(settled.complete, IsEmpty()) << name;
    EXPECT_THAT(settled.waiting, IsEmpty()) << name;
    EXPECT_THAT(world.state.orders, IsEmpty()) << name;
    EXPECT_EQ(world.state.planner.holds_size(), 0) << name;
    EXPECT_THAT(world.Charged(), IsEmpty()) << name;
  }
}

TEST(SettleTest, HalfDoneItWaitsForThoseThatStop) {
  World world;
  world.Job(1).mutable_pods(0)->set_stopping(true);
  world.Job(2).set_preemption_priority(2000);
  Settled settled = world.Run();
  EXPECT_THAT(settled.complete, IsEmpty());
  EXPECT_THAT(settled.waiting, ElementsAre("chat"));
  ASSERT_EQ(world.state.orders.size(), 1u);
  EXPECT_TRUE(world.state.orders[0].stopped);
  EXPECT_THAT(world.Charged(), ElementsAre("gang"));
  // It is legal again, and stays given up.
  world.Job(2).set_preemption_priority(500);
  settled = world.Run();
  EXPECT_THAT(settled.complete, IsEmpty());
  EXPECT_THAT(settled.waiting, ElementsAre("chat"));
  world.Job(1).mutable_pods()->DeleteSubrange(0, 1);
  world.reading.pods["gang"].erase(world.reading.pods["gang"].begin());
  settled = world.Run();
  EXPECT_THAT(settled.waiting, IsEmpty());
  EXPECT_THAT(world.state.orders, IsEmpty());
}

TEST(SettleTest, AnOlderEvictionOfTheSameJobStaysCharged) {
  World world;
  world.state.planner.mutable_evictions(1)->mutable_time()->set_seconds(kNow - 61);
  world.state.planner.clear_holds();
  world.Run();
  EXPECT_THAT(world.Charged(), ElementsAre("low"));
}

TEST(MakeOrderTest, PodsWithBudgetsFirst) {
  World world;
  (*world.Job(2).mutable_labels())["poddisruptionbudget/team/x"] = "";
  v1::Placement placement;
  placement.set_job("chat");
  placement.add_pods()->set_node("n1");
  placement.add_victims()->set_job("gang");
  placement.add_victims()->set_job("low");
  const ClusterIndex index(world.reading);
  History history({});
  const Order order = MakeOrder(placement, world.reading, index, history, At(kNow));
  ASSERT_EQ(order.victims.size(), 2u);
  EXPECT_EQ(order.victims[0].job, "low");
  ASSERT_EQ(order.victims[1].pods.size(), 2u);
  EXPECT_EQ(order.victims[1].pods[1].name, "gang2");
  EXPECT_THAT(order.nodes, ElementsAre("n1", "n2"));
}

TEST(TrimLabelsTest, OnlyThoseThatBudgetsLookAt) {
  v1::PreemptionPolicy policy;
  (*policy.add_budgets()->mutable_match_labels())["kept"] = "x";
  v1::PlannerState planner;
  auto& labels = *planner.add_evictions()->mutable_labels();
  labels["kept"] = "y";
  labels["other"] = "z";
  TrimLabels(policy, &planner);
  ASSERT_EQ(planner.evictions(0).labels().size(), 1u);
  EXPECT_EQ(planner.evictions(0).labels().at("kept"), "y");
}

}  // namespace
}  // namespace precedent::descheduler
