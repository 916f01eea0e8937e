// One case per problem. `@` in a declaration is replaced by a line break, so that the
// line of the problem is not that of everything else.
#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "src/policy/check.h"
#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string policy;
  std::string report;  // the beginning of the only line
};

void ExpectOnly(const Case& c) {
  std::string policy = c.policy;
  for (char& character : policy)
    if (character == '@') character = '\n';
  const std::string report = Check(policy);
  EXPECT_EQ(report.substr(0, c.report.size()), c.report) << policy << "\n" << report;
  EXPECT_EQ(report.find('\n') + 1, report.size()) << policy << "\n" << report;
}

// A rule with this in it.
std::string Rule(const std::string& rest) { return "stages { rules { id: \"r\"\n " + rest + " } }"; }
std::string When(const std::string& rest) { return Rule("when { " + rest + " }"); }

TEST(CheckRules, ReportsErrors) {
  const std::string rule = "stages[0].rules[0]";
  const Case cases[] = {
      {"stages {@ rules { } }", "2: error: " + rule + ".id: a rule needs an id"},
      {"stages { rules { id: \"a\" }@ rules { id: \"a\" } }",
       "2: error: stages[0].rules[1].id: a second rule `a` (the first is stages[0].rules[0])"},
      {When(""), "2: error: " + rule + ".when[0]: constrains nothing"},
      {When("lineage {}"), "2: error: " + rule + ".when[0].lineage: constrains nothing"},
      {When("team {}"), "2: error: " + rule + ".when[0].team: constrains nothing"},
      {When("gpu_count {}"), "2: error: " + rule + ".when[0].gpu_count: constrains nothing"},
      {When("lineage { attempt {} }"),
       "2: error: " + rule + ".when[0].lineage.attempt: constrains nothing"},
      {When("labels { key: \"a\" value {} }"),
       "2: error: " + rule + ".when[0].labels[\"a\"]: constrains nothing"},
      {When("metrics { key: \"m\" }"),
       "2: error: " + rule + ".when[0].metrics[\"m\"]: constrains nothing"},
      {When("team { present: false in: \"a\" }"),
       "2: error: " + rule + ".when[0].team: `present: false` stands beside"},
      {When("gpu_count { present: false above: 1 }"),
       "2: error: " + rule + ".when[0].gpu_count: `present: false` stands beside"},
      {When("gpu_count { above: 4 below: 4 }"),
       "2: error: " + rule + ".when[0].gpu_count: no number is within these bounds"},
      {When("gpu_count { above: 4 at_most: 4 }"),
       "2: error: " + rule + ".when[0].gpu_count: no number is within these bounds"},
      {When("gpu_count { above: 1 below: 1.0000000000000002 }"),
       "2: error: " + rule + ".when[0].gpu_count: no number is within these bounds"},
      {When("team { in_set: \"x\" }") + " sets { name: \"xs\" values: \"a\" }",
       "2: error: " + rule + ".when[0].team.in_set[0]: no set `x` is declared (did you mean `xs`?)"},
      {When("team { regex: \"(\" }"),
       "2: error: " + rule + ".when[0].team.regex[0]: the pattern `(` is not RE2 syntax"},
      {Rule("add_scaled { points: 1 }"),
       "2: error: " + rule + ".add_scaled: has neither `of` nor `metric`"},
      {Rule("add_scaled { of: SOURCE_UNSPECIFIED points: 1 }"),
       "2: error: " + rule + ".add_scaled.of: names no number"},
      {Rule("add_scaled { metric: \"\" points: 1 }"),
       "2: error: " + rule + ".add_scaled.metric: names no metric"},
      {Rule("add_scaled { of: DEPTH points: 1 per: 0 }"),
       "2: error: " + rule + ".add_scaled.per: is not greater than 0"},
      {Rule("add_scaled { of: DEPTH points: 1 min: 2 max: 1 }"),
       "2: error: " + rule + ".add_scaled.min: `min` 2 is above `max` 1"},
      {Rule("priority_class: \"hihg\"") + " priority_classes { name: \"high\" }",
       "2: error: " + rule + ".priority_class: no priority class `hihg` is declared (did you mean"},
      {Rule("limit_runtime_seconds: 0"),
       "2: error: " + rule + ".limit_runtime_seconds: is not greater than 0"},
      {Rule("active_from { seconds: 5 } active_until { seconds: 5 }"),
       "2: error: " + rule + ".active_until: is not after `active_from`"},
      {Rule("active_from { nanos: -1 }"),
       "2: error: " + rule + ".active_from: is not a time"},
      {Rule("active_until { seconds: 253402300800 }"),
       "2: error: " + rule + ".active_until: is not a time"},
  };
  for (const Case& c : cases) ExpectOnly(c);
}

