// Every policy of up to two rules over a small vocabulary, for every job of a small
// universe: the library and the reference agree. (Under a sanitizer: every tenth.)
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/differential/settings.h"
#include "tests/differential/shrink.h"
#include "tests/differential/subject.h"

namespace precedent::differential {
namespace {

constexpr std::int64_t kNow = 1'000'000'000'000;

// Conditions of a rule, and what it does. Each list begins with what every run
// combines; the rest is for --full.
struct Part {
  const char* text;
  bool full_only = false;
};

constexpr Part kConditions[] = {
    {""},
    {"when { team { in: 'a' } }"},
    {"when { team { not_in: 'a' } }"},
    {"when { team { present: false } }"},
    {"when { gpu_count { above: 1 } }"},
    {"when { gpu_count { at_most: 1 } }"},
    {"when { gpu_count { present: false } }"},
    {"when { team { in: 'a' } gpu_count { at_least: 1 } }"},
    {"when { team { in: 'a' } } when { gpu_count { below: 2 } }"},
    {"when { team { in: 'a' in: 'b' not_in: 'a' } }"},
    {"when { preemptible: true }"},
    {"when { wait_seconds { above: 60 } }"},
    {"when { team { present: true } }", true},
    {"when { team { prefix: 'a' suffix: 'b' } }", true},
    {"when { gpu_count { above: 0 below: 2 } }", true},
    {"when { preemptible: false }", true},
    {"when { team { in: 'a' } } when { team { in: 'a' } preemptible: true }", true},
    {"active_from { seconds: 1000000 nanos: 1 }", true},
};

constexpr Part kEffects[] = {
    {""},
    {"set: 7"},
    {"add: 3"},
    {"add_scaled { of: GPU_COUNT points: 2 max: 3 }"},
    {"at_least: 5"},
    {"at_most: 2"},
    {"add: 3 order_only: true"},
    {"set: 7 order_only: true"},
    {"add: -5 final: true"},
    {"priority_class: 'high'"},
    {"deny: 'no'"},
    {"set: 0", true},
    {"add: -5", true},
    {"final: true", true},
    {"set: 7 final: true", true},
    {"at_least: 5 order_only: true", true},
    {"at_most: 2 order_only: true", true},
    {"at_most: 2 final: true", true},
    {"add_scaled { of: WAIT_SECONDS points: 1 per: 60 min: -1 max: 3 } order_only: true", true},
    {"add_scaled { of: GPU_COUNT points: -2 per: 0.5 min: -5 } final: true", true},
    {"limit_runtime_seconds: 60", true},
    {"share_identifier: 's'", true},
    {"never_preempt_others: true", true},
    {"never_preempt_others: false", true},
    {"annotate { key: 'k' value: 'v' }", true},
    {"warn: 'w'", true},
};

std::vector<v1::Rule> AllRules(bool full) {
  std::vector<v1::Rule> rules;
  for (const Part& condition : kConditions) {
    for (const Part& effect : kEffects) {
      if ((condition.full_only || effect.full_only) && !full) continue;
      const std::string text = std::string(condition.text) + " " + effect.text;
      v1::Rule rule;
      EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &rule)) << text;
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

std::vector<reference::Job> AllJobs() {
  std::vector<reference::Job> jobs;
  for (const char* team : {"", "a", "b", "ab"}) {
    for (double gpus : {-1.0, 0.0, 1.0, 1.5, 2.0}) {  // -1: absent
      for (bool preemptible : {false, true}) {
        reference::Job job;
        job.facts.set_team(team);
        if (gpus >= 0) job.facts.set_gpu_count(gpus);
        job.facts.set_preemptible(preemptible);
        // Three waits, spread over the jobs: none, 60 s, and a microsecond more.
        const std::size_t wait = jobs.size() % 3;
        if (wait > 0) job.submitted_us = kNow - 59'999'999 - static_cast<std::int64_t>(wait);
        jobs.push_back(std::move(job));
      }
    }
  }
  return jobs;
}

v1::Policy Frame() {
  v1::Policy policy;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "bounds { min: -3 max: 9 } fallback { priority: 1 }"
      "priority_classes { name: 'high' at_least: 5 } priority_classes { name: 'low' at_least: -3 }",
      &policy));
  return policy;
}

// One rule alone, or two: in one stage of either mode, or in two stages.
std::vector<v1::Policy> Layouts(const v1::Rule& first, const v1::Rule* second) {
  std::vector<v1::Policy> policies;
  const auto add = [&](bool first_match, bool two_stages) {
    v1::Policy& policy = policies.emplace_back(Frame());
    v1::Stage* stage = policy.add_stages();
    if (first_match) stage->set_mode(v1::Stage::FIRST_MATCH);
    *stage->add_rules() = first;
    if (second != nullptr) {
      if (two_stages) stage = policy.add_stages();
      *stage->add_rules() = *second;
      stage->mutable_rules(stage->rules_size() - 1)->set_id("second");
    }
    policy.mutable_stages(0)->mutable_rules(0)->set_id("first");
  };
  add(false, false);
  if (second != nullptr) {
    add(true, false);
    add(false, true);
  }
  return policies;
}

class SmallUniverseTest : public ::testing::Test {
 protected:
  // False, with a failure, where the two differ.
  bool Agree(const v1::Policy& policy) {
    std::string error;
    const std::unique_ptr<Subject> subject = Subject::Make(policy, &error);
    if (subject == nullptr) {
      ADD_FAILURE() << error << ToText(Failure{policy, {}});
      return false;
    }
    for (const reference::Job& job : jobs_) {
      ++pairs_;
      CheckOptions options;
      options.explain = options.later_times = pairs_ % 8 == 0;
      reference::Outcome outcome;
      const std::string difference = subject->Check(job, kNow, options, &outcome);
      applied_ += outcome.rules.size();
      if (difference.empty()) continue;
      ADD_FAILURE() << difference << ToText(Failure{policy, {job, kNow}});
      return false;
    }
    return true;
  }

  const std::vector<reference::Job> jobs_ = AllJobs();
  std::uint64_t pairs_ = 0;
  std::uint64_t applied_ = 0;
};

TEST_F(SmallUniverseTest, AgreesWithTheReference) {
  const std::vector<v1::Rule> rules = AllRules(TheSettings().full);
  ASSERT_TRUE(Agree(Frame()));
  std::size_t combination = 0;
  for (const v1::Rule& first : rules) {
    for (const v1::Policy& policy : Layouts(first, nullptr)) ASSERT_TRUE(Agree(policy));
    for (const v1::Rule& second : rules) {
      if (combination++ % kLess != 0) continue;
      for (const v1::Policy& policy : Layouts(first, &second)) ASSERT_TRUE(Agree(policy));
    }
  }
  std::printf("%zu rules, %zu jobs, %llu pairs, %.2f rules applied to a job\n", rules.size(),
              jobs_.size(), static_cast<unsigned long long>(pairs_),
              static_cast<double>(applied_) / static_cast<double>(pairs_));
  EXPECT_GT(pairs_, 1'000'000u / kLess);
  EXPECT_GT(applied_, pairs_ / 2);
}

}  // namespace
}  // namespace precedent::differential
