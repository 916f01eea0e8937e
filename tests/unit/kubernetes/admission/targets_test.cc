// Priority fields (numbers of the catalogue of known faults), targets, stamps, limits.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/admission/admission_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Target = v1::AdapterOptions;

const char* const kNlp = R"("labels":{"team":"nlp"})";
const char* const kController = "system:serviceaccount:kube-system:job-controller";

v1::AdapterOptions Targets(std::initializer_list<v1::AdapterOptions::Target> targets) {
  v1::AdapterOptions options;
  for (const auto target : targets) options.add_targets(target);
  return options;
}

// The object after the answer, and after a second answer, which must change nothing.
Tree Patched(const std::string& object, const v1::AdapterOptions& options = {},
             const CompiledPolicy& policy = TwoClasses()) {
  Tree tree = ParseTree(object);
  const std::string patch = Answered(CreateReview(object), options, policy).patch;
  if (!patch.empty()) {
    EXPECT_EQ(ApplyPatch(patch, &tree), "") << patch;
  }
  EXPECT_EQ(Answered(CreateReview(tree.ToJson()), options, policy).patch, "") << tree.ToJson();
  return tree;
}

std::string PatchOf(const std::string& object) { return Answered(CreateReview(object)).patch; }

std::string AnnotationOf(const Tree& tree, const std::string& path, const std::string& key) {
  const Tree* map = tree.At(path);
  const Tree* value = map == nullptr ? nullptr : map->Find(key);
  return value == nullptr ? "(none)" : value->text;
}

TEST(PriorityFields, Case1NeverTheIntegerAlone) {
  for (const char* spec : {"", R"("priority":0)", R"("priorityClassName":"x","priority":7)"}) {
    EXPECT_THAT(PatchOf(GpuPod(kNlp, spec)), Not(HasSubstr(R"("path":"/spec/priority","value")")));
  }
}

TEST(PriorityFields, Case2TheDefaultedIntegerGoes) {
  EXPECT_THAT(PatchOf(GpuPod(kNlp, R"("priority":0)")),
              AllOf(HasSubstr(R"({"op":"add","path":"/spec/priorityClassName","value":"gold"},)"
                              R"({"op":"remove","path":"/spec/priority"})"),
                    Not(HasSubstr("preemptionPolicy"))));
}

TEST(PriorityFields, Case3SoDoesThePreemptionPolicy) {
  EXPECT_THAT(PatchOf(GpuPod(kNlp, R"("priority":0,"preemptionPolicy":"PreemptLowerPriority")")),
              HasSubstr(R"({"op":"remove","path":"/spec/priority"},)"
                        R"({"op":"remove","path":"/spec/preemptionPolicy"})"));
  // A null is there as well: the built-in plugin would fill it, but `remove` applies.
  EXPECT_THAT(PatchOf(GpuPod(kNlp, R"("priority":null)")), HasSubstr(R"("/spec/priority"})"));
}

TEST(PriorityFields, Case7WhatIsRightIsLeftAlone) {
  EXPECT_EQ(PatchOf(GpuPod(kNlp, R"("priorityClassName":"gold","priority":500)")), "");
  EXPECT_EQ(PatchOf(GpuPod(kNlp, R"("priorityClassName":"gold","priority":1)")), "");
}

