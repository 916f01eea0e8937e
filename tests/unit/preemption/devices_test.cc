// Which devices pods are taken to have that do not say.
#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/preemption/check.h"
#include "src/preemption/fleet.h"
#include "tests/unit/preemption/cluster.h"

namespace precedent::preemption_test {
namespace {

using ::testing::ElementsAre;

class Devices : public testing::Test {
 protected:
  void Add(const std::string& id, std::int64_t milli, const std::string& node = "n") {
    fleet_.PutJob(Job(id, 0, milli, {node}));
  }
  void Hold(const std::string& job, const std::vector<int>& devices,
            const std::vector<std::string>& victims = {}) {
    v1::PlannerState::Hold& hold = holds_[job];
    hold.set_job(job);
    hold.mutable_until()->set_seconds(kNow + 100);
    v1::PodPlacement& pod = *hold.add_pods();
    pod.set_pod("p1");
    pod.set_node("n");
    pod.mutable_devices()->Assign(devices.begin(), devices.end());
    for (const std::string& victim : victims) hold.add_victims(victim);
  }
  std::vector<int> Of(const std::string& job, std::int64_t now = kNow) {
    fleet_.Settle(holds_, now * internal::kSecond);
    std::vector<int> devices;
    for (const auto& occupant : fleet_.nodes()[fleet_.FindNode("n")].occupants)
      if (occupant.job == fleet_.FindJob(job)) devices.push_back(occupant.device);
    return devices;
  }

  const v1::PreemptionPolicy policy_;
  internal::Fleet fleet_{policy_};
  internal::Holds holds_;
};

TEST_F(Devices, LargestFirst) {
  fleet_.PutNode(Node("n", 4));
  Add("small", 250);
  Add("whole", 1000);
  Add("large", 2000);
  EXPECT_THAT(Of("large"), ElementsAre(0, 1));
  EXPECT_THAT(Of("whole"), ElementsAre(2));
  EXPECT_THAT(Of("small"), ElementsAre(3));
}

TEST_F(Devices, WhoStaysIsBesideWhatIsHeldAndWhoLeavesWithinIt) {
  fleet_.PutNode(Node("n", 6));
  Add("chat", 4000, "");
  Add("stays", 2000);
  Add("leaves", 2000);
  Hold("chat", {0, 1, 4, 5}, {"gone", "leaves"});
  EXPECT_THAT(Of("stays"), ElementsAre(2, 3));
  EXPECT_THAT(Of("leaves"), ElementsAre(0, 1));
}

TEST_F(Devices, SharesToo) {
  fleet_.PutNode(Node("n", 2));
  Add("chat", 500, "");
  Add("half", 500);
  Add("quarter", 250);
  Add("most", 700);
  Hold("chat", {0});
  EXPECT_THAT(Of("most"), ElementsAre(1));
  EXPECT_THAT(Of("half"), ElementsAre(0));
  EXPECT_THAT(Of("quarter"), ElementsAre(1));
}

TEST_F(Devices, AsWithoutAHoldWhereSomebodyTookItsRoom) {
  fleet_.PutNode(Node("n", 4));
  Add("chat", 2000, "");
  Add("stays", 2000);
  Add("thief", 1000);
  Hold("chat", {0, 1});
  EXPECT_THAT(Of("stays"), ElementsAre(0, 1));
  EXPECT_THAT(Of("thief"), ElementsAre(2));
}

TEST_F(Devices, OnlyWhileTheHoldLasts) {
  fleet_.PutNode(Node("n", 4));
  Add("chat", 2000, "");
  Add("stays", 2000);
  EXPECT_THAT(Of("stays"), ElementsAre(0, 1));
  Hold("chat", {0, 1});
  EXPECT_THAT(Of("stays"), ElementsAre(2, 3));
  EXPECT_THAT(Of("stays", kNow + 100), ElementsAre(0, 1)) << "the hold is over";
  EXPECT_THAT(Of("stays"), ElementsAre(2, 3));
  holds_.clear();
  EXPECT_THAT(Of("stays"), ElementsAre(0, 1)) << "it is abandoned";
}

TEST_F(Devices, WhatIsKnownIsLeftAlone) {
  fleet_.PutNode(Node("n", 4));
  Add("chat", 2000, "");
  v1::ClusterJob knows = Job("knows", 0, 1000, {"n"});
  knows.mutable_pods(0)->add_devices(3);
  fleet_.PutJob(knows);
  Add("stays", 1000);
  Hold("chat", {0, 1, 77});
  EXPECT_THAT(Of("knows"), ElementsAre(3));
  EXPECT_THAT(Of("stays"), ElementsAre(2));
}

}  // namespace
}  // namespace precedent::preemption_test
