// A cluster out of Kubernetes objects.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "precedent/kubernetes_cluster.h"
#include "precedent/policy.h"

namespace precedent::kubernetes {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kNow = 1'772'452'800;  // 2026-03-02T12:00:00Z

// A pod as text; `members` go in at the places where tests differ.
struct Pod {
  std::string name = "p";
  std::string node = "";
  std::string phase = "";  // empty: Running with a node, Pending without
  std::string labels = "";
  std::string annotations = "";
  std::string metadata = "";
  std::string spec = "";
  std::string status = "";
  std::string gpus = "1";
  std::string resource = "nvidia.com/gpu";
  bool owned = true;

  std::string Json(bool kind = true) const {
    return absl::StrCat(
        "{", kind ? R"("apiVersion":"v1","kind":"Pod",)" : "", R"("metadata":{"name":")", name,
        R"(","namespace":"team","uid":"uid-)", name,
        R"(","creationTimestamp":"2026-03-02T08:00:00Z","labels":{)", labels,
        R"(},"annotations":{)", annotations, "}",
        owned ? R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true}])"
              : "",
        metadata, R"(},"spec":{"containers":[{"name":"c","resources":{"limits":{")", resource,
        R"(":")", gpus, R"("}}}])", node.empty() ? "" : absl::StrCat(R"(,"nodeName":")", node, "\""),
        spec, R"(},"status":{"phase":")",
        phase.empty() ? (node.empty() ? "Pending" : "Running") : phase, "\"", status, "}}");
  }
};

std::string Node(std::string_view name, std::string_view spec = "", std::string_view labels = "",
                 std::string_view allocatable = R"("nvidia.com/gpu":"8","cpu":"64")") {
  return absl::StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")",
                      std::string(name), R"(","labels":{)", std::string(labels),
                      R"(}},"spec":{)", std::string(spec), R"(},"status":{"allocatable":{)",
                      std::string(allocatable), "}}}");
}

std::string Budget(std::string_view name, int allowed, std::string_view selector) {
  return absl::StrCat(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":")",
                      std::string(name), R"(","namespace":"team"},"spec":{"selector":)",
                      std::string(selector), R"(},"status":{"disruptionsAllowed":)", allowed, "}}");
}

class ClusterTest : public ::testing::Test {
 protected:
  ClusterTest() { Start(); }

