// The reference itself, against cases worked out by hand.
#include "tests/preemption_model/reference.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace precedent::preemption_model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Sets = std::vector<std::vector<std::string>>;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  // Merging: what is said twice counts as it is said last.
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &message)) << text;
  return message;
}

// `traits` come after, and so replace, the defaults of a job that runs: low, old, with
// checkpoints every 600 s, the last 100 s before now (10,000).
std::string Running(const std::string& id, const std::string& pods, const std::string& traits = "") {
  return "jobs { id: '" + id + "' " + pods +
         "preemptible: true started { seconds: 1000 } last_checkpoint { seconds: 9900 } "
         "checkpoint_interval_seconds: 600 " + traits + "} ";
}

std::string Pod(const std::string& name, int milli, const std::string& node = "",
                const std::string& devices = "") {
  return "pods { name: '" + name + "' gpu_milli: " + std::to_string(milli) +
         (node.empty() ? "" : " node: '" + node + "'") +
         (devices.empty() ? "" : " devices: [" + devices + "]") + " } ";
}

std::string Pending(const std::string& pods, const std::string& traits = "") {
  return "jobs { id: 'p' priority: 100 preemption_priority: 100 " + pods + traits + "} ";
}

std::string Nodes(int count, int gpus) {
  std::string text;
  for (int i = 1; i <= count; ++i)
    text += "nodes { name: 'n" + std::to_string(i) + "' gpus: " + std::to_string(gpus) + " } ";
  return text;
}

