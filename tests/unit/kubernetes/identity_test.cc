// Kinds, names, lineage keys and the plain fields.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::HasSubstr;

std::string Object(const std::string& api_version, const std::string& kind) {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"("})";
}

TEST(Kinds, GroupAndKindTogether) {
  EXPECT_EQ(MustDescribe(Object("v1", "Pod")).job.kind(), "Pod");
  EXPECT_EQ(MustDescribe(Object("batch/v1", "Job")).job.kind(), "Job");
  EXPECT_EQ(MustDescribe(Object("apps/v1", "Deployment")).job.kind(), "Deployment");
  const auto adapter = Adapter::Create();
  const std::pair<const char*, const char*> unknown[] = {
      {"example.com/v1alpha1", "Job"},
      {"v1", "Job"},
      {"apps/v1", "Pod"},
      {"extensions/v1beta1", "Deployment"},
      {"v1", "Service"},
      {"batch/v1", "job"},
      {"v1", "List"},
      {"", "\\u001b[2J"},
  };
  for (const auto& [api_version, kind] : unknown) {
    const auto job = adapter->Describe(Object(api_version, kind));
    EXPECT_EQ(job.status().code(), absl::StatusCode::kUnimplemented) << kind;
    EXPECT_THAT(std::string(job.status().message()), HasSubstr("is not known (known: Pod, "));
    EXPECT_EQ(job.status().message().find('\x1b'), absl::string_view::npos);
  }
  EXPECT_THAT(
      std::string(adapter->Describe(Object("example.com/v1alpha1", "Job")).status().message()),
      HasSubstr("kind `Job` of group `example.com`"));
}

TEST(Kinds, WhatIsNoObject) {
  EXPECT_EQ(ErrorOf("{}"), "kind: is missing");
  EXPECT_EQ(ErrorOf(R"({"kind":"Pod"})"), "apiVersion: is missing");
  EXPECT_EQ(ErrorOf(R"({"kind":1,"apiVersion":"v1"})"), "kind: must be a string and is a number");
  for (const char* text : {"[]", "null", "1", "\"Pod\""}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("must be a JSON object")) << text;
  }
  EXPECT_NE(ErrorOf(""), "OK");
  EXPECT_NE(ErrorOf(R"({"kind":"Pod","apiVersion":"v1"} x)"), "OK");
}

TEST(Identity, Names) {
  const auto name = [](const std::string& metadata) {
    return MustDescribe(Pod(metadata)).job.name();
  };
  EXPECT_EQ(name(R"("name":"a","namespace":"n")"), "n/a");
  EXPECT_EQ(name(R"("name":"a")"), "a");
  EXPECT_EQ(name(R"("generateName":"a-","namespace":"n")"), "n/a-*");
  EXPECT_EQ(name(R"("generateName":"a-")"), "a-*");
  EXPECT_EQ(name(R"("name":"a-7","generateName":"a-")"), "a-7");
  EXPECT_EQ(name(R"("namespace":"n")"), "n/*");
  EXPECT_EQ(name(""), "");
}

TEST(Identity, Fields) {
  const DescribedJob job = MustDescribe(Pod(
      R"("uid":"u-1","namespace":"n","creationTimestamp":"2026-11-02T03:04:05.25Z",)"
      R"("labels":{"kueue.x-k8s.io/queue-name":"q"})",
      R"("containers":[{"image":"r/a:1"},{"image":"r/b:2"}],)"
      R"("nodeSelector":{"node.kubernetes.io/instance-type":"p5","nvidia.com/gpu.product":"H100"})"));
  EXPECT_EQ(job.job.id(), "u-1");
  EXPECT_EQ(job.job.namespace_(), "n");
  EXPECT_EQ(job.job.submitted().seconds(), 1793588645);
  EXPECT_EQ(job.job.submitted().nanos(), 250'000'000);
  EXPECT_EQ(job.job.queue(), "q");
  EXPECT_EQ(job.job.image(), "r/a:1");
  EXPECT_EQ(job.job.accelerator(), "H100");
  EXPECT_EQ(job.job.user(), "");
  EXPECT_TRUE(Claims(job, v1::QUEUE));
  EXPECT_FALSE(Claims(job, v1::NAMESPACE));
  EXPECT_FALSE(Claims(job, v1::ACCELERATOR));
  EXPECT_EQ(MustDescribe(Pod("", R"("nodeSelector":{"node.kubernetes.io/instance-type":"p5"})"))
                .job.accelerator(),
            "");
  for (const char* bad : {"yesterday", "", "infinite-future", "infinite-past",
                          "2026-13-01T00:00:00Z", "99999-01-01T00:00:00Z"}) {
    EXPECT_THAT(ErrorOf(Pod(R"("creationTimestamp":")" + std::string(bad) + "\"")),
                HasSubstr("metadata.creationTimestamp"))
        << bad;
  }
}

std::string Key(const std::string& metadata) {
  return MustDescribe(Pod(metadata)).job.lineage_key();
}

std::string Owner(const std::string& api_version, const std::string& kind, const std::string& name,
                  const char* controller = "true") {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" + name +
         R"(","controller":)" + controller + "}";
}

TEST(LineageKey, OwnerThenJobLabelThenName) {
  const std::string job = MustDescribe(R"({"apiVersion":"batch/v1","kind":"Job","metadata":)"
                                       R"({"name":"train","namespace":"n"}})")
                              .job.lineage_key();
  EXPECT_EQ(job, "n/Job/train");
  // A Job's pods meet it, however they are known.
  EXPECT_EQ(Key(R"("namespace":"n","name":"train-x1","ownerReferences":[)" +
                Owner("batch/v1", "Job", "train") + "]"),
            job);
  EXPECT_EQ(Key(R"("namespace":"n","labels":{"batch.kubernetes.io/job-name":"train"})"), job);
  EXPECT_EQ(Key(R"("namespace":"n","labels":{"job-name":"train"})"), job);
  EXPECT_EQ(Key(R"("namespace":"n","name":"p")"), "n/Pod/p");
  // Each index of an indexed Job is work of its own.
  const char* const index = "\"batch.kubernetes.io/job-completion-index\":\"3\"";
  EXPECT_EQ(Key(R"("namespace":"n","labels":{"job-name":"train",)" + std::string(index) + "}"),
            job + "/3");
  EXPECT_EQ(Key(R"("namespace":"n","annotations":{)" + std::string(index) +
                R"(},"ownerReferences":[)" + Owner("batch/v1", "Job", "train") + "]"),
            job + "/3");
  // Another group, another kind, another namespace, no controller: another key.
  EXPECT_EQ(Key(R"("namespace":"n","ownerReferences":[)" +
                Owner("batch.volcano.sh/v1alpha1", "Job", "train") + "]"),
            "n/Job.batch.volcano.sh/train");
  EXPECT_EQ(Key(R"("namespace":"n","name":"p","ownerReferences":[)" +
                Owner("batch/v1", "Job", "train", "false") + "]"),
            "n/Pod/p");
  EXPECT_EQ(Key(R"("namespace":"n","ownerReferences":[)" + Owner("v1", "A", "a", "false") + "," +
                Owner("apps/v1", "ReplicaSet", "web-5d") + "]"),
            "n/ReplicaSet/web-5d");
}

TEST(LineageKey, NamelessJobsShareNone) {
  EXPECT_EQ(Key(""), "");
  EXPECT_EQ(Key(R"("generateName":"train-","namespace":"n")"), "");
  EXPECT_EQ(Key(R"("namespace":"n","ownerReferences":[])"), "");
}

}  // namespace
}  // namespace precedent::kubernetes