  void Start(ClusterOptions options = {}) {
    static const CompileResult* const policy = new CompileResult(LoadPolicy(R"(
      stages { mode: FIRST_MATCH
        rules { id: "production" when { environment { in: "production" } } set: 1000 }
        rules { id: "rest" set: 500 } }
      priority_classes { name: "production" at_least: 800 }
      priority_classes { name: "experimental" at_least: 0 })"));
    auto reader = ClusterReader::Create(options, policy->policy->evaluator(),
                                        TimePoint(std::chrono::seconds(kNow)));
    ASSERT_TRUE(reader.ok()) << reader.status();
    reader_ = std::make_unique<ClusterReader>(*std::move(reader));
  }

  void Add(const std::string& json) {
    const absl::Status status = reader_->Add(json);
    EXPECT_TRUE(status.ok()) << status << json;
  }

  ClusterReading Finish() { return std::move(*reader_).Finish(); }

  v1::ClusterJob One(const Pod& pod) {
    Add(pod.Json());
    const ClusterReading reading = Finish();
    EXPECT_EQ(reading.cluster.jobs_size(), 1);
    return reading.cluster.jobs_size() == 1 ? reading.cluster.jobs(0) : v1::ClusterJob();
  }

  std::unique_ptr<ClusterReader> reader_;
};

TEST_F(ClusterTest, APodIsAJobWithTheDecisionOfThePolicy) {
  Pod pod;
  pod.node = "n1";
  pod.gpus = "4";
  pod.labels = R"("environment":"production")";
  pod.annotations = R"("precedent.dev/checkpoint-interval":"10m","precedent.dev/preemption-count":"2")";
  const v1::ClusterJob job = One(pod);
  EXPECT_EQ(job.id(), "uid-p");
  EXPECT_EQ(job.name(), "team/p");
  EXPECT_EQ(job.preemption_priority(), 1000);
  EXPECT_EQ(job.priority_class(), "production");
  EXPECT_EQ(job.evictions(), 2);
  EXPECT_EQ(job.checkpoint_interval_seconds(), 600);
  EXPECT_FALSE(job.has_last_checkpoint());
  ASSERT_EQ(job.pods_size(), 1);
  EXPECT_EQ(job.pods(0).name(), "team/p");
  EXPECT_EQ(job.pods(0).gpu_milli(), 4000);
  EXPECT_EQ(job.pods(0).node(), "n1");
  EXPECT_EQ(job.started().seconds(), kNow - 4 * 3600);
}

TEST_F(ClusterTest, WhatHoldsNoGpuOrHasEndedIsLeftOut) {
  Pod no_gpu;
  no_gpu.resource = "cpu";
  Add(no_gpu.Json());
  for (const char* phase : {"Succeeded", "Failed"}) {
    Pod ended;
    ended.name = phase;
    ended.node = "n1";
    ended.phase = phase;
    Add(ended.Json());
  }
  EXPECT_THAT(Finish().cluster.jobs(), IsEmpty());
}

TEST_F(ClusterTest, FractionsRoundSoThatSevenSeventhsFit) {
  Pod pod;
  pod.resource = "nvidia.com/mig-1g.5gb";
  EXPECT_EQ(One(pod).pods(0).gpu_milli(), 142);
  Start();
  pod.gpus = "9";
  Add(pod.Json());
  const ClusterReading reading = Finish();
  EXPECT_EQ(reading.cluster.jobs(0).pods(0).gpu_milli(), 2000);
  EXPECT_THAT(reading.remarks, testing::Contains(HasSubstr("rounded up")));
}

TEST_F(ClusterTest, WaitingStoppingAndGated) {
  Pod waits;
  waits.name = "waits";
  Pod gated;
  gated.name = "gated";
  gated.spec = R"(,"schedulingGates":[{"name":"kueue"}])";
  Pod stops;
  stops.name = "stops";
  stops.node = "n1";
  stops.metadata = R"(,"deletionTimestamp":"2026-03-02T11:59:00Z")";
  Pod gone;
  gone.name = "gone";
  gone.metadata = stops.metadata;
  for (const Pod* pod : {&waits, &gated, &stops, &gone}) Add(pod->Json());
  const ClusterReading reading = Finish();
  ASSERT_EQ(reading.cluster.jobs_size(), 2);
  EXPECT_EQ(reading.cluster.jobs(0).id(), "uid-stops");
  EXPECT_TRUE(reading.cluster.jobs(0).pods(0).stopping());
  EXPECT_EQ(reading.cluster.jobs(1).id(), "uid-waits");
  EXPECT_FALSE(reading.cluster.jobs(1).has_started());
  EXPECT_THAT(reading.remarks, testing::Contains(HasSubstr("scheduling gate")));
}

TEST_F(ClusterTest, TheLastCheckpointIsOfThisAttemptAndNotInTheFuture) {
  const auto checkpoint = [&](const std::string& time) {
    Start();
    Pod pod;
    pod.node = "n1";
    pod.annotations = absl::StrCat(R"("precedent.dev/last-checkpoint":")", time, "\"");
    return One(pod);
  };
  EXPECT_EQ(checkpoint("2026-03-02T11:50:00Z").last_checkpoint().seconds(), kNow - 600);
  EXPECT_EQ(checkpoint("2026-03-02T11:50:00Z").checkpoint_interval_seconds(), 600);
  EXPECT_EQ(checkpoint("2026-03-02T13:00:00Z").last_checkpoint().seconds(), kNow);
  const v1::ClusterJob before = checkpoint("2026-03-02T07:00:00Z");
  EXPECT_FALSE(before.has_last_checkpoint());
  EXPECT_GT(before.checkpoint_interval_seconds(), 0);
}