// A pod without a class has the one that is the global default, and its value, before
// the webhook sees it. It gets the derived class all the same; where none is derived, it
// keeps the default's value, and no 0 that came from us.
TEST(PriorityFields, Case6TheGlobalDefaultIsWhatAPodWithoutClassHas) {
  const CompiledPolicy none = MustCompile(R"(stages { rules { id: "a" set: 7 } })");
  for (const long long value : {-10, 0, 1, 1000}) {
    for (const char* spec : {"", R"("priorityClassName":"")", R"("priorityClassName":null)"}) {
      ApiServer server;
      server.classes = {{"common", {value}}, {"gold", {500}}};
      server.global_default = "common";
      ApiServer::Result result = server.Create(ParseTree(GpuPod(kNlp, spec)), Hook());
      ASSERT_EQ(result.code, 201) << result.error;
      EXPECT_EQ(result.stored.TextAt("spec.priorityClassName"), "gold") << spec;
      EXPECT_EQ(result.stored.TextAt("spec.priority"), "500") << spec;
      result = server.Create(ParseTree(GpuPod(kNlp, spec)), Hook({}, none));
      ASSERT_EQ(result.code, 201) << result.error;
      EXPECT_EQ(result.stored.TextAt("spec.priorityClassName"), "common") << spec;
      EXPECT_EQ(result.stored.TextAt("spec.priority"), std::to_string(value)) << spec;
    }
  }
}

// No priority, priority 0 and a class of value 0 are one and the same wish: each gets
// the same decision, whatever else the object says, and is stored alike.
TEST(PriorityFields, Case48AbsentZeroAndAClassOfValueZeroCompareEqual) {
  ApiServer server;
  server.classes = {{"zero", {0}}, {"gold", {500}}, {"bronze", {0}}};
  for (const char* metadata : {"", kNlp, R"("labels":{"team":"cv"})"}) {
    std::string first;
    for (const char* spec :
         {"", R"("priority":0)", R"("priorityClassName":"","priority":0)",
          R"("priorityClassName":"zero")", R"("priorityClassName":"zero","priority":0)"}) {
      const ApiServer::Result result = server.Create(ParseTree(GpuPod(metadata, spec)), Hook());
      ASSERT_EQ(result.code, 201) << result.error;
      const std::string stored = result.stored.TextAt("spec.priorityClassName") + " " +
                                 result.stored.TextAt("spec.priority");
      const std::string decision =
          Answered(CreateReview(GpuPod(metadata, spec))).audit.at("decision");
      if (first.empty()) first = stored + decision;
      EXPECT_EQ(stored + decision, first) << spec;
    }
  }
}

TEST(PriorityFields, Case8AScoreBecomesAClassOfTheBoundedSet) {
  const CompiledPolicy huge = MustCompile(R"(
    stages { rules { id: "a" set: 2000000000 } } bounds { max: 2147483647 }
    priority_classes { name: "top" at_least: 1000000000 }
    priority_classes { name: "rest" at_least: 0 })");
  EXPECT_EQ(Patched(GpuPod(""), {}, huge).TextAt("spec.priorityClassName"), "top");
  // A policy without classes derives a number only; the pod keeps what it had.
  const CompiledPolicy none = MustCompile(R"(stages { rules { id: "a" set: 7 } })");
  EXPECT_EQ(Answered(CreateReview(GpuPod("")), {}, none).patch, "");
}

TEST(PriorityFields, NothingIsDerivedIntoASystemClass) {
  const CompiledPolicy policy =
      MustCompile(R"(priority_classes { name: "system-node-critical" at_least: 0 })");
  const Response response = Answered(CreateReview(GpuPod("")), {}, policy);
  EXPECT_EQ(response.patch, "");
  EXPECT_THAT(response.warnings, ::testing::ElementsAre(HasSubstr("keeps `system-`")));
}

TEST(PriorityFields, Case9NeverIsAWishForANonPreemptingClass) {
  // The built-in plugin fills Never in again, from the new class.
  EXPECT_THAT(PatchOf(GpuPod(kNlp, R"("preemptionPolicy":"Never","priority":0)")),
              AllOf(HasSubstr("\"gold-nonpreempting\""),
                    HasSubstr(R"({"op":"remove","path":"/spec/preemptionPolicy"})")));
  const Tree job = Patched(
      GpuTemplate("batch/v1", "Job", kNlp, "", "", R"("preemptionPolicy":"Never","priority":3)"));
  EXPECT_EQ(job.TextAt("spec.template.spec.priorityClassName"), "gold-nonpreempting");
  EXPECT_EQ(job.TextAt("spec.template.spec.preemptionPolicy"), "Never");
  EXPECT_EQ(job.At("spec.template.spec.priority"), nullptr);
  EXPECT_EQ(
      Patched(GpuPod(R"("labels":{"team":"nlp","polite":"yes"})")).TextAt("spec.priorityClassName"),
      "gold-nonpreempting");
}

