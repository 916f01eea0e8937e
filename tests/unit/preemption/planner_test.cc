// Rules of preemption.h one by one, and the cases of other schedulers' faults by name.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "precedent/preemption.h"
#include "tests/unit/preemption/cluster.h"

namespace precedent::preemption_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Planner, TakesTheCheapestOfThoseThatMakeRoom) {
  v1::ClusterJob dear = Job("a", 0, 8000, {"n1"}), cheap = Job("b", 0, 8000, {"n2"});
  dear.mutable_last_checkpoint()->set_seconds(kNow - 200);
  cheap.mutable_last_checkpoint()->set_seconds(kNow - 10);
  auto planner = Planner({Node("n1", 8), Node("n2", 8)}, {dear, cheap, Job("p", 9, 8000, {""})});
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_THAT(Victims(plan), ElementsAre("b"));
  EXPECT_EQ(plan.placements(0).cost_gpu_seconds(), (10 + 60) * 8);
  cheap.set_evictions(4);  // (10 + 60) x 5 > 200 + 60
  ASSERT_TRUE(planner.PutJob(cheap).ok());
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("a"));
}

TEST(Planner, VictimsAreLowerByTheGapAndByClass) {
  v1::PreemptionPolicy policy;
  policy.set_gap(10);
  v1::ClusterJob low = Job("v", 1, 1000, {"n"});
  low.set_priority_class("low");
  v1::ClusterJob high = Job("p", 10, 1000, {""});
  high.set_priority_class("high");
  auto planner = Planner({Node("n", 1)}, {low, high}, policy);
  EXPECT_EQ(Reason(planner.Plan(At(kNow))), v1::Unplaced::NO_LOWER);
  high.set_preemption_priority(11);
  ASSERT_TRUE(planner.PutJob(high).ok());
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("v"));
  planner.SetClassOrder({"low", "high"});
  EXPECT_EQ(Reason(planner.Plan(At(kNow))), v1::Unplaced::NO_LOWER);
  low.set_priority_class("system-node-critical");
  ASSERT_TRUE(planner.PutJob(low).ok());
  EXPECT_EQ(Reason(planner.Plan(At(kNow))), v1::Unplaced::NO_LOWER);
}

TEST(Planner, WithoutCheckpointsOnlyByConsent) {
  v1::ClusterJob victim = Job("v", 0, 1000, {"n"});
  victim.set_checkpoint_interval_seconds(0);
  auto planner = Planner({Node("n", 1)}, {victim, Job("p", 9, 1000, {""})});
  EXPECT_EQ(Reason(planner.Plan(At(kNow))), v1::Unplaced::NO_CONSENT);
  victim.set_preemptible(true);
  ASSERT_TRUE(planner.PutJob(victim).ok());
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("v"));
}

TEST(Planner, FreshOnesStayAndTheWakeSaysUntilWhen) {
  v1::ClusterJob victim = Job("v", 0, 1000, {"n"}, 100);
  victim.set_checkpoint_interval_seconds(3600);
  auto planner = Planner({Node("n", 1)}, {victim, Job("p", 9, 1000, {""})});
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_EQ(Reason(plan), v1::Unplaced::TOO_FRESH);
  EXPECT_EQ(plan.next_wake().seconds(), kNow - 100 + 3660);
  EXPECT_THAT(Victims(planner.Plan(At(plan.next_wake().seconds() - 1))), IsEmpty());
  EXPECT_THAT(Victims(planner.Plan(At(plan.next_wake().seconds()))), ElementsAre("v"));
}

TEST(Planner, NeverPreemptsOthersTakesFreeRoomAlone) {
  v1::ClusterJob job = Job("p", 9, 1000, {""});
  job.set_never_preempt_others(true);
  auto planner = Planner({Node("n", 1)}, {Job("v", 0, 1000, {"n"}), job});
  EXPECT_EQ(Reason(planner.Plan(At(kNow))), v1::Unplaced::NEVER_PREEMPTS);
}

TEST(Planner, RatesHold) {
  v1::PreemptionPolicy policy;
  policy.set_max_evictions_per_minute(1);
  auto planner = Planner({Node("n1", 1), Node("n2", 1)},
                         {Job("a", 0, 1000, {"n1"}), Job("b", 0, 1000, {"n2"}),
                          Job("p", 9, 1000, {""}), Job("q", 8, 1000, {""})},
                         policy);
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_EQ(Victims(plan).size(), 1u);
  EXPECT_EQ(Reason(plan), v1::Unplaced::BUDGET);
  EXPECT_THAT(plan.unplaced(0).text(),
              testing::HasSubstr("the rate of 1 evictions a minute (1 so far) keeps `b`"));
}