TEST_F(ClusterTest, ABadTimeIsTheFaultOfItsPodAlone) {
  Pod bad;
  bad.annotations = R"("precedent.dev/last-checkpoint":"yesterday")";
  const absl::Status status = reader_->Add(bad.Json());
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("team/p"), HasSubstr("last-checkpoint"), HasSubstr("yesterday")));
  Pod good;
  good.name = "good";
  Add(good.Json());
  EXPECT_THAT(Finish().cluster.jobs(), SizeIs(1));
}

TEST_F(ClusterTest, GangsByPodGroupAlone) {
  for (const char* name : {"b", "a"}) {
    Pod pod;
    pod.name = name;
    pod.node = "n1";
    pod.labels = R"("scheduling.x-k8s.io/pod-group":"g")";
    if (*name == 'a') pod.labels += R"(,"environment":"production")";
    Add(pod.Json());
  }
  Pod other;
  other.name = "c";
  Add(other.Json());
  const ClusterReading reading = Finish();
  ASSERT_EQ(reading.cluster.jobs_size(), 2);
  const v1::ClusterJob& gang = reading.cluster.jobs(0);
  EXPECT_EQ(gang.id(), "team/g");
  EXPECT_EQ(gang.pods(0).name(), "team/a");
  EXPECT_EQ(gang.preemption_priority(), 1000);  // it runs: the most important pod counts
  EXPECT_THAT(reading.pods.at("team/g"), SizeIs(2));
}

TEST_F(ClusterTest, AGangWaitsAsItsLeastImportantPod) {
  for (const char* name : {"a", "b"}) {
    Pod pod;
    pod.name = name;
    pod.labels = R"("scheduling.x-k8s.io/pod-group":"g")";
    if (*name == 'a') pod.labels += R"(,"environment":"production")";
    Add(pod.Json());
  }
  EXPECT_EQ(Finish().cluster.jobs(0).preemption_priority(), 500);
}

TEST_F(ClusterTest, AGangIsPlannedForWhenItsOldPodsAreGone) {
  Pod old;
  old.name = "old";
  old.node = "n1";
  old.labels = R"("scheduling.x-k8s.io/pod-group":"g")";
  old.metadata = R"(,"deletionTimestamp":"2026-03-02T11:59:00Z")";
  Pod fresh;
  fresh.name = "fresh";
  fresh.labels = old.labels;
  Add(old.Json());
  Add(fresh.Json());
  const ClusterReading reading = Finish();
  ASSERT_EQ(reading.cluster.jobs_size(), 1);
  ASSERT_EQ(reading.cluster.jobs(0).pods_size(), 1);
  EXPECT_TRUE(reading.cluster.jobs(0).pods(0).stopping());
}

TEST_F(ClusterTest, WhomNobodyMayEvict) {
  const auto victim_priority = [&](auto change) {
    Start();
    Pod pod;
    pod.node = "n1";
    change(pod);
    return One(pod).preemption_priority();
  };
  constexpr std::int32_t kNever = INT32_MAX;
  EXPECT_EQ(victim_priority([](Pod&) {}), 500);
  EXPECT_EQ(victim_priority([](Pod& pod) { pod.owned = false; }), kNever);
  EXPECT_EQ(victim_priority([](Pod& pod) {
              pod.owned = false;
              pod.labels = R"("preemptible":"true")";
            }),
            500);
  EXPECT_EQ(victim_priority([](Pod& pod) {
              pod.owned = false;
              pod.metadata = R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"u","controller":true}])";
            }),
            kNever);
  EXPECT_EQ(victim_priority([](Pod& pod) {
              pod.annotations = R"("kubernetes.io/config.mirror":"x")";
            }),
            kNever);
  EXPECT_EQ(victim_priority([](Pod& pod) {
              pod.annotations = R"("karpenter.sh/do-not-disrupt":"true")";
            }),
            kNever);
  EXPECT_EQ(victim_priority([](Pod& pod) {
              pod.annotations = R"("cluster-autoscaler.kubernetes.io/safe-to-evict":"false")";
            }),
            kNever);
}