TEST(RequestedClass, IsRecordedAndReadFirst) {
  Tree pod = Patched(GpuPod(kNlp, R"("priorityClassName":"common")"));
  EXPECT_EQ(AnnotationOf(pod, "metadata.annotations", "precedent.dev/requested-class"), "common");
  pod = Patched(GpuPod(kNlp));
  EXPECT_EQ(AnnotationOf(pod, "metadata.annotations", "precedent.dev/requested-class"), "");
}

// The class that was asked for decides, and the patch replaces it: the second pass has
// to decide by the record, with require_verified too.
TEST(RequestedClass, ASecondPassDecidesAsTheFirst) {
  for (const char* verified :
       {"", "require_verified: REQUESTED_CLASS require_verified: PREEMPTIBLE"}) {
    const CompiledPolicy policy = MustCompile(R"(
      stages { rules { id: "a" set: 600 }
               rules { id: "b" when { requested_class { in: "preemptible" } } set: 5 }
               rules { id: "c" when { preemptible: true } add: 1 } }
      priority_classes { name: "gold" at_least: 500 }
      priority_classes { name: "bronze" at_least: 0 } )" +
                                              std::string(verified));
    const bool counts = *verified == '\0';
    EXPECT_EQ(Patched(GpuPod("", R"("priorityClassName":"preemptible")"), {}, policy)
                  .TextAt("spec.priorityClassName"),
              counts ? "bronze" : "gold");
    EXPECT_EQ(
        Patched(GpuTemplate("batch/v1", "Job", "", "", "", R"("priorityClassName":"preemptible")"),
                {}, policy)
            .TextAt("spec.template.spec.priorityClassName"),
        counts ? "bronze" : "gold");
  }
}

TEST(Kinds, EveryTemplateGetsTheClass) {
  struct Row {
    const char* object;
    std::vector<const char*> specs;
  };
  const std::string pod =
      R"({"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}})";
  const auto at = [&](std::string text) {
    for (std::size_t i; (i = text.find('$')) != std::string::npos;) text.replace(i, 1, pod);
    return text;
  };
  const Row rows[] = {
      {R"({"apiVersion":"batch/v1","kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":$}}}})",
       {"spec.jobTemplate.spec.template.spec"}},
      {R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"template":$}})",
       {"spec.template.spec"}},
      {R"({"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"template":$}})",
       {"spec.template.spec"}},
      {R"({"apiVersion":"apps/v1","kind":"DaemonSet","spec":{"template":$}})",
       {"spec.template.spec"}},
      {R"({"apiVersion":"kubeflow.org/v2beta1","kind":"MPIJob","spec":{"mpiReplicaSpecs":{"Launcher":{"template":$},"Worker":{"replicas":2,"template":$}}}})",
       {"spec.mpiReplicaSpecs.Launcher.template.spec",
        "spec.mpiReplicaSpecs.Worker.template.spec"}},
      {R"({"apiVersion":"ray.io/v1","kind":"RayService","spec":{"rayClusterConfig":{"headGroupSpec":{"template":$},"workerGroupSpecs":[]}}})",
       {"spec.rayClusterConfig.headGroupSpec.template.spec"}},
      {R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{"tasks":[{"template":$}]}})",
       {"spec"}},
      {R"({"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":{"leaderWorkerTemplate":{"size":2,"workerTemplate":$}}})",
       {"spec.leaderWorkerTemplate.workerTemplate.spec"}},
  };
  for (const Row& row : rows) {
    const Tree patched = Patched(at(row.object));
    for (const char* spec : row.specs) {
      EXPECT_EQ(patched.TextAt(std::string(spec) + ".priorityClassName"), "bronze") << row.object;
    }
  }
  // In lists too.
  const std::string patch =
      Answered(
          CreateReview(at(
              R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","spec":{"replicatedJobs":[{"template":{"spec":{"template":$}}},{"template":{"spec":{"template":$}}}]}})")))
          .patch;
  EXPECT_THAT(patch,
              HasSubstr("/spec/replicatedJobs/1/template/spec/template/spec/priorityClassName"));
  EXPECT_THAT(patch, HasSubstr("/spec/replicatedJobs/0/template/spec/template/metadata\""));
}

