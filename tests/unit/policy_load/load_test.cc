#include <gmock/gmock.h>

#include <string>

#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;

// The same ten mistakes, one a line from line 2 on, in every format.
constexpr char kTenPaths[] =
    "2: stagess\n"
    "4: stages[0].mode\n"
    "6: stages[0].rules[0].when[0].gpu_cuont\n"
    "7: stages[0].rules[0].add\n"
    "9: stages[0].rules[1].id\n"
    "10: stages[0].rules[1].when[0].team.in_set[0]\n"
    "11: stages[0].rules[1].when[1].gpu_count\n"
    "12: stages[0].rules[1].limit_runtime_seconds\n"
    "14: stages[1].rules[0].add_scaled.per\n"
    "15: bounds.max\n";

constexpr char kTenText[] = R"(name: "ten"
stagess {}
stages {
  mode: FRIST_MATCH
  rules { id: "a"
    when { gpu_cuont { above: 4 } }
    set: 1 add: 2 }
  rules {
    id: "a"
    when { team { in_set: "teems" } }
    when { gpu_count { above: 4 below: 3 } }
    limit_runtime_seconds: -5 } }
stages { rules { id: "c" add_scaled { of: FAILURE_COUNT points: -10
  per: 0 } } }
bounds { max: 1.5 }
sets { name: "teams" values: "x" }
)";

constexpr char kTenJson[] = R"({"name": "ten",
"stagess": [],
"stages": [{
  "mode": "FRIST_MATCH",
  "rules": [{"id": "a",
    "when": [{"gpuCuont": {"above": 4}}], "set": 1,
    "add": 2},
    {
    "id": "a", "when": [
    {"team": {"inSet": ["teems"]}},
    {"gpuCount": {"above": 4, "below": 3}}],
    "limitRuntimeSeconds": -5}]},
  {"rules": [{"id": "c", "addScaled": {"of": "FAILURE_COUNT", "points": -10,
    "per": 0}}]}],
"bounds": {"max": 1.5},
"sets": [{"name": "teams", "values": ["x"]}]}
)";

constexpr char kTenYaml[] = R"(name: ten
stagess: []
stages:
- mode: FRIST_MATCH
  rules:
  - when: [{gpuCuont: {above: 4}}]
    add: 2
    set: 1
  - id: a
    when: [{team: {inSet: [teems]}},
      {gpuCount: {above: 4, below: 3}}]
    limitRuntimeSeconds: -5
- rules: [{id: c, addScaled: {of: FAILURE_COUNT, points: -10,
    per: 0}}]
bounds: {max: 1.5}
sets: [{name: teams, values: [x]}]
)";

std::string Paths(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues)
    if (issue.severity == Severity::kError)
      text += std::to_string(issue.line) + ": " + issue.path + "\n";
  return text;
}

TEST(LoadPolicy, ReportsTenMistakesInText) {
  const CompileResult result = LoadPolicy(kTenText);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(Paths(result.issues), kTenPaths) << Report(result.issues);
  EXPECT_EQ(Report(ReadPolicy(kTenText).issues), Report(result.issues));
}

TEST(LoadPolicy, ReportsTenMistakesInJson) {
  std::string paths = kTenPaths;
  paths.replace(paths.find("gpu_cuont"), 9, "gpuCuont");
  const CompileResult result = LoadPolicy(kTenJson);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(Paths(result.issues), paths) << Report(result.issues);
}

#ifdef PRECEDENT_HAVE_YAML
TEST(LoadPolicy, ReportsTenMistakesInYaml) {
  const CompileResult result = LoadPolicy(kTenYaml);
  EXPECT_FALSE(result.ok());
  // The first rule lacks its id, which takes the place of the second `a`.
  EXPECT_EQ(Paths(result.issues),
            "2: stagess\n4: stages[0].mode\n6: stages[0].rules[0].id\n"
            "6: stages[0].rules[0].when[0].gpuCuont\n8: stages[0].rules[0].set\n"
            "10: stages[0].rules[1].when[0].team.in_set[0]\n"
            "11: stages[0].rules[1].when[1].gpu_count\n"
            "12: stages[0].rules[1].limit_runtime_seconds\n"
            "14: stages[1].rules[0].add_scaled.per\n15: bounds.max\n")
      << Report(result.issues);
}
#endif

TEST(LoadPolicy, ReportsSyntaxErrorsBesideTheOthers) {
  const std::string report = Report(LoadPolicy("name \"x\"\nstages { rules { } }\n").issues);
  EXPECT_THAT(report, HasSubstr("1: error: expected `:` or `{` after `name`"));
  EXPECT_THAT(report, HasSubstr("2: error: stages[0].rules[0].id: a rule needs an id"));
}