TEST(CheckDeclarations, ReportsErrors) {
  const std::string rest = " stages { rules { id: \"r\" } }";
  const Case cases[] = {
      {"sets { name: \"a\" values: \"x\" }@sets { name: \"a\" values: \"x\" }",
       "2: error: sets[1].name: a second set `a`"},
      {"@sets { values: \"x\" }", "2: error: sets[0].name: a set needs a name"},
      {"priority_classes { name: \"a\" at_least: 0 }@priority_classes { name: \"a\" at_least: 1 }",
       "2: error: priority_classes[1].name: a second priority class `a`"},
      {"@priority_classes { at_least: 0 }", "2: error: priority_classes[0].name: a priority class"},
      {"priority_classes { name: \"a\" }@priority_classes { name: \"b\" at_least: 0 }",
       "2: error: priority_classes[1].at_least: is 0, as for `a`"},
      {"priority_classes { name: \"b\" at_least: 9 }@priority_classes { name: \"a\" at_least: 1 }",
       "2: error: priority_classes[1].at_least: the lowest class begins at 1, above bounds.min 0"},
      {"@bounds { min: 10000 }", "2: error: bounds: min 10000 is above max 9999"},
      {"@fallback { priority: -1 }", "2: error: fallback.priority: is -1, outside of bounds, 0 to"},
      {"@fallback { priority_class: \"x\" }",
       "2: error: fallback.priority_class: no priority class `x` is declared"},
      {"@time_zone: \"Europe/Berlim\"",
       "2: error: time_zone: this machine knows no time zone `Europe/Berlim`"},
      {"require_verified: [TEAM,@ ATTRIBUTE_UNSPECIFIED]",
       "2: error: require_verified[1]: names no attribute"},
      {"propagation {@ decay_per_hop: -1 }", "2: error: propagation.decay_per_hop: is negative"},
      {"propagation {@ max_hops: -1 }", "2: error: propagation.max_hops: is negative"},
      {"stability {@ min_change: -1 }", "2: error: stability.min_change: is negative"},
      {"stability {@ min_interval_seconds: -1 }", "2: error: stability.min_interval_seconds: is"},
      {"stability {@ max_changes_per_hour: -1 }", "2: error: stability.max_changes_per_hour: is"},
  };
  for (const Case& c : cases) ExpectOnly({c.policy + rest, c.report});
}