// A template is decided once and its pods keep that, but only what a trusted
// controller made from it.
TEST(Stamp, CountsOnlyFromATrustedControllerWithAnOwner) {
  const Tree job = Patched(GpuTemplate("batch/v1", "Job", kNlp));
  const Tree* stamp = job.At("spec.template.metadata.annotations");
  ASSERT_NE(stamp, nullptr);
  EXPECT_EQ(AnnotationOf(job, "spec.template.metadata.annotations", "precedent.dev/priority"),
            "700");
  EXPECT_EQ(AnnotationOf(job, "spec.template.metadata.annotations", "precedent.dev/policy"),
            std::string(TwoClasses().evaluator().fingerprint()));

  const auto patch = [&](const std::string& user, bool owner, const std::string& annotations) {
    const std::string owners =
        R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","controller":true}])";
    std::string review =
        CreateReview(GpuPod(R"("annotations":)" + annotations + (owner ? owners : ""),
                            R"("priorityClassName":"gold")"));
    review.replace(review.find("\"ann\""), 5, "\"" + user + "\"");
    return Answered(review).patch;
  };
  const std::string stamped = stamp->ToJson();
  EXPECT_EQ(patch(kController, true, stamped), "");
  EXPECT_THAT(patch(kController, false, stamped), HasSubstr("bronze"));
  EXPECT_THAT(patch("ann", true, stamped), HasSubstr("bronze"));
  EXPECT_THAT(patch(kController, true, "{}"), HasSubstr("bronze"));
  EXPECT_THAT(patch(kController, true, R"({"precedent.dev/priority":"9999"})"),
              HasSubstr("bronze"));
  EXPECT_THAT(patch(kController, true, R"({"precedent.dev/policy":"mine"})"), HasSubstr("bronze"));
  // A false stamp does not stay.
  EXPECT_THAT(patch("ann", true, stamped),
              HasSubstr(R"("/metadata/annotations/precedent.dev~1priority","value":"100")"));
}

// A stamp is no word on what was left open, or on what cannot be read; and an owner that
// does not control the pod did not make it.
TEST(Stamp, CoversOnlyWhatWasDecided) {
  const std::string stamp =
      R"("annotations":{"precedent.dev/priority":"1","precedent.dev/policy":"p"},)";
  const auto response = [&](const std::string& metadata, const std::string& spec, bool controls) {
    std::string review = CreateReview(
        GpuPod(stamp + metadata +
                   R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j")" +
                   (controls ? R"(,"controller":true}])" : "}]"),
               spec));
    review.replace(review.find("\"ann\""), 5, "\"" + std::string(kController) + "\"");
    return Answered(review);
  };
  const char* const gold = R"("priorityClassName":"gold")";
  EXPECT_EQ(response("", gold, true).patch, "");
  EXPECT_THAT(response("", gold, false).patch, HasSubstr("bronze"));
  EXPECT_THAT(response("", "", true).patch, HasSubstr("bronze"));  // decided in shadow mode
  const Response broken = response(R"("labels":{"failure-count":"x"},)", gold, true);
  EXPECT_THAT(broken.warnings, Not(IsEmpty()));
  EXPECT_THAT(broken.patch, HasSubstr("bronze"));
}