TEST_F(ClusterTest, ASystemClassStays) {
  Pod pod;
  pod.node = "n1";
  pod.spec = R"(,"priorityClassName":"system-node-critical")";
  EXPECT_EQ(One(pod).priority_class(), "system-node-critical");
}

// Where a pod may run, as the one label that node and job share.
class PlaceTest : public ClusterTest {
 protected:
  bool Fits(const std::string& node, const std::string& spec,
            const std::string& resource = "nvidia.com/gpu") {
    Start();
    Add(node);
    Pod pod;
    pod.spec = spec;
    pod.resource = resource;
    Add(pod.Json());
    const ClusterReading reading = Finish();
    EXPECT_EQ(reading.cluster.nodes_size(), 1);
    EXPECT_EQ(reading.cluster.jobs(0).node_selector_size(), 1);
    const std::string label = reading.cluster.jobs(0).node_selector().begin()->first;
    return reading.cluster.nodes(0).labels().count(label) > 0;
  }
};

TEST_F(PlaceTest, NodeSelector) {
  const std::string node = Node("n1", "", R"("gpu":"a100")");
  EXPECT_TRUE(Fits(node, ""));
  EXPECT_TRUE(Fits(node, R"(,"nodeSelector":{"gpu":"a100"})"));
  EXPECT_FALSE(Fits(node, R"(,"nodeSelector":{"gpu":"h100"})"));
}

TEST_F(PlaceTest, Affinity) {
  const auto affinity = [](std::string_view terms) {
    return absl::StrCat(
        R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)",
        std::string(terms), "]}}}");
  };
  const std::string node = Node("n1", "", R"("gpu":"a100","generation":"3")");
  const auto fits = [&](std::string_view terms) { return Fits(node, affinity(terms)); };
  EXPECT_TRUE(fits(R"({"matchExpressions":[{"key":"gpu","operator":"In","values":["h100","a100"]}]})"));
  EXPECT_FALSE(fits(R"({"matchExpressions":[{"key":"gpu","operator":"NotIn","values":["a100"]}]})"));
  EXPECT_TRUE(fits(R"({"matchExpressions":[{"key":"generation","operator":"Gt","values":["2"]}]})"));
  EXPECT_FALSE(fits(R"({"matchExpressions":[{"key":"generation","operator":"Lt","values":["3"]}]})"));
  EXPECT_FALSE(fits(R"({"matchExpressions":[{"key":"gpu","operator":"DoesNotExist"}]})"));
  EXPECT_TRUE(fits(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]})"));
  EXPECT_FALSE(fits(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n2"]}]})"));
  EXPECT_FALSE(fits("{}"));
  // Terms are alternatives.
  EXPECT_TRUE(fits(R"({"matchExpressions":[{"key":"x","operator":"Exists"}]},)"
                   R"({"matchExpressions":[{"key":"gpu","operator":"Exists"}]})"));
}

TEST_F(PlaceTest, Taints) {
  const std::string node =
      Node("n1", R"("taints":[{"key":"dedicated","value":"search","effect":"NoSchedule"}])");
  EXPECT_FALSE(Fits(node, ""));
  EXPECT_TRUE(Fits(node, R"(,"tolerations":[{"key":"dedicated","value":"search","effect":"NoSchedule"}])"));
  EXPECT_FALSE(Fits(node, R"(,"tolerations":[{"key":"dedicated","value":"other","effect":"NoSchedule"}])"));
  EXPECT_FALSE(Fits(node, R"(,"tolerations":[{"key":"dedicated","operator":"Exists","effect":"NoExecute"}])"));
  EXPECT_TRUE(Fits(node, R"(,"tolerations":[{"operator":"Exists"}])"));
  EXPECT_TRUE(Fits(Node("n1", R"("taints":[{"key":"k","effect":"PreferNoSchedule"}])"), ""));
}

