#include "examples/slurm/accounting.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace precedent::slurm {
namespace {

std::string Line(int id, const char* state, int submit, int end, int seconds = 60) {
  std::string line;
  for (const std::string& field :
       {std::to_string(id), std::string("ann"), std::string("vision"), std::string("train"),
        std::string(state), std::to_string(submit), std::to_string(end), std::to_string(seconds)}) {
    if (!line.empty()) line += Accounting::kDelimiter;
    line += field;
  }
  return line + "\n";
}

SlurmJob Waiting() {
  SlurmJob job;
  job.texts = {{"user_name", "ann"}, {"account", "vision"}, {"name", "train"}};
  job.numbers = {{"submit_time", 1000}, {"restart_cnt", 3}};
  return job;
}

TEST(AccountingTest, OwnRunsSayWhy) {
  const Accounting accounting(Line(7, "NODE_FAIL", 1, 20) + Line(7, "FAILED", 21, 30) +
                              Line(7, "PREEMPTED", 31, 40, 9));
  SlurmJob job = Waiting();
  accounting.Tell(7, &job);
  const Description description(job);
  const Lineage& lineage = description.descriptor().lineage;
  EXPECT_EQ(lineage.failure_count, 1);
  EXPECT_EQ(lineage.preemption_count, 1);
  EXPECT_EQ(lineage.infrastructure_failure_count, 1);
  EXPECT_EQ(lineage.attempt, 4);
  EXPECT_EQ(lineage.predecessor_runtime_seconds, 9);
  EXPECT_TRUE(lineage.retry_of_preempted);
}

TEST(AccountingTest, TheChainEndsWithWhatCompleted) {
  const Accounting accounting(Line(3, "FAILED", 1, 5) + Line(4, "COMPLETED", 6, 7) +
                              Line(6, "TIMEOUT", 10, 12) + Line(5, "CANCELLED by 0", 8, 9));
  SlurmJob job = Waiting();
  accounting.Tell(8, &job);
  EXPECT_EQ(job.numbers["failures"], 1);
  EXPECT_EQ(job.numbers.count("preempted"), 0u);  // no run of its own
  // Sent back, it is as old as its first run: what failed since then is no predecessor.
  const Accounting later(Line(6, "FAILED", 10, 50) + Line(8, "PREEMPTED", 20, 60));
  job = Waiting();
  later.Tell(8, &job);
  EXPECT_EQ(job.numbers["failures"], 0);
}

TEST(AccountingTest, NothingIsKnownOfOthers) {
  const Accounting accounting(Line(3, "FAILED", 1, 5));
  SlurmJob job = Waiting();
  job.texts["account"] = "nlp";
  accounting.Tell(8, &job);
  EXPECT_EQ(job.numbers.count("failures"), 0u);
}

TEST(AccountingTest, WhateverSacctPrints) {
  std::mt19937 random(5);
  const std::string whole = Line(3, "FAILED", 1, 5) + Line(4, "COMPLETED", 6, 7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (int k = 0; k < 4; ++k) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % (text.size() + 1));
    const Accounting accounting(text);
    SlurmJob job = Waiting();
    accounting.Tell(static_cast<int>(random() % 8), &job);
    const auto failures = job.number("failures").value_or(0);
    EXPECT_TRUE(failures >= 0 && failures <= 2) << failures;
  }
}

}  // namespace
}  // namespace precedent::slurm
