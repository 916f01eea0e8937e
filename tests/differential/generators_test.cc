// The generators keep their own promises.
#include <string>

#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tests/differential/job_generator.h"
#include "tests/differential/policy_generator.h"
#include "tests/differential/shrink.h"
#include "tests/differential/words.h"

namespace precedent::differential {
namespace {

bool IsUtf8(const std::string& text) {
  // RE2 matches valid UTF-8 only.
  static const RE2& any = *new RE2("(?s).*");
  return RE2::FullMatch(text, any);
}

TEST(GeneratorsTest, ASeedSaysEverything) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::string first;
    for (int round = 0; round < 2; ++round) {
      Random random(seed);
      const GeneratedPolicy generated = RandomPolicy(random);
      JobGenerator jobs(generated, random);
      std::string all;
      for (int i = 0; i < 3; ++i) all += ToText(Failure{generated.policy, jobs.Make()});
      if (round == 0) {
        first = all;
      } else {
        ASSERT_EQ(first, all) << seed;
      }
    }
  }
}

TEST(GeneratorsTest, WordsAreUtf8AndPiecesArePieces) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string word = RandomWord(random);
    ASSERT_TRUE(IsUtf8(word)) << word;
    ASSERT_TRUE(IsUtf8(Mutated(word, random))) << word;
    const std::string prefix = PrefixOf(word, random);
    const std::string suffix = SuffixOf(word, random);
    const std::string piece = PieceOf(word, random);
    ASSERT_FALSE(prefix.empty() || suffix.empty() || piece.empty()) << word;
    ASSERT_TRUE(IsUtf8(prefix) && IsUtf8(suffix) && IsUtf8(piece)) << word;
    ASSERT_EQ(word.compare(0, prefix.size(), prefix), 0) << word;
    ASSERT_EQ(word.compare(word.size() - suffix.size(), suffix.size(), suffix), 0) << word;
    ASSERT_NE(word.find(piece), std::string::npos) << word;
  }
}

TEST(GeneratorsTest, PatternsAreValid) {
  Random random(2);
  for (int i = 0; i < 3'000; ++i) {
    const std::string pattern =
        RandomPattern({RandomWord(random), RandomWord(random)}, i % 3 == 0, random);
    RE2::Options options;
    options.set_log_errors(false);
    ASSERT_TRUE(RE2(pattern, options).ok()) << pattern;
  }
}

// A failure that depends on one rule, one label and the time of submission is made
// that small.
TEST(ShrinkTest, KeepsWhatIsNeededOnly) {
  Failure failure;
  v1::Stage* stage = failure.policy.add_stages();
  for (int i = 0; i < 40; ++i) {
    v1::Rule* rule = stage->add_rules();
    rule->set_id("rule" + std::to_string(i));
    rule->add_when()->mutable_team()->add_in("a");
    rule->mutable_when(0)->set_preemptible(true);
    rule->set_warn("w");
  }
  failure.job.job.facts.set_team("a");
  failure.job.job.submitted_us = 1;
  failure.job.job.labels = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  const auto fails = [](const Failure& f) {
    bool rule = false;
    for (const v1::Stage& s : f.policy.stages())
      for (const v1::Rule& r : s.rules())
        rule |= r.id() == "rule17" && r.when_size() > 0 && r.when(0).has_preemptible();
    bool label = false;
    for (const auto& [key, value] : f.job.job.labels) label |= key == "b";
    return rule && label && f.job.job.submitted_us;
  };
  const Failure small = Shrink(failure, fails);
  ASSERT_TRUE(fails(small));
  ASSERT_EQ(small.policy.stages(0).rules_size(), 1);
  EXPECT_FALSE(small.policy.stages(0).rules(0).when(0).has_team());
  EXPECT_FALSE(small.policy.stages(0).rules(0).has_warn());
  EXPECT_EQ(small.job.job.labels.size(), 1u);
  EXPECT_TRUE(small.job.job.facts.team().empty());
}

}  // namespace
}  // namespace precedent::differential