TEST(Stamp, ListedControllersReplaceTheDefault) {
  v1::AdapterOptions options;
  options.add_trusted_controllers("system:serviceaccount:jobset-system:jobset");
  const std::string job = GpuTemplate(
      "batch/v1", "Job",
      R"("ownerReferences":[{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","name":"s","controller":true}])",
      "",
      R"("metadata":{"annotations":{"precedent.dev/priority":"700","precedent.dev/policy":"p"}})",
      R"("priorityClassName":"gold")");
  std::string review = CreateReview(job);
  review.replace(review.find("\"ann\""), 5, "\"system:serviceaccount:jobset-system:jobset\"");
  EXPECT_EQ(Answered(review, options).patch, "");
  EXPECT_NE(Answered(review).patch, "");
}

TEST(OtherTargets, KueueAndHyperpodLabelTheObject) {
  const auto kueue = Targets({Target::KUEUE_PRIORITY_CLASS});
  const auto hyperpod = Targets({Target::HYPERPOD});
  const std::string job = GpuTemplate("batch/v1", "Job", kNlp);
  const auto label = [](const Tree& tree) {
    return AnnotationOf(tree, "metadata.labels", "kueue.x-k8s.io/priority-class");
  };
  EXPECT_EQ(label(Patched(job, kueue)), "gold");
  EXPECT_EQ(label(Patched(job, hyperpod)), "gold-priority");
  EXPECT_EQ(Patched(job, kueue).At("spec.template.spec.priorityClassName"), nullptr);
  EXPECT_EQ(label(Patched(GpuPod(kNlp), kueue)), "gold");
  const Tree both = Patched(job, Targets({Target::PRIORITY_CLASS, Target::HYPERPOD}));
  EXPECT_EQ(label(both), "gold-priority");
  EXPECT_EQ(both.TextAt("spec.template.spec.priorityClassName"), "gold");
  // What the user asked of Kueue is a requested class, and is recorded.
  const Tree asked = Patched(
      GpuTemplate("batch/v1", "Job", R"("labels":{"kueue.x-k8s.io/priority-class":"mine"})"),
      kueue);
  EXPECT_EQ(AnnotationOf(asked, "metadata.annotations", "precedent.dev/requested-class"), "mine");
  // Pods that come of a job are not what Kueue looks at.
  EXPECT_EQ(
      Answered(
          CreateReview(GpuPod(
              R"("ownerReferences":[{"kind":"Job","apiVersion":"batch/v1","name":"j","controller":true}])")),
          kueue)
          .patch,
      "");
  EXPECT_FALSE(Adapter::Create(Targets({Target::HYPERPOD, Target::KUEUE_PRIORITY_CLASS})).ok());
}

TEST(OtherTargets, NoLabelThatIsTooLongAndNoRecordTwice) {
  const CompiledPolicy long_name =
      MustCompile("priority_classes { name: \"" + std::string(64, 'c') + "\" at_least: 0 }");
  const Response response =
      Answered(CreateReview(GpuPod("")), Targets({Target::KUEUE_PRIORITY_CLASS}), long_name);
  EXPECT_EQ(response.patch, "");
  EXPECT_THAT(response.warnings, ::testing::ElementsAre(HasSubstr("more than 63 characters")));
  // Both targets write to the pod, which asked for one class.
  const std::string patch =
      Answered(CreateReview(GpuPod(kNlp, R"("priorityClassName":"common")")),
               Targets({Target::PRIORITY_CLASS, Target::KUEUE_PRIORITY_CLASS}))
          .patch;
  const std::size_t record = patch.find("requested-class");
  ASSERT_NE(record, std::string::npos);
  EXPECT_EQ(patch.find("requested-class", record + 1), std::string::npos) << patch;
}

