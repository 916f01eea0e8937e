// Where the planner's ways could go wrong: what is kept from one job to the next, bounds,
// and searches that end early.
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

v1::ClusterJob OnDevices(v1::ClusterJob job, const std::vector<int>& each_pod) {
  for (std::size_t p = 0; p < each_pod.size(); ++p)
    job.mutable_pods(static_cast<int>(p))->add_devices(each_pod[p]);
  return job;
}

// One device costs as much as the other: fewer victims decide.
TEST(NodeSearch, OfEqualDevicesThatWithFewerVictims) {
  auto planner = Planner({Node("n", 2)}, {OnDevices(Job("a", 0, 500, {"n"}), {0}),
                                          OnDevices(Job("b", 0, 500, {"n"}), {0}),
                                          OnDevices(Job("c", 0, 1000, {"n"}), {1}),
                                          Job("p", 9, 1000, {""})});
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("c"));
}

// A victim on two devices costs all of it, whichever is wanted.
TEST(NodeSearch, AVictimOnTwoDevicesCountsWhole) {
  v1::ClusterJob both = OnDevices(Job("a", 0, 500, {"n", "n"}), {0, 1});
  v1::ClusterJob one = OnDevices(Job("b", 0, 500, {"n"}), {0});
  v1::ClusterJob two = OnDevices(Job("c", 0, 500, {"n"}), {1});
  v1::ClusterJob alone = OnDevices(Job("d", 0, 1000, {"n"}), {2});
  for (v1::ClusterJob* const job : {&both, &one, &two})
    job->mutable_last_checkpoint()->set_seconds(kNow - 40);  // 100, 50 and 50 GPU-seconds
  two.mutable_last_checkpoint()->set_seconds(kNow - 42);
  alone.mutable_last_checkpoint()->set_seconds(kNow - 60);  // 120: more than 50 + 50
  auto planner = Planner({Node("n", 3)}, {both, one, two, alone, Job("p", 9, 1000, {""})});
  EXPECT_THAT(Victims(planner.Plan(At(kNow))), ElementsAre("d"));
}

// Shares of several sizes that largest-first does not fit: a search finds how.
TEST(Fits, SharesOfSeveralSizes) {
  v1::ClusterJob job = Job("p", 9, 450, {"", "", "", "", "", ""});
  const int sizes[] = {450, 350, 350, 300, 300, 250};
  for (int p = 0; p < 6; ++p) job.mutable_pods(p)->set_gpu_milli(sizes[p]);
  auto planner = Planner({Node("n", 2)}, {job});
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  ASSERT_EQ(plan.placements_size(), 1) << plan.DebugString();
  int used[2] = {0, 0};
  for (int p = 0; p < 6; ++p) used[plan.placements(0).pods(p).devices(0)] += sizes[p];
  EXPECT_EQ(used[0], 1000);
  EXPECT_EQ(used[1], 1000);
}

// A node of a small job that p may evict, and of a large one that only s may: first p has
// no room, then s evicts the large one and leaves more than it takes, then q, which may do
// what p may, has room.
class InVain : public testing::Test {
 protected:
  void Add(const std::string& node, std::int64_t small_age) {
    nodes_.push_back(Node(node, 3));
    (*nodes_.back().mutable_labels())["host"] = node;
    v1::ClusterJob small = Job("small-" + node, 0, 1000, {node}, small_age);
    small.set_evictions(9);
    small.mutable_last_checkpoint()->set_seconds(kNow - 200);
    v1::ClusterJob large = Job("large-" + node, 50, 2000, {node});
    large.mutable_last_checkpoint()->set_seconds(kNow - 1);
    v1::ClusterJob strong = Job("s-" + node, 100, 1000, {""});
    strong.set_priority(20);
    (*strong.mutable_node_selector())["host"] = node;
    for (const v1::ClusterJob& job : {small, large, strong}) jobs_.push_back(job);
  }
  void AddWaiting(const std::vector<std::string>& pods) {
    v1::ClusterJob first = Job("p", 10, 2000, pods), second = Job("q", 10, 2000, pods);
    first.set_priority(30);
    jobs_.push_back(first);
    jobs_.push_back(second);
  }
  v1::PreemptionPlan Plan() { return Planner(nodes_, jobs_).Plan(At(kNow)); }

  std::vector<v1::Node> nodes_;
  std::vector<v1::ClusterJob> jobs_;
};

