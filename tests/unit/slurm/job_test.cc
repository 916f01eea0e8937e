#include "examples/slurm/job.h"

#include <gtest/gtest.h>

#include <string>

#include "examples/slurm/gpus.h"
#include "precedent/policy.h"

namespace precedent::slurm {
namespace {

TEST(GpusTest, EverySpelling) {
  const struct {
    const char* list;
    double count;
    const char* type;
  } cases[] = {
      {"", 0, ""},
      {"gpu", 1, ""},
      {"gpu:2", 2, ""},
      {"gpu:a100", 1, "a100"},
      {"gpu:a100:2", 2, "a100"},
      {"gres:gpu:2", 2, ""},
      {"gres/gpu:2", 2, ""},
      {"gres:gpu:a100:4", 4, "a100"},
      {"gres/gpu=8", 8, ""},
      {"gres/gpu:h100=8", 8, "h100"},
      {"gpu=3", 3, ""},
      {"gpu:1K", 1024, ""},
      {"gpu:a100:2(S:0-1)", 2, "a100"},
      {"gres:gpu:a100:1,gres:gpu:h100:2", 3, ""},
      {"shard:4,gpu:2", 2, ""},
      {"gpu_mem:80G,mps:100", 0, ""},
      {"gpu:0", 0, ""},
      {"cpu=4,mem=10G,gres/gpu=2", 2, ""},
  };
  for (const auto& c : cases) {
    const auto gpus = ParseGpus(c.list);
    ASSERT_TRUE(gpus.has_value()) << c.list;
    EXPECT_EQ(gpus->count, c.count) << c.list;
    EXPECT_EQ(gpus->type, c.type) << c.list;
  }
}

TEST(GpusTest, NoneOfThese) {
  for (const char* list : {"gpu:", "gpu:-1", "gpu:a100:", "gpu:a100:x", "gpu::2", "gpu:a:b:2",
                           "gpu=x", "gpu:99999999999", "gpu:20M", "gpu:2.5", "gpu:+2"}) {
    EXPECT_FALSE(ParseGpus(list).has_value()) << list;
  }
  EXPECT_TRUE(ParseGpus("gpu:" + std::string(64, 'a')).has_value());
  EXPECT_FALSE(ParseGpus("gpu:" + std::string(65, 'a')).has_value());
}

TEST(DescriptionTest, GpusAreThoseOfTheWholeJob) {
  SlurmJob job;
  job.texts["tres_per_node"] = "gres:gpu:a100:2";
  job.numbers = {{"min_nodes", 4}, {"num_tasks", 4294967294.0}};
  EXPECT_EQ(Description(job).descriptor().gpu_count, 8);
  EXPECT_EQ(Description(job).descriptor().accelerator, "a100");
  job.texts["tres_per_job"] = "gres:gpu:5";
  EXPECT_EQ(Description(job).descriptor().gpu_count, 5);
  job.texts = {{"tres_per_task", "gpu:1"}};
  job.numbers["num_tasks"] = 6;
  EXPECT_EQ(Description(job).descriptor().gpu_count, 6);
  job.texts = {{"tres_per_socket", "gpu:1"}};
  job.numbers["sockets_per_node"] = 2;
  EXPECT_EQ(Description(job).descriptor().gpu_count, 8);
}

TEST(DescriptionTest, WhoNamesNoNodesWantsOne) {
  SlurmJob job;
  EXPECT_EQ(Description(job).descriptor().pod_count, 1);
  job.numbers["min_nodes"] = 4294967294.0;
  EXPECT_EQ(Description(job).descriptor().pod_count, 1);
  job.numbers["min_nodes"] = 3;
  EXPECT_EQ(Description(job).descriptor().pod_count, 3);
}

TEST(DescriptionTest, NodesAreThoseOfTheRecord) {
  SlurmJob job;
  job.numbers["min_nodes"] = 2;
  job.texts["admin_comment"] = "precedent: 1 gpus=0";
  EXPECT_EQ(Description(job).descriptor().pod_count, 1);
  job.texts["admin_comment"] = "precedent: 1 gpus=0 nodes=5";
  EXPECT_EQ(Description(job).descriptor().pod_count, 5);
  job.texts["admin_comment"] = "by hand";
  EXPECT_EQ(Description(job).descriptor().pod_count, 2);
}

TEST(DescriptionTest, AListOfPartitionsHasOneOrder) {
  SlurmJob job;
  job.texts["partition"] = "main,low,high";
  EXPECT_EQ(Description(job).descriptor().queue, "high,low,main");
  job.texts["partition"] = "main";
  EXPECT_EQ(Description(job).descriptor().queue, "main");
  job.texts.clear();
  EXPECT_EQ(Description(job).descriptor().queue, "");
}

TEST(DescriptionTest, WhatCannotBeReadIsSaid) {
  SlurmJob job;
  job.texts = {{"tres_per_node", "gpu:many:x"}, {"comment", "dataset-bytes=lots"}};
  const Description description(job);
  EXPECT_EQ(description.descriptor().gpu_count, 0);
  EXPECT_TRUE(IsAbsent(description.descriptor().dataset_bytes));
  EXPECT_NE(description.error(), "");
}

TEST(DescriptionTest, CommentsAndNamesAreClaims) {
  SlurmJob job;
  job.texts = {{"comment", "precedent.dev/environment=production, tier=gold"},
               {"name", "train;workload-type=training;environment=staging"},
               {"account", "vision"}};
  const Description description(job);
  const JobDescriptor& d = description.descriptor();
  EXPECT_EQ(d.environment, "production");
  EXPECT_EQ(d.workload_type, "training");
  EXPECT_EQ(d.team, "vision");
  ASSERT_EQ(d.labels.size(), 1u);
  EXPECT_EQ(d.labels[0].key, "tier");
  EXPECT_EQ(d.claimed,
            Bit(Attribute::kEnvironment) | Bit(Attribute::kWorkloadType) | Bit(Attribute::kLabels));
}

TEST(DescriptionTest, AnAdministratorsWordCountsFirstAndIsNoClaim) {
  SlurmJob job;
  job.texts = {{"admin_comment", "environment=staging precedent: 3 gpus=8 failures=2"},
               {"comment", "environment=production"},
               {"tres_per_job", "gpu:1"}};
  const Description description(job);
  EXPECT_EQ(description.descriptor().environment, "staging");
  EXPECT_EQ(description.descriptor().claimed, 0u);
  EXPECT_EQ(description.descriptor().gpu_count, 8);
  EXPECT_EQ(description.descriptor().lineage.failure_count, 2);
}

TEST(DescriptionTest, ConsentNeedsAJobThatMayRunAgain) {
  SlurmJob job;
  job.texts["comment"] = "preemptible=true";
  job.numbers["restart_cnt"] = 2;
  EXPECT_TRUE(Description(job).descriptor().preemptible);
  EXPECT_EQ(Description(job).descriptor().lineage.preemption_count, 2);
  job.numbers["requeue"] = 65534;  // not set
  EXPECT_TRUE(Description(job).descriptor().preemptible);
  job.numbers["requeue"] = 0;
  EXPECT_FALSE(Description(job).descriptor().preemptible);
  EXPECT_EQ(Description(job).descriptor().lineage.infrastructure_failure_count, 2);
}

TEST(DescriptionTest, ItsNoteIsReadBack) {
  const CompileResult policy =
      LoadPolicy("stages { rules { id: \"all\" set: 7 } } bounds { max: 9 }");
  ASSERT_TRUE(policy.ok());
  SlurmJob job;
  job.texts = {{"tres_per_job", "gpu:a100:3"}, {"admin_comment", "tier=gold"}};
  job.numbers["failures"] = 4;
  job.numbers["min_nodes"] = 2;
  const Description description(job);
  const Evaluator& evaluator = policy.policy->evaluator();
  const std::string note = description.Note(
      &evaluator, evaluator.Evaluate(description.descriptor(), TimePoint()), TimePoint());
  EXPECT_EQ(note, "tier=gold precedent: 7 gpus=3 accelerator=a100 nodes=2 failures=4 rules=all");
  const Record record = ParseRecord(note);
  EXPECT_EQ(record.words, "tier=gold");
  EXPECT_EQ(record.gpus, 3);
  EXPECT_EQ(record.accelerator, "a100");
  EXPECT_EQ(record.nodes, 2);
  EXPECT_EQ(record.failures, 4);
}

}  // namespace
}  // namespace precedent::slurm