TEST(OtherTargets, BoostOfAWorkload) {
  const auto boost = Targets({Target::KUEUE_BOOST});
  const auto workload = [](const std::string& spec) {
    return R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{"labels":{"team":"nlp"}},"spec":{)" +
           spec +
           R"("podSets":[{"count":2,"template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}}}]}})";
  };
  const auto value = [](const Tree& tree) {
    return AnnotationOf(tree, "metadata.annotations", "kueue.x-k8s.io/priority-boost");
  };
  EXPECT_EQ(value(Patched(workload(""), boost)), "700");
  EXPECT_EQ(value(Patched(workload(R"("priority":500,)"), boost)), "200");
  EXPECT_EQ(value(Patched(workload(R"("priority":1000,)"), boost)), "-300");
  EXPECT_EQ(Answered(CreateReview(workload(""))).patch, "");  // its templates are copies
  EXPECT_EQ(Answered(CreateReview(GpuPod(kNlp)), boost).patch, "");
}

TEST(OtherTargets, AnnotationIsTheNumberOnly) {
  const auto shadow = Targets({Target::ANNOTATION});
  const Tree pod = Patched(GpuPod(R"("labels":{"team":"nlp","capped":"yes"})"), shadow);
  EXPECT_EQ(AnnotationOf(pod, "metadata.annotations", "precedent.dev/priority"), "700");
  EXPECT_EQ(pod.At("spec.priorityClassName"), nullptr);
  EXPECT_EQ(pod.At("spec.activeDeadlineSeconds"), nullptr);
  EXPECT_EQ(pod.At("metadata.annotations")->members.size(), 1u);
}

TEST(TierLabel, IsOnPodsAndTemplatesWhereAskedFor) {
  v1::AdapterOptions options;
  options.set_tier_label("precedent.dev/tier");
  const auto tier = [](const Tree& tree, const char* map) {
    return AnnotationOf(tree, map, "precedent.dev/tier");
  };
  EXPECT_EQ(tier(Patched(GpuPod(kNlp), options), "metadata.labels"), "gold");
  EXPECT_EQ(
      tier(Patched(GpuPod(kNlp, R"("priorityClassName":"gold")"), options), "metadata.labels"),
      "gold");
  EXPECT_EQ(tier(Patched(GpuTemplate("apps/v1", "Deployment", kNlp), options),
                 "spec.template.metadata.labels"),
            "gold");
  EXPECT_EQ(tier(Patched(GpuPod(kNlp)), "metadata.labels"), "(none)");
  const CompiledPolicy no_classes = MustCompile(R"(stages { rules { id: "a" set: 7 } })");
  EXPECT_EQ(Answered(CreateReview(GpuPod("")), options, no_classes).patch, "");
  const CompiledPolicy long_name =
      MustCompile("priority_classes { name: \"" + std::string(64, 'c') + "\" at_least: 0 }");
  const Response response = Answered(CreateReview(GpuPod("")), options, long_name);
  EXPECT_THAT(response.patch, Not(HasSubstr("tier")));
  EXPECT_THAT(response.warnings, Not(IsEmpty()));
}