TEST(CheckRules, WarnsOfWhatNeverApplies) {
  const std::string match = "2: warning: stages[0].rules[0].when[0].";
  const Case cases[] = {
      {When("team { in: \"\" }"), match + "team: can never hold"},
      {When("team { in: [\"a\", \"\"] }"), match + "team.in[1]: an empty text counts as absent"},
      {When("team { in: \"a\" not_in: [\"b\", \"a\"] }"), match + "team: can never hold"},
      {When("team { in_set: \"s\" not_in: \"a\" }") + " sets { name: \"s\" values: \"a\" }",
       match + "team: can never hold"},
      {When("day_of_week { above: 7 }"), match + "day_of_week: can never hold: day_of_week is from 1"},
      {When("day_of_week { above: 3 below: 4 }"), match + "day_of_week: can never hold"},
      {When("hour_of_day { at_least: 24 }"), match + "hour_of_day: can never hold"},
      {When("gpu_count { below: 0 }"), match + "gpu_count: can never hold: gpu_count is not negative"},
      {When("wait_seconds { at_most: -1 }"), match + "wait_seconds: can never hold"},
      {When("lineage { attempt { above: 1 below: 2 } }"), match + "lineage.attempt: can never hold"},
      {When("lineage { depth { present: false } }"),
       match + "lineage.depth: can never hold: depth is never absent"},
      {"stages { rules { id: \"r\" } }@sets { name: \"s\" }", "2: warning: sets[0]: has no values"},
      {"stages { mode: FIRST_MATCH rules { id: \"a\" }@ rules { id: \"b\" } }",
       "2: warning: stages[0].rules[1]: can never apply: rule `a` before it applies to every job"},
      {"stages { rules { id: \"a\" final: true } } stages {@ rules { id: \"b\" } }",
       "2: warning: stages[1].rules[0]: can never apply: rule `a` before it is final"},
      {Rule("add_scaled { of: DEPTH }"),
       "2: warning: stages[0].rules[0].add_scaled.points: 0 points"},
      {"@name: \"n\"", "warning: no stages"},
  };
  for (const Case& c : cases) ExpectOnly(c);
}

TEST(CheckRules, AcceptsWhatIsMeant) {
  for (const std::string& policy :
       {When("team { present: true }"), When("team { present: false }"),
        When("team { not_in: \"a\" }"), When("team { in: \"a\" prefix: \"b\" not_in: \"a\" }"),
        When("labels { key: \"a\" value { in: \"\" } }"), When("gpu_count { present: false }"),
        When("lineage { reported_priority { below: 0 } }"), When("preemptible: false"),
        When("metrics { key: \"m\" value { below: -1 } }"), When("hour_of_day { above: 23.9 }"),
        When("lineage { retry_of_preempted: false }"), When("gpu_count { at_least: 4 at_most: 4 }"),
        When("day_of_week { at_least: 1 at_most: 7 }"), Rule("set: 0"), Rule(""),
        std::string("stages { rules { id: \"a\" } rules { id: \"b\" } }"),
        std::string("stages { rules { id: \"a\" final: true when { preemptible: true } } "
                    "rules { id: \"b\" } }"),
        std::string("stages { mode: FIRST_MATCH rules { id: \"a\" active_until { seconds: 1 } } "
                    "rules { id: \"b\" } }")}) {
    std::string text = policy;
    for (char& c : text)
      if (c == '@') c = '\n';
    EXPECT_EQ(Check(text), "") << text;
  }
}

TEST(CheckPatterns, NotesWhatNeedsRe2Once) {
  const std::string policy = When("team { regex: [\"a.*\", \"a+b\", \"[xy]z+\"] }");
  EXPECT_THAT(Check(policy),
              HasSubstr("note: stages[0].rules[0].when[0].team.regex[1]: the pattern needs RE2, so "
                        "evaluation is not lock-free; so do 1 other patterns"));
  EXPECT_EQ(Check(When("team { regex: \"a.*\" }")), "");
  CompileOptions options;
  options.require_lock_free = true;
  EXPECT_THAT(Check(policy, options), HasSubstr("error: stages[0].rules[0].when[0].team.regex[1]"));
}