TEST(Planner, RefusalsNameTheBudgetAndTheHolder) {
  v1::PreemptionPolicy policy;
  policy.add_budgets()->set_name("web");
  policy.mutable_budgets(0)->set_max_disrupted(0);
  auto planner = Planner({Node("n", 1)}, {Job("v", 0, 1000, {"n"}), Job("p", 9, 1000, {""})}, policy);
  EXPECT_THAT(planner.Plan(At(kNow)).unplaced(0).text(),
              testing::HasSubstr("budget `web` (0 of 0 jobs are away) keeps `v`"));
  auto holding = Planner({Node("n", 1)}, {Job("v", 0, 1000, {"n"}), Job("p", 9, 1000, {""}),
                                          Job("q", 9, 1000, {""})});
  const v1::PreemptionPlan plan = holding.Plan(At(kNow));
  ASSERT_EQ(plan.placements(0).job(), "p");
  ASSERT_TRUE(holding.Commit(plan.placements(0), At(kNow)).ok());
  holding.RemoveJob("v");
  ASSERT_TRUE(holding.PutJob(Job("p", 8, 1000, {""})).ok());  // q is first, and no more important
  v1::ClusterJob next = Job("q", 9, 1000, {""});
  next.set_preemption_priority(8);
  ASSERT_TRUE(holding.PutJob(next).ok());
  const v1::PreemptionPlan again = holding.Plan(At(kNow + 100));
  EXPECT_EQ(Reason(again), v1::Unplaced::HELD);
  EXPECT_THAT(again.unplaced(0).text(),
              testing::HasSubstr("kept for `p`, such as on node `n`, for another 200 s"));
}

// A share goes to the fullest device that has room for it, on the fullest node.
TEST(Planner, SharesFillWhatIsBegunFirst) {
  v1::ClusterJob light = Job("a", 0, 250, {"n"}), heavy = Job("b", 0, 500, {"n"});
  light.mutable_pods(0)->add_devices(0);
  heavy.mutable_pods(0)->add_devices(1);
  auto planner = Planner({Node("empty", 2), Node("n", 2)}, {light, heavy, Job("p", 9, 500, {""})});
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  ASSERT_EQ(plan.placements_size(), 1);
  EXPECT_EQ(plan.placements(0).pods(0).node(), "n");
  EXPECT_THAT(plan.placements(0).pods(0).devices(), ElementsAre(1));
}

// Room that victims of a less important job's hold still use is a more important one's, too.
TEST(Planner, TheMoreImportantGetWhatTheVictimsOfOthersWillLeave) {
  auto planner = Planner({Node("n", 1)}, {Job("v", 0, 1000, {"n"}), Job("p", 9, 1000, {""})});
  ASSERT_TRUE(planner.Commit(planner.Plan(At(kNow)).placements(0), At(kNow)).ok());
  v1::ClusterJob stops = Job("v", 0, 1000, {"n"});
  stops.mutable_pods(0)->set_stopping(true);
  ASSERT_TRUE(planner.PutJob(stops).ok());
  ASSERT_TRUE(planner.PutJob(Job("q", 20, 1000, {""})).ok());
  const v1::PreemptionPlan plan = planner.Plan(At(kNow + 1));
  ASSERT_EQ(plan.placements_size(), 1) << plan.DebugString();
  EXPECT_EQ(plan.placements(0).job(), "q");
  EXPECT_THAT(Victims(plan), IsEmpty());
}

// Who came back after its eviction owes nothing: what it uses is no room of the hold.
TEST(Planner, AnotherAttemptOfAVictimIsNone) {
  auto planner = Planner({Node("n", 1)}, {Job("v", 0, 1000, {"n"}), Job("p", 9, 1000, {""})});
  ASSERT_TRUE(planner.Commit(planner.Plan(At(kNow)).placements(0), At(kNow)).ok());
  ASSERT_TRUE(planner.PutJob(Job("v", 0, 1000, {"n"}, -10)).ok());
  const v1::PreemptionPlan plan = planner.Plan(At(kNow + 20));
  EXPECT_EQ(plan.placements_size(), 0) << plan.DebugString();
  EXPECT_EQ(Reason(plan), v1::Unplaced::TOO_FRESH);
}