TEST_F(InVain, OnePodIsTriedAgainWhenSomethingHasChanged) {
  Add("n", 7200);
  AddWaiting({""});
  const v1::PreemptionPlan plan = Plan();
  EXPECT_THAT(Victims(plan), ElementsAre("large-n", "small-n"));
  ASSERT_EQ(plan.unplaced_size(), 1);
  EXPECT_EQ(plan.unplaced(0).job(), "p");
}

TEST_F(InVain, SoIsAGang) {
  Add("n1", 7200);
  Add("n2", 7200);
  for (int i = 0; i < 15; ++i) {  // too many to try every set
    nodes_.push_back(Node("o" + std::to_string(10 + i), 1));
    jobs_.push_back(Job("other" + std::to_string(10 + i), 0, 1000, {nodes_.back().name()}));
    jobs_.back().set_evictions(20);
  }
  AddWaiting({"", ""});
  const v1::PreemptionPlan plan = Plan();
  EXPECT_THAT(Victims(plan), ElementsAre("large-n1", "large-n2", "small-n1", "small-n2"));
  ASSERT_EQ(plan.unplaced_size(), 1);
  EXPECT_EQ(plan.unplaced(0).job(), "p");
}

TEST_F(InVain, AndSoIsTheReason) {
  Add("n", 100);
  AddWaiting({""});
  const v1::PreemptionPlan plan = Plan();
  ASSERT_EQ(plan.unplaced_size(), 2) << plan.DebugString();
  EXPECT_EQ(plan.unplaced(0).job(), "p");
  EXPECT_EQ(plan.unplaced(0).reason(), v1::Unplaced::NO_LOWER);
  EXPECT_EQ(plan.unplaced(1).reason(), v1::Unplaced::TOO_FRESH);
}

// A gang that uses up a budget and then finds no place for its other pod: whom the budget
// closed meanwhile is open again for the next.
TEST(Gangs, ThatFindNoPlaceLeaveNoTrace) {
  v1::PreemptionPolicy policy;
  policy.add_budgets()->set_name("b");
  policy.mutable_budgets(0)->set_max_disrupted(1);
  std::vector<v1::Node> nodes = {Node("n1", 2), Node("n2", 1)};
  std::vector<v1::ClusterJob> jobs = {Job("large", 0, 2000, {"n1"}), Job("small", 0, 1000, {"n2"})};
  for (int i = 0; i < 15; ++i) {  // too many to try every set
    nodes.push_back(Node("o" + std::to_string(10 + i), 1));
    jobs.push_back(Job("other" + std::to_string(10 + i), 0, 1000, {nodes.back().name()}));
    jobs.back().set_evictions(20);
  }
  jobs.push_back(Job("gang", 9, 2000, {"", ""}));
  jobs.back().mutable_pods(1)->set_gpu_milli(1000);
  v1::ClusterJob next = Job("p", 9, 1000, {""});
  next.set_priority(8);
  jobs.push_back(next);
  auto planner = Planner(nodes, jobs, policy);
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  EXPECT_THAT(Victims(plan), ElementsAre("small")) << plan.DebugString();
  EXPECT_EQ(Reason(plan), v1::Unplaced::BUDGET);
}

// Two jobs hold each pair of nodes; who clears one of the nodes clears the other.
TEST(Gangs, TakeBothNodesThatTheSameVictimsLeave) {
  std::vector<v1::Node> nodes;
  std::vector<v1::ClusterJob> jobs;
  for (int n = 0; n < 16; ++n) {
    nodes.push_back(Node("n" + std::to_string(10 + n), 2));
    if (n % 2 == 1) {
      jobs.push_back(Job("v" + std::to_string(10 + n), 0, 1000,
                         {nodes[nodes.size() - 2].name(), nodes.back().name()}));
      jobs.push_back(Job("w" + std::to_string(10 + n), 0, 1000,
                         {nodes[nodes.size() - 2].name(), nodes.back().name()}));
      jobs.back().set_evictions(1 + n % 3);
    }
  }
  jobs.push_back(Job("p", 9, 2000, {"", ""}));
  auto planner = Planner(nodes, jobs);
  const v1::PreemptionPlan plan = planner.Plan(At(kNow));
  ASSERT_EQ(plan.placements_size(), 1);
  EXPECT_EQ(plan.placements(0).victims_size(), 2) << plan.DebugString();
}

}  // namespace
}  // namespace precedent::preemption_test