TEST(CheckLimits, EachIsAnErrorWithPathValueAndLimit) {
  CompileOptions options;
  options.limits.rules = 1;
  EXPECT_THAT(Check("stages { rules { id: \"a\" } rules { id: \"b\" } }", options),
              HasSubstr("error: stages: the policy has 2 rules, and the limit is 1"));
  options = {};
  options.limits.matches_per_rule = 1;
  EXPECT_THAT(Check("stages { rules { id: \"a\" when { preemptible: true } when { preemptible: "
                    "false } } }", options),
              HasSubstr("error: stages[0].rules[0].when: the rule has 2 matches, and the limit is 1"));
  options = {};
  options.limits.set_members = 1;
  EXPECT_THAT(Check("stages { rules { id: \"a\" } } sets { name: \"s\" values: [\"a\", \"b\"] }",
                    options),
              HasSubstr("error: sets[0].values: the set has 2 values, and the limit is 1"));
  EXPECT_THAT(Check(When("user { suffix: [\"a\", \"b\"] }"), options),
              HasSubstr("when[0].user.suffix: the list has 2 values, and the limit is 1"));
  options = {};
  options.limits.pattern_bytes = 3;
  EXPECT_THAT(Check(When("team { regex: \"abcd\" }"), options),
              HasSubstr("team.regex[0]: the pattern has 4 bytes, and the limit is 3"));
  options = {};
  options.limits.policy_bytes = 10;
  EXPECT_THAT(Check("stages { rules { } }", options),
              HasSubstr("error: the policy has 20 bytes, and the limit is 10"));
  options = {};
  options.limits.regex_memory = 64 << 10;
  EXPECT_THAT(Check(When("team { regex: \"a{1,1000}b{1,1000}c{1,1000}\" }"), options),
              HasSubstr("team.regex[0]: the pattern needs more memory than the limit of 65536"));
  options = {};
  options.limits.regex_program_size = 10;
  EXPECT_THAT(Check(When("team { regex: [\"a+b\", \"[ab]{2,20}\"] }"), options),
              HasSubstr("team.regex[1]: the patterns together have more than 10 RE2 instructions"));
}

TEST(CheckLimits, TooLargePatternsCostBoundedTime) {
  // 5,000 of them, each refused after some milliseconds, would take minutes.
  std::string policy = "stages { rules { id: \"a\" when { team {";
  for (int i = 0; i < 5000; ++i)
    policy += " regex: \"[\\\\pL\\\\pN]{1,999}" + std::to_string(i) + "\"";
  const std::string report = Check(policy + " } } } }");
  EXPECT_THAT(report, HasSubstr("needs more memory"));
  EXPECT_THAT(report, HasSubstr("the patterns together"));
}

TEST(CheckPolicy, BoundsTheNumberOfIssues) {
  std::string policy = "stages {";
  for (int i = 0; i < 3000; ++i) policy += " rules { id: \"a\" }";
  const auto issues = ReadPolicy(policy + " }").issues;
  EXPECT_EQ(issues.size(), 1001u);
  EXPECT_THAT(Report(issues), HasSubstr("more than 1000 of these"));
}

TEST(CheckPolicy, MessagesFromProgramsAreCheckedToo) {
  v1::Policy policy;
  v1::Rule* rule = policy.add_stages()->add_rules();
  rule->set_id("a\xff");
  rule->mutable_add_scaled()->set_of(static_cast<v1::ScaledAdd::Source>(99));
  rule->mutable_add_scaled()->set_points(std::numeric_limits<double>::quiet_NaN());
  rule->mutable_add_scaled()->set_per(std::numeric_limits<double>::infinity());
  rule->add_when()->mutable_gpu_count()->set_above(std::numeric_limits<double>::infinity());
  policy.mutable_stages(0)->set_mode(static_cast<v1::Stage::Mode>(7));
  policy.mutable_bounds()->GetReflection()->MutableUnknownFields(policy.mutable_bounds())
      ->AddVarint(77, 1);
  const CompileResult result = CompilePolicy(policy);
  EXPECT_FALSE(result.ok());
  const std::string report = Report(result.issues);
  EXPECT_THAT(report, HasSubstr("error: stages[0].mode: `7` is not the number of a value of Mode"));
  EXPECT_THAT(report, HasSubstr("error: stages[0].rules[0].id: the text is not UTF-8"));
  EXPECT_THAT(report, HasSubstr("error: stages[0].rules[0].add_scaled.of: `99` is not the number"));
  EXPECT_THAT(report, HasSubstr("add_scaled.points: is not a finite number"));
  EXPECT_THAT(report, HasSubstr("add_scaled.per: is not a finite number"));
  EXPECT_THAT(report, HasSubstr("when[0].gpu_count.above: is not a finite number"));
  EXPECT_THAT(report, HasSubstr("error: bounds.77: unknown field"));
  EXPECT_EQ(result.issues.size(), 7u) << report;
}

}  // namespace
}  // namespace precedent