// Half of a device is held, and half is used by one that stops. Who takes of the held half
// ends the hold: what the other will leave was promised to nobody.
TEST(Planner, AHoldEndsWhenItsRoomIsTaken) {
  v1::ClusterJob stops = Job("s", 0, 500, {"n"});
  stops.mutable_pods(0)->add_devices(0);
  stops.mutable_pods(0)->set_stopping(true);
  v1::ClusterJob held = Job("p", 5, 500, {""}), newcomer = Job("q", 20, 250, {""});
  auto planner = Planner({Node("n", 1)}, {stops, held});
  ASSERT_TRUE(planner.Commit(planner.Plan(At(kNow)).placements(0), At(kNow)).ok());
  ASSERT_TRUE(planner.PutJob(newcomer).ok());
  const v1::PreemptionPlan plan = planner.Plan(At(kNow + 1));
  ASSERT_EQ(plan.placements_size(), 1) << plan.DebugString();
  EXPECT_EQ(plan.placements(0).job(), "q");
}

// Nobody says which devices pods have: when the first of two victims has gone, who stays
// is not taken to have its devices, which are held.
TEST(Planner, AssumesThatPodsStayBesideWhatIsHeld) {
  v1::ClusterJob stays = Job("s", 8, 1000, {"n"});
  stays.set_evictions(5);
  auto planner = Planner({Node("n", 4)}, {Job("v1", 0, 2000, {"n"}), Job("v2", 0, 1000, {"n"}),
                                          stays, Job("p", 9, 3000, {""})});
  v1::PreemptionPlan plan = planner.Plan(At(kNow));
  ASSERT_THAT(Victims(plan), ElementsAre("v1", "v2"));
  ASSERT_TRUE(planner.Commit(plan.placements(0), At(kNow)).ok());
  const std::string place = plan.placements(0).pods(0).DebugString();
  planner.RemoveJob("v1");
  plan = planner.Plan(At(kNow + 10));
  ASSERT_EQ(plan.placements_size(), 1) << plan.DebugString();
  EXPECT_THAT(Victims(plan), IsEmpty());
  EXPECT_EQ(plan.placements(0).pods(0).DebugString(), place);
}

// Twenty that may leave: too many to try every set.
TEST(Planner, LargeGangsGoWhereOneVictimMakesRoomForAll) {
  std::vector<v1::Node> nodes;
  std::vector<v1::ClusterJob> jobs;
  for (int n = 0; n < 20; ++n) {
    nodes.push_back(Node("n" + std::to_string(10 + n), 8));
    jobs.push_back(Job("v" + std::to_string(10 + n), 0, 8000, {nodes.back().name()}));
    jobs.back().mutable_last_checkpoint()->set_seconds(kNow - 200 + n % 7);
  }
  jobs.push_back(Job("p", 9, 2000, {"", "", "", ""}));
  auto planner = Planner(nodes, jobs);
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("v16"));
}

// Kubernetes 91492: three preemptors in one pass, two workloads of budget 1.
TEST(Cases, Case45BudgetsCountWhatThisPlanTook) {
  v1::PreemptionPolicy policy;
  std::vector<v1::ClusterJob> jobs;
  std::vector<v1::Node> nodes;
  for (const std::string team : {"a", "b"}) {
    v1::DisruptionBudget* const budget = policy.add_budgets();
    budget->set_name(team);
    (*budget->mutable_match_labels())["app"] = team;
    budget->set_max_disrupted(1);
    for (const std::string number : {"1", "2"}) {
      nodes.push_back(Node(team + number, 1));
      jobs.push_back(Job("v" + team + number, 0, 1000, {team + number}));
      (*jobs.back().mutable_labels())["app"] = team;
    }
  }
  for (const std::string id : {"p", "q", "r"}) jobs.push_back(Job(id, 9, 1000, {""}));
  auto planner = Planner(nodes, jobs, policy);
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_THAT(Victims(plan), ElementsAre("va1", "vb1"));
  EXPECT_EQ(Reason(plan), v1::Unplaced::BUDGET);
  // Kubernetes 92475: carried out twice, charged once.
  ASSERT_TRUE(planner.Commit(plan.placements(0), At(kNow)).ok());
  ASSERT_TRUE(planner.Commit(plan.placements(0), At(kNow)).ok());
  EXPECT_EQ(planner.Snapshot().evictions_size(), 1);
}