TEST(RuntimeLimit, OnlyEverShortens) {
  const char* const capped = R"("labels":{"team":"nlp","capped":"yes"})";
  const auto pod = [&](const std::string& spec) {
    return Patched(GpuPod(capped, spec)).TextAt("spec.activeDeadlineSeconds");
  };
  EXPECT_EQ(pod(""), "3600");
  EXPECT_EQ(pod(R"("activeDeadlineSeconds":7200)"), "3600");
  EXPECT_EQ(pod(R"("activeDeadlineSeconds":600)"), "600");
  const auto job = [&](const std::string& spec) {
    return Patched(GpuTemplate("batch/v1", "Job", capped, spec));
  };
  EXPECT_EQ(job("").TextAt("spec.activeDeadlineSeconds"), "3600");
  EXPECT_EQ(job("").At("spec.template.spec.activeDeadlineSeconds"), nullptr);
  EXPECT_EQ(job(R"("activeDeadlineSeconds":60)").TextAt("spec.activeDeadlineSeconds"), "60");
  // Forbidden in the templates of servers.
  const Tree server = Patched(GpuTemplate("apps/v1", "Deployment", capped));
  EXPECT_EQ(server.At("spec.template.spec.activeDeadlineSeconds"), nullptr);
  EXPECT_EQ(
      Patched(
          GpuPod(
              std::string(capped) +
              R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","controller":true}])"))
          .At("spec.activeDeadlineSeconds"),
      nullptr);
  const Tree torch = Patched(
      R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"labels":{"capped":"yes"}},"spec":{"pytorchReplicaSpecs":{"Worker":{"template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}}}}}})");
  EXPECT_EQ(torch.TextAt("spec.runPolicy.activeDeadlineSeconds"), "3600");
}

// Shortened once more, it still records what was asked for at first.
TEST(RuntimeLimit, TheFirstRecordStays) {
  const Tree pod = Patched(GpuPod(
      R"("labels":{"capped":"yes"},"annotations":{"precedent.dev/requested-deadline":"7200"})",
      R"("activeDeadlineSeconds":5000)"));
  EXPECT_EQ(pod.TextAt("spec.activeDeadlineSeconds"), "3600");
  EXPECT_EQ(AnnotationOf(pod, "metadata.annotations", "precedent.dev/requested-deadline"), "7200");
}

// There is no place for a limit in what is no object; then nothing is recorded either.
TEST(RuntimeLimit, NeedsAPlace) {
  v1::AdapterOptions options;
  options.set_devices_only(false);
  const CompiledPolicy policy =
      MustCompile(R"(stages { rules { id: "a" limit_runtime_seconds: 60 } } fallback {})");
  for (const char* spec :
       {"7", "[]", R"({"runPolicy":7})",
        R"({"runPolicy":"x","pytorchReplicaSpecs":{"Worker":{"template":{"spec":{}}}}})"}) {
    const std::string job =
        R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":)" + std::string(spec) + "}";
    const Response response = Answered(CreateReview(job), options, policy);
    EXPECT_THAT(response.patch, Not(HasSubstr("eadline"))) << spec;
  }
}

// Found by a fuzzer: with a spec made for the limit, the second pass set the class in it.
TEST(RuntimeLimit, MakesNoSpec) {
  v1::AdapterOptions options;
  options.set_devices_only(false);
  const CompiledPolicy policy =
      MustCompile(R"(stages { rules { id: "a" set: 7 limit_runtime_seconds: 60 } }
                     priority_classes { name: "gold" at_least: 0 })");
  for (const char* object : {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})",
                             R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"}})"}) {
    const Response response = Answered(CreateReview(object), options, policy);
    EXPECT_THAT(response.patch, Not(HasSubstr("/spec"))) << object;
  }
}

// The limit depends on the runtime that was asked for, and the patch shortens it.
TEST(RuntimeLimit, ASecondPassDecidesAsTheFirst) {
  for (const char* verified : {"", "require_verified: MAX_RUNTIME_SECONDS"}) {
    const CompiledPolicy policy = MustCompile(R"(
      stages { rules { id: "a" set: 600 }
               rules { id: "long" when { max_runtime_seconds { above: 7200 } } set: 5
                       limit_runtime_seconds: 3600 }
               rules { id: "open" when { max_runtime_seconds { present: false } } set: 7
                       limit_runtime_seconds: 3600 } }
      priority_classes { name: "gold" at_least: 500 }
      priority_classes { name: "bronze" at_least: 0 } )" +
                                              std::string(verified));
    for (const std::string& object :
         {GpuPod("", R"("activeDeadlineSeconds":9000)"), GpuPod(""),
          GpuPod(R"("annotations":{"max-duration":"10h"})"),
          GpuTemplate("batch/v1", "Job", "", R"("activeDeadlineSeconds":9000)"),
          GpuTemplate("batch/v1", "Job", "")}) {
      Patched(object, {}, policy);
    }
    EXPECT_EQ(Patched(GpuPod("", R"("activeDeadlineSeconds":9000)"), {}, policy)
                  .TextAt("spec.priorityClassName"),
              "bronze");
  }
}

}  // namespace
}  // namespace precedent::kubernetes