TEST(LoadPolicy, ReportsNothingThatOnlyFollows) {
  const char* policies[] = {
      "stages { rules { idd: \"a\" } }",                             // the id is not missing
      "stages { rules { id: \"a\" when { taem { in: \"x\" } } } }",  // the Match is not empty
      "stages { rules { id: \"a\" when { team { inn: \"x\" } } } }",
      "stages { rules { id: \"a\" when { team: \"x\" } } }",
      "stages { rules { id: \"a\" when { team { in_set: \"s\" } } } } sets { nam: \"s\" values: \"x\" }",
      "stages { rules { id: \"a\" priority_class: \"p\" } } priority_classes { naem: \"p\" }",
      "stages { rules { id: \"a\" add_scaled { of: FAILURES points: 1 max: 1 } } }",
      "stagse { rules { id: \"a\" } }",  // there are stages
      "stages { mode: FIRST_MATCH rules { id: \"a\" wen {} } rules { id: \"b\" } }",
      "stages { rules { id: \"a\" } } bounds { max: \"5\" } fallback { priority: 10000 }",
      "stages { rules { id: \"a\" } } priority_classes { name: \"a\" at_leest: 5 }",
      "stages { rules { id: \"a\" } } time_zone: Europe",
  };
  for (const char* policy : policies) {
    const std::vector<Issue> issues = LoadPolicy(policy).issues;
    EXPECT_EQ(issues.size(), 1u) << policy << "\n" << Report(issues);
  }
}

TEST(LoadPolicy, TakesTheSamePolicyInEveryFormat) {
  const std::string text =
      "name: \"n\" stages { mode: FIRST_MATCH rules { id: \"a\" when { labels { key: \"t\" value { "
      "in: [\"x\", \"true\"] } } gpu_count { above: 1e12 } } active_from { seconds: 86400 } "
      "add_scaled { of: DEPTH points: 0.5 max: 7 } annotate { key: \"k\" value: \"v\" } } }";
  const CompileResult from_text = LoadPolicy(text);
  ASSERT_TRUE(from_text.ok()) << Report(from_text.issues);
  const std::string json = R"({"name":"n","stages":[{"mode":"FIRST_MATCH","rules":[{"id":"a",
      "when":[{"labels":{"t":{"in":["x","true"]}},"gpuCount":{"above":1e12}}],
      "activeFrom":"1970-01-02T00:00:00Z","addScaled":{"of":"DEPTH","points":0.5,"max":7},
      "annotate":{"k":"v"}}]}]})";
  const CompileResult from_json = LoadPolicy(json);
  ASSERT_TRUE(from_json.ok()) << Report(from_json.issues);
  EXPECT_EQ(FormatPolicy(from_json.policy->source()), FormatPolicy(from_text.policy->source()));
  const CompileResult from_binary = LoadPolicy(from_text.policy->source().SerializeAsString());
  ASSERT_TRUE(from_binary.ok()) << Report(from_binary.issues);
  EXPECT_EQ(from_binary.policy->evaluator().fingerprint(),
            from_text.policy->evaluator().fingerprint());
#ifdef PRECEDENT_HAVE_YAML
  CompileOptions options;
  options.format = PolicyFormat::kYaml;
  const CompileResult from_yaml = LoadPolicy(json, options);
  ASSERT_TRUE(from_yaml.ok()) << Report(from_yaml.issues);
  EXPECT_EQ(FormatPolicy(from_yaml.policy->source()), FormatPolicy(from_text.policy->source()));
#endif
}

TEST(LoadPolicy, AnEmptyFileIsNoPolicy) {
  for (const char* nothing : {"", " \n\t\n"})
    EXPECT_EQ(Report(LoadPolicy(nothing).issues),
              "error: the policy is empty (a policy has `stages` of `rules`)\n");
  EXPECT_TRUE(LoadPolicy("# no stages\n").ok());
  EXPECT_FALSE(LoadPolicy("\xef\xbb\xbfstages {}").ok());
#ifdef PRECEDENT_HAVE_YAML
  EXPECT_THAT(Report(LoadPolicy("---\nname: a\n---\nname: b\n").issues),
              HasSubstr("4: error: a second YAML document begins here"));
#endif
}

TEST(LoadPolicy, LocatesWhatStandsInMaps) {
  EXPECT_THAT(Check("stages { rules { id: \"a\" when { labels {\n key: \"x\" value { in: \"a\" } }\n"
                    "labels { key: \"y]\\\"\"\n value {\n present: false in: \"a\" } } } } }"),
              HasSubstr("3: error: stages[0].rules[0].when[0].labels[\"y]\\\"\"]: `present: false`"));
  EXPECT_THAT(Check("{\"stages\": [{\"rules\": [{\"id\": \"a\", \"when\": [{\"metrics\": {\n\"a\": "
                    "{\"above\": 1},\n\"b\": {}}}]}]}]}"),
              HasSubstr("3: error: stages[0].rules[0].when[0].metrics[\"b\"]: constrains nothing"));
}

}  // namespace
}  // namespace precedent