// Kueue 13662: two victims that stop at different times, both small enough to fit alone.
TEST(Cases, Case46Kueue13662AVictimCannotTakeTheRoomBack) {
  auto planner = Planner({Node("n", 2)}, {Job("a", 0, 1000, {"n"}), Job("b", 0, 1000, {"n"}),
                                          Job("p", 9, 2000, {""})});
  v1::PreemptionPlan plan = planner.Plan(At(kNow));
  ASSERT_THAT(Victims(plan), ElementsAre("a", "b"));
  ASSERT_TRUE(planner.Commit(plan.placements(0), At(kNow)).ok());
  // The first has gone and waits, before all others in the order; the second still stops.
  v1::ClusterJob back = Job("a", 0, 1000, {""}), stops = Job("b", 0, 1000, {"n"});
  back.set_priority(99);
  stops.mutable_pods(0)->set_stopping(true);
  ASSERT_TRUE(planner.PutJob(back).ok());
  ASSERT_TRUE(planner.PutJob(stops).ok());
  auto restored = Planner({Node("n", 2)}, {back, stops, Job("p", 9, 2000, {""})});
  ASSERT_TRUE(restored.Restore(planner.Snapshot()).ok());
  for (PreemptionPlanner* each : {&planner, &restored}) {
    plan = each->Plan(At(kNow + 10));
    ASSERT_EQ(plan.placements_size(), 1);
    EXPECT_EQ(plan.placements(0).job(), "p");
    EXPECT_THAT(Victims(plan), IsEmpty());
    EXPECT_EQ(Reason(plan), v1::Unplaced::HELD) << plan.DebugString();
  }
  // A more important newcomer may have it.
  ASSERT_TRUE(planner.PutJob(Job("q", 100, 1000, {""})).ok());
  plan = planner.Plan(At(kNow + 10));
  EXPECT_EQ(plan.placements(0).job(), "q");
}

// Volcano 3291: one node free, one with a victim.
TEST(Cases, Case47GangsTakeFreeRoomAndVictimsTogether) {
  auto planner = Planner({Node("n1", 8), Node("n2", 8)},
                         {Job("v", 0, 8000, {"n2"}), Job("p", 9, 8000, {"", ""})});
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("v"));
  // All or nothing: of a gang that does not fit nobody dies.
  ASSERT_TRUE(planner.PutJob(Job("p", 9, 8000, {"", "", ""})).ok());
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_THAT(Victims(plan), IsEmpty());
  EXPECT_EQ(Reason(plan), v1::Unplaced::TOO_LARGE);
}

// descheduler 304: no class, and a class of the same value, compare equal.
TEST(Cases, Case48NoClassAndValueZeroAreEqual) {
  v1::ClusterJob without = Job("a", 0, 1000, {"n"}), with = Job("p", 0, 1000, {""});
  with.set_priority_class("zero");
  auto planner = Planner({Node("n", 1)}, {without, with});
  EXPECT_EQ(Reason(planner.Plan(At(kNow))), v1::Unplaced::NO_LOWER);
  with.set_preemption_priority(1);
  ASSERT_TRUE(planner.PutJob(with).ok());
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("a"));
}

TEST(BadInput, IsRefusedByName) {
  auto planner = Planner({}, {});
  EXPECT_THAT(std::string(planner.PutNode(Node("n", -1)).message()), testing::HasSubstr("`n`"));
  v1::ClusterJob job = Job("j", 0, 1500, {""});
  EXPECT_THAT(std::string(planner.PutJob(job).message()), testing::HasSubstr("gpu_milli is 1500"));
  job = Job("j", 0, 1000, {""});
  job.set_checkpoint_interval_seconds(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(planner.PutJob(job).ok());
  v1::PreemptionPolicy policy;
  policy.add_budgets()->set_name("b");
  EXPECT_THAT(std::string(PreemptionPlanner::Create(policy).status().message()),
              testing::HasSubstr("`b`"));
}

TEST(BadInput, HalfGangsUnknownNodesAndClockSkewAreBorne) {
  v1::ClusterJob half = Job("h", 0, 1000, {"n", ""}), lost = Job("l", 0, 1000, {"nowhere"});
  v1::ClusterJob early = Job("e", 0, 1000, {"n"}, -500);
  auto planner = Planner({Node("n", 2)}, {half, lost, early, Job("p", 9, 1000, {""})});
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_EQ(plan.placements_size(), 0);
  ASSERT_EQ(plan.unplaced_size(), 2);
  EXPECT_EQ(plan.unplaced(0).reason(), v1::Unplaced::TOO_FRESH);
  EXPECT_EQ(plan.unplaced(1).reason(), v1::Unplaced::GANG_HALF);
  EXPECT_EQ(plan.remarks_size(), 1);
}

}  // namespace
}  // namespace precedent::preemption_test