TEST_F(PlaceTest, DevicesOfAnotherName) {
  EXPECT_FALSE(Fits(Node("n1"), "", "amd.com/gpu"));
  EXPECT_TRUE(Fits(Node("n1", "", "", R"("amd.com/gpu":"8")"), "", "amd.com/gpu"));
}

TEST_F(ClusterTest, Nodes) {
  Add(Node("plain"));
  Add(Node("cordoned", R"("unschedulable":true)"));
  Add(Node("cpu", "", "", R"("cpu":"64")"));
  Add(Node("mig", "", "", R"("nvidia.com/mig-1g.5gb":"14")"));
  const ClusterReading reading = Finish();
  std::map<std::string, std::pair<int, bool>> nodes;
  for (const v1::Node& node : reading.cluster.nodes()) {
    nodes[node.name()] = {node.gpus(), node.unschedulable()};
  }
  const std::map<std::string, std::pair<int, bool>> expected = {
      {"cordoned", {8, true}}, {"mig", {2, false}}, {"plain", {8, false}}};
  EXPECT_EQ(nodes, expected);
}

TEST_F(ClusterTest, ANodeWithAnUncountablePodTakesNoOther) {
  Add(Node("n1"));
  Pod pod;
  pod.node = "n1";
  pod.spec = R"(,"resourceClaims":[{"name":"g","resourceClaimName":"c"}])";
  Add(pod.Json());
  const ClusterReading reading = Finish();
  EXPECT_TRUE(reading.cluster.nodes(0).unschedulable());
  EXPECT_THAT(reading.remarks, testing::Contains(HasSubstr("not known")));
}

TEST_F(ClusterTest, ABudgetIsOfAsManyJobsAsItSurelyCovers) {
  for (const char* name : {"a", "b"}) {
    Pod pod;
    pod.name = name;
    pod.node = "n1";
    pod.labels = R"("app":"x","scheduling.x-k8s.io/pod-group":"g")";
    Add(pod.Json());
  }
  Add(Budget("x", 5, R"({"matchLabels":{"app":"x"}})"));
  Add(Budget("elsewhere", 5, R"({"matchLabels":{"app":"y"}})"));
  const ClusterReading reading = Finish();
  ASSERT_EQ(reading.budgets.size(), 1u);
  EXPECT_EQ(reading.budgets[0].max_disrupted(), 2);  // of two pods each
  const auto& [key, value] = *reading.budgets[0].match_labels().begin();
  EXPECT_EQ(reading.cluster.jobs(0).labels().count(key), 1u);
}

TEST_F(ClusterTest, SeveralBudgetsOfOnePodForbidItsEviction) {
  Pod pod;
  pod.node = "n1";
  pod.labels = R"("app":"x")";
  Add(pod.Json());
  Add(Budget("x", 5, R"({"matchLabels":{"app":"x"}})"));
  Add(Budget("all", 5, "{}"));
  EXPECT_EQ(Finish().cluster.jobs(0).preemption_priority(), INT32_MAX);
}

TEST_F(ClusterTest, ABudgetWithoutStatusAllowsNothing) {
  Pod pod;
  pod.node = "n1";
  Add(pod.Json());
  Add(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"team"},)"
      R"("spec":{"selector":{}}})");
  EXPECT_EQ(Finish().budgets.at(0).max_disrupted(), 0);
}

