// Devices of pods beside room that is held.
#include "devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/descheduler/times.h"

namespace precedent::descheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Machine {
  explicit Machine(int gpus) {
    v1::Node& node = *cluster.add_nodes();
    node.set_name("n");
    node.set_gpus(gpus);
  }

  void Add(const std::string& id, std::int64_t milli, bool waits = false) {
    v1::ClusterJob& job = *cluster.add_jobs();
    job.set_id(id);
    v1::ClusterPod& pod = *job.add_pods();
    pod.set_name("p");
    pod.set_gpu_milli(milli);
    if (!waits) pod.set_node("n");
  }

  void Hold(const std::string& job, const std::vector<int>& devices,
            const std::vector<std::string>& victims) {
    v1::PlannerState::Hold& hold = *planner.add_holds();
    hold.set_job(job);
    hold.mutable_until()->set_seconds(kNow + 1);
    v1::PodPlacement& pod = *hold.add_pods();
    pod.set_pod("p");
    pod.set_node("n");
    pod.mutable_devices()->Assign(devices.begin(), devices.end());
    for (const std::string& victim : victims) hold.add_victims(victim);
  }

  std::vector<int> Devices(int job, std::int64_t now = kNow) {
    v1::Cluster after = cluster;
    AssignDevices(planner, At(now), &after);
    const auto& devices = after.jobs(job).pods(0).devices();
    return {devices.begin(), devices.end()};
  }

  v1::Cluster cluster;
  v1::PlannerState planner;
};

TEST(AssignDevicesTest, WhoStaysIsBesideWhatIsHeldAndWhoLeavesWithinIt) {
  Machine machine(6);
  machine.Add("chat", 4000, true);
  machine.Add("stays", 2000);
  machine.Add("leaves", 2000);
  machine.Hold("chat", {0, 1, 4, 5}, {"gone", "leaves"});
  EXPECT_THAT(machine.Devices(1), ElementsAre(2, 3));
  EXPECT_THAT(machine.Devices(2), ElementsAre(0, 1));
}

TEST(AssignDevicesTest, SharesOfDevices) {
  Machine machine(2);
  machine.Add("chat", 500, true);
  machine.Add("half", 500);
  machine.Add("quarter", 250);
  machine.Add("most", 700);
  machine.Hold("chat", {0}, {});
  EXPECT_THAT(machine.Devices(3), ElementsAre(1));
  EXPECT_THAT(machine.Devices(1), ElementsAre(0));
  EXPECT_THAT(machine.Devices(2), ElementsAre(1));
}

TEST(AssignDevicesTest, NothingWhereSomebodyTookTheRoom) {
  Machine machine(4);
  machine.Add("chat", 2000, true);
  machine.Add("stays", 2000);
  machine.Add("thief", 1000);
  machine.Hold("chat", {0, 1}, {});
  EXPECT_THAT(machine.Devices(1), IsEmpty());
  EXPECT_THAT(machine.Devices(2), IsEmpty());
}

TEST(AssignDevicesTest, NothingWhereNobodyHolds) {
  Machine machine(4);
  machine.Add("chat", 2000, true);
  machine.Add("stays", 2000);
  EXPECT_THAT(machine.Devices(1), IsEmpty());
  machine.Hold("chat", {0, 1}, {});
  EXPECT_THAT(machine.Devices(1), ElementsAre(2, 3));
  EXPECT_THAT(machine.Devices(1, kNow + 1), IsEmpty()) << "the hold is over";
  machine.cluster.mutable_jobs(0)->mutable_pods(0)->set_node("elsewhere");
  EXPECT_THAT(machine.Devices(1), IsEmpty()) << "it runs";
}

TEST(AssignDevicesTest, WhatIsKnownIsLeftAlone) {
  Machine machine(4);
  machine.Add("chat", 2000, true);
  machine.Add("knows", 1000);
  machine.Add("stays", 1000);
  machine.cluster.mutable_jobs(1)->mutable_pods(0)->add_devices(3);
  machine.Hold("chat", {0, 1, 77, -1}, {});
  EXPECT_THAT(machine.Devices(1), ElementsAre(3));
  EXPECT_THAT(machine.Devices(2), IsEmpty());
}

}  // namespace
}  // namespace precedent::descheduler
