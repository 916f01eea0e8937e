// TimerQueue against a sorted map, DescriptorStore against what was kept.
#include <map>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "precedent/reprioritiser.h"
#include "src/lineage/timer_queue.h"
#include "tests/unit/lineage/build.h"

namespace precedent {
namespace {

TEST(TimerQueue, AgreesWithASortedMap) {
  std::mt19937 random(5);
  lineage::TimerQueue queue;
  std::map<JobSlot, TimePoint> model;
  for (int i = 0; i < 20'000; ++i) {
    const JobSlot job = random() % 300;
    if (random() % 4 == 0) {
      queue.Remove(job);
      model.erase(job);
    } else if (random() % 50 == 0) {
      queue.Set(job, kForever);
      model.erase(job);
    } else {
      const TimePoint at = At(static_cast<int>(random() % 1000));
      queue.Set(job, at);
      model[job] = at;
    }
    ASSERT_EQ(queue.size(), model.size());
    TimePoint least = kForever;
    for (const auto& [_, at] : model) least = std::min(least, at);
    ASSERT_EQ(queue.next(), least);
    if (i % 100 == 0) {
      std::size_t due = 0;
      for (const auto& [_, at] : model) due += at <= At(500);
      ASSERT_EQ(queue.CountDue(At(500)), due);
    }
  }
  TimePoint last = kNoTime;
  while (!queue.empty()) {
    const lineage::TimerQueue::Timer top = queue.top();
    EXPECT_GE(top.at, last);
    EXPECT_EQ(model.at(top.job), top.at);
    last = top.at;
    queue.Remove(top.job);
    model.erase(top.job);
  }
  EXPECT_TRUE(model.empty());
}

TEST(DescriptorStore, GivesBackAllButTheLineage) {
  DescriptorStore store;
  JobDescriptor job;
  std::string team = "vision", image = std::string(300, 'i');
  const std::string nul("a\0b", 3);
  Label labels[] = {{"tier", "gold"}, {"empty", ""}, {nul, "x"}};
  Metric metrics[] = {{"fair_share", -0.5}, {"absent", kAbsent}};
  job.team = team;
  job.workload_type = "training";
  job.environment = "production";
  job.namespace_name = "ns";
  job.queue = "q";
  job.user = "u";
  job.image = image;
  job.accelerator = "a100";
  job.requested_class = "high";
  job.kind = "Job";
  job.gpu_count = 0.5;
  job.dataset_bytes = 1e12;
  job.submitted = At(3);
  job.preemptible = true;
  job.claimed = 0xabc;
  job.labels = labels;
  job.metrics = metrics;
  store.Keep(7, "job", job);
  team = "xxxxxx";
  labels[0].value = "lost";

  JobDescriptor read;
  ASSERT_TRUE(store.Describe(7, "job", &read));
  EXPECT_EQ(read.team, "vision");
  EXPECT_EQ(read.workload_type, "training");
  EXPECT_EQ(read.environment, "production");
  EXPECT_EQ(read.namespace_name, "ns");
  EXPECT_EQ(read.queue, "q");
  EXPECT_EQ(read.user, "u");
  EXPECT_EQ(read.image, image);
  EXPECT_EQ(read.accelerator, "a100");
  EXPECT_EQ(read.requested_class, "high");
  EXPECT_EQ(read.kind, "Job");
  EXPECT_EQ(read.gpu_count, 0.5);
  EXPECT_TRUE(IsAbsent(read.pod_count));
  EXPECT_EQ(read.dataset_bytes, 1e12);
  EXPECT_EQ(read.submitted, At(3));
  EXPECT_TRUE(read.preemptible);
  EXPECT_EQ(read.claimed, 0xabcu);
  ASSERT_EQ(read.labels.size(), 3u);
  EXPECT_EQ(read.labels[0].key, "tier");
  EXPECT_EQ(read.labels[0].value, "gold");
  EXPECT_EQ(read.labels[1].key, "empty");
  EXPECT_EQ(read.labels[1].value, "");
  EXPECT_EQ(read.labels[2].key, nul);
  ASSERT_EQ(read.metrics.size(), 2u);
  EXPECT_EQ(read.metrics[0].name, "fair_share");
  EXPECT_EQ(read.metrics[0].value, -0.5);
  EXPECT_TRUE(IsAbsent(read.metrics[1].value));

  EXPECT_FALSE(store.Describe(6, "other", &read));
  EXPECT_FALSE(store.Describe(1 << 20, "other", &read));
  store.Keep(7, "job", JobDescriptor());
  ASSERT_TRUE(store.Describe(7, "job", &read));
  EXPECT_EQ(read.team, "");
  store.Drop(7);
  EXPECT_FALSE(store.Describe(7, "job", &read));
}

}  // namespace
}  // namespace precedent