Reference Of(const std::string& cluster, const std::string& policy = "",
             const std::string& state = "") {
  return Reference(Parse<v1::Cluster>(cluster), Parse<v1::PreemptionPolicy>(policy),
                   Parse<v1::PlannerState>(state), 10'000);
}

Best OptimumOf(const std::string& cluster, const std::string& policy = "") {
  const auto best = Of(cluster, policy).Optimum("p");
  return best.value_or(Best{-1, {}});
}

TEST(PreemptionReference, FreeRoomCostsNothing) {
  const Best best = OptimumOf(Nodes(2, 4) + Running("a", Pod("x", 4000, "n1")) + Pending(Pod("x", 4000)));
  EXPECT_EQ(best.cost, 0);
  EXPECT_EQ(best.sets, Sets({{}}));
}

TEST(PreemptionReference, CostIsLostWorkAndRestartTimesEvictions) {
  // 4 devices x (100 s + 60 s) against 4 x (50 s + 60 s) x 2.
  const std::string cluster =
      Nodes(2, 4) + Running("a", Pod("x", 4000, "n1")) +
      Running("b", Pod("x", 4000, "n2"), "last_checkpoint { seconds: 9950 } evictions: 1 ") +
      Pending(Pod("x", 3000));
  const Best best = OptimumOf(cluster);
  EXPECT_EQ(best.cost, 640);
  EXPECT_EQ(best.sets, Sets({{"a"}}));
  EXPECT_EQ(Of(cluster).Cost(Of(cluster).Job("b")), 880);
}

TEST(PreemptionReference, CheckpointThatMustHaveBeenMade) {
  const std::string running =
      "jobs { id: 'a' started { seconds: 1000 } checkpoint_interval_seconds: 700 " +
      Pod("x", 500, "n1", "0") + "} ";
  const Reference reference = Of(Nodes(1, 1) + running + Pending(Pod("x", 1000)));
  EXPECT_EQ(reference.Lost(reference.Job("a")), (9000 - 12 * 700) * 0.5);
}

TEST(PreemptionReference, TwoSharesOnOneDeviceAgainstOneOnEach) {
  // A whole device: both shares of device 0, or the one of device 1.
  const std::string cluster =
      Nodes(1, 2) + Running("a", Pod("x", 250, "n1", "0")) + Running("b", Pod("x", 250, "n1", "0")) +
      Running("c", Pod("x", 750, "n1", "1")) + Pending(Pod("x", 1000));
  EXPECT_EQ(OptimumOf(cluster).sets, Sets({{"a", "b"}}));
  EXPECT_EQ(OptimumOf(cluster).cost, 80);
}

TEST(PreemptionReference, TiesAreAllKept) {
  const std::string cluster = Nodes(1, 2) + Running("a", Pod("x", 1000, "n1")) +
                              Running("b", Pod("x", 1000, "n1")) + Pending(Pod("x", 1000));
  EXPECT_THAT(OptimumOf(cluster).sets, UnorderedElementsAre(ElementsAre("a"), ElementsAre("b")));
}

// CASES.md 47.
TEST(PreemptionReference, GangTakesFreeRoomAndVictimsTogether) {
  const std::string cluster = Nodes(2, 8) + Running("a", Pod("x", 8000, "n2"));
  EXPECT_EQ(OptimumOf(cluster + Pending(Pod("x", 8000) + Pod("y", 8000))).sets, Sets({{"a"}}));
  EXPECT_EQ(OptimumOf(cluster + Pending(Pod("x", 8000) + Pod("y", 8000) + Pod("z", 1000))).cost, -1);
}

TEST(PreemptionReference, EvictingAGangFreesAllItsNodes) {
  const std::string cluster =
      Nodes(2, 4) + Running("a", Pod("x", 4000, "n1") + Pod("y", 4000, "n2"), "last_checkpoint { seconds: 10000 }") +
      Pending(Pod("x", 4000) + Pod("y", 4000));
  EXPECT_EQ(OptimumOf(cluster).sets, Sets({{"a"}}));
  EXPECT_EQ(OptimumOf(cluster).cost, 8 * 60);
}

struct ReasonCase {
  const char* name;
  std::string cluster;
  std::string policy;
  v1::Unplaced::Reason reason;
};

TEST(PreemptionReference, Reasons) {
  const std::string node = Nodes(1, 2), pod = Pod("x", 2000, "n1"), wants = Pod("x", 1000);
  const ReasonCase cases[] = {
      {"too large", node + Pending(Pod("x", 3000)), "", v1::Unplaced::TOO_LARGE},
      {"another model", node + Pending(wants, "accelerator: 'h100' "), "", v1::Unplaced::TOO_LARGE},
      {"equal", node + Running("a", pod, "preemption_priority: 100 ") + Pending(wants), "", v1::Unplaced::NO_LOWER},
      {"gap", node + Running("a", pod, "preemption_priority: 51 ") + Pending(wants), "gap: 50", v1::Unplaced::NO_LOWER},
      {"system", node + Running("a", pod, "priority_class: 'system-x' ") + Pending(wants), "", v1::Unplaced::NO_LOWER},
      {"class", node + "class_order: ['h', 'l'] " + Running("a", pod, "priority_class: 'h' ") + Pending(wants, "priority_class: 'h' "), "", v1::Unplaced::NO_LOWER},
      {"consent", node + Running("a", pod, "preemptible: false ") + Pending(wants), "only_preemptible: true", v1::Unplaced::NO_CONSENT},
      {"no checkpoints", node + Running("a", pod, "preemptible: false checkpoint_interval_seconds: 0 ") + Pending(wants), "", v1::Unplaced::NO_CONSENT},
      {"fresh", node + Running("a", pod, "started { seconds: 9000 } ") + Pending(wants), "", v1::Unplaced::TOO_FRESH},
      {"its interval", node + Running("a", pod, "checkpoint_interval_seconds: 8941 ") + Pending(wants), "", v1::Unplaced::TOO_FRESH},
      {"budget", node + Running("a", pod) + Pending(wants), "budgets { name: 'b' max_disrupted: 0 }", v1::Unplaced::BUDGET},
      {"per cent", node + Running("a", pod) + Pending(wants), "budgets { name: 'b' max_disrupted_percent: 99 }", v1::Unplaced::BUDGET},
      {"never", node + Running("a", pod) + Pending(wants, "never_preempt_others: true "), "", v1::Unplaced::NEVER_PREEMPTS},
  };
  for (const ReasonCase& c : cases) {
    const Reference reference = Of(c.cluster, c.policy);
    EXPECT_FALSE(reference.Placeable("p")) << c.name;
    EXPECT_THAT(reference.Reasons("p"), ElementsAre(c.reason)) << c.name;
  }
}

TEST(PreemptionReference, HeldRoomIsForTheHolderAndTheMoreImportant) {
  const std::string hold =
      "holds { job: 'h' until { seconds: 10100 } pods { pod: 'x' node: 'n1' devices: [0, 1] } }";
  const std::string cluster = Nodes(1, 2) + Pending(Pod("x", 1000));
  const auto holder = [](int priority) {
    return "jobs { id: 'h' preemption_priority: " + std::to_string(priority) + " " +
           Pod("x", 2000) + "} ";
  };
  const Reference kept = Of(cluster + holder(90), "gap: 20", hold);
  EXPECT_THAT(kept.Reasons("p"), ElementsAre(v1::Unplaced::HELD));
  EXPECT_TRUE(kept.Placeable("h"));
  EXPECT_EQ(kept.PlaceableFrom("p"), 10'100);
  EXPECT_TRUE(Of(cluster + holder(80), "gap: 20", hold).Placeable("p"));
}

TEST(PreemptionReference, LegalFromItsMinimumRuntime) {
  const Reference reference = Of(Nodes(1, 1) + Running("a", Pod("x", 1000, "n1"), "started { seconds: 9000 } ") +
                                 Pending(Pod("x", 1000)));
  EXPECT_EQ(reference.PlaceableFrom("p"), 10'800);
}

TEST(PreemptionReference, BudgetsCountWhatThePlanTook) {
  const std::string cluster =
      Nodes(2, 1) + Running("a", Pod("x", 1000, "n1")) + Running("b", Pod("x", 1000, "n2")) +
      Pending(Pod("x", 1000)) +
      "jobs { id: 'q' preemption_priority: 90 pods { name: 'x' gpu_milli: 1000 } } ";
  Reference reference = Of(cluster, "budgets { name: 'b' max_disrupted: 1 }");
  EXPECT_THAT(reference.Waiting(), ElementsAre("p", "q"));
  EXPECT_TRUE(reference.Placeable("q"));
  const std::string placement =
      "job: 'p' cost_gpu_seconds: 160 pods { pod: 'x' node: 'n1' devices: 0 } "
      "victims { job: 'a' cost_gpu_seconds: 160 lost_gpu_seconds: 100 reason: 'r' }";
  EXPECT_THAT(reference.Apply(Parse<v1::Placement>(placement)), IsEmpty());
  EXPECT_THAT(reference.Reasons("q"), ElementsAre(v1::Unplaced::BUDGET));
}

// Each is a legal placement with one thing wrong.
TEST(PreemptionReference, RefusesWhatIsNotLegal) {
  const std::string cluster =
      Nodes(2, 2) + Running("a", Pod("x", 2000, "n1")) + Running("b", Pod("x", 500, "n2", "1")) +
      Running("c", Pod("x", 1000, "n2", "0"), "preemption_priority: 100 ") + Pending(Pod("x", 1000));
  const std::string victim =
      "victims { job: 'a' cost_gpu_seconds: 320 lost_gpu_seconds: 200 reason: 'r' } ";
  const std::string at = "pods { pod: 'x' node: 'n1' devices: 1 } ";
  const auto applied = [&](const std::string& placement) {
    return Of(cluster).Apply(Parse<v1::Placement>(placement));
  };
  EXPECT_EQ(applied("job: 'p' cost_gpu_seconds: 320 " + at + victim), "");
  EXPECT_NE(applied("job: 'p' cost_gpu_seconds: 320 " + victim), "");
  EXPECT_NE(applied("job: 'p' cost_gpu_seconds: 321 " + at + victim), "");
  EXPECT_NE(applied("job: 'p' " + at), "");
  EXPECT_NE(applied("job: 'p' cost_gpu_seconds: 320 pods { pod: 'x' node: 'n2' devices: 1 } " + victim), "");
  EXPECT_NE(applied("job: 'p' cost_gpu_seconds: 320 pods { pod: 'x' node: 'n1' devices: 2 } " + victim), "");
  EXPECT_NE(applied("job: 'p' cost_gpu_seconds: 320 pods { pod: 'x' node: 'n1' } " + victim), "");
  EXPECT_NE(applied("job: 'p' pods { pod: 'x' node: 'n2' devices: 0 } victims { job: 'c' "
                    "cost_gpu_seconds: 160 lost_gpu_seconds: 100 reason: 'r' } cost_gpu_seconds: 160"), "");
}

}  // namespace
}  // namespace precedent::preemption_model