TEST_F(ClusterTest, TextsInPiecesOfAnySize) {
  Pod a, b, c;
  b.name = "b";
  c.name = R"(c\"]}{[)";
  const std::string text = absl::StrCat(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"next"},"items":[)",
      a.Json(false), " , ", b.Json(false), "]}\n", R"({"apiVersion":"v1", "items": [)", c.Json(), ",",
      Node("n1"), R"(], "kind":"List", "metadata": {"resourceVersion":"8"}})", "\n", Node("n2"),
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":null})");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}, text.size()}) {
    Start();
    for (std::size_t at = 0; at < text.size(); at += piece) {
      reader_->Read(std::string_view(text).substr(at, piece));
    }
    reader_->EndOfText();
    EXPECT_THAT(reader_->TakeProblems(), IsEmpty()) << piece;
    EXPECT_EQ(reader_->list().resource_version, "9");
    const ClusterReading reading = Finish();
    EXPECT_EQ(reading.cluster.jobs_size(), 3) << piece;
    EXPECT_EQ(reading.cluster.nodes_size(), 2) << piece;
  }
}

TEST_F(ClusterTest, DamageIsNamedAndTheRestIsRead) {
  Pod a, b;
  b.name = "b";
  const auto problems = [&](const std::string& text) {
    Start();
    reader_->Read(text);
    reader_->EndOfText();
    return absl::StrJoin(reader_->TakeProblems(), "; ");
  };
  EXPECT_THAT(problems(absl::StrCat("{\"kind\":\"Pod\"\n", a.Json(), "\n")),
              HasSubstr("ends too early"));
  EXPECT_THAT(Finish().cluster.jobs(), SizeIs(1));
  EXPECT_THAT(problems(absl::StrCat("{\"kind\":\"Po\n", a.Json(), "\n")),
              HasSubstr("a string ends too early"));
  EXPECT_THAT(Finish().cluster.jobs(), SizeIs(1));
  EXPECT_THAT(problems(absl::StrCat("garbage\n", a.Json())), HasSubstr("expected an object"));
  EXPECT_THAT(Finish().cluster.jobs(), SizeIs(1));
  EXPECT_THAT(problems(a.Json().substr(0, 100)), HasSubstr("in the middle"));
  EXPECT_THAT(problems(absl::StrCat(R"({"apiVersion":"v1","items":[)", a.Json(),
                                    R"(,7,{"kind":"Pod","apiVersion":"v1","kind":"x"},{}],"kind":"List"})")),
              AllOf(HasSubstr("items[1]"), HasSubstr("items[2]"), HasSubstr("items[3]: kind")));
  EXPECT_THAT(Finish().cluster.jobs(), SizeIs(1));
}

TEST_F(ClusterTest, TheOrderOfObjectsDoesNotMatter) {
  std::vector<std::string> objects = {Node("n1"), Node("n2"),
                                      Budget("x", 1, R"({"matchLabels":{"app":"x"}})")};
  for (const char* name : {"a", "b", "c"}) {
    Pod pod;
    pod.name = name;
    if (*name == 'a') pod.node = "n1";
    pod.labels = R"("app":"x")";
    objects.push_back(pod.Json());
  }
  std::string first;
  do {
    Start();
    for (const std::string& object : objects) Add(object);
    const ClusterReading reading = Finish();
    const std::string text = absl::StrCat(reading.cluster.ShortDebugString(),
                                          absl::StrJoin(reading.remarks, ";"));
    if (first.empty()) first = text;
    ASSERT_EQ(text, first);
  } while (std::next_permutation(objects.begin(), objects.end()));
}

TEST(EvictionJson, NamesTheUid) {
  EXPECT_EQ(EvictionJson({"team", "a", "u1"}),
            R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a","namespace":"team"},)"
            R"("deleteOptions":{"preconditions":{"uid":"u1"}}})");
  EXPECT_EQ(EvictionJson({"team", "a", "u1"}, "7"),
            R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a","namespace":"team"},)"
            R"("deleteOptions":{"preconditions":{"uid":"u1","resourceVersion":"7"}}})");
}

}  // namespace
}  // namespace precedent::kubernetes
