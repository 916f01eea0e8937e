#include "src/text/yaml_reader.h"

#include <gmock/gmock.h>

#include <string>

#include "src/text/json_writer.h"

namespace precedent::internal {
namespace {

using ::testing::HasSubstr;

#ifdef PRECEDENT_HAVE_YAML

std::string Read(const std::string& yaml) {
  std::vector<Issue> problems;
  std::string text;
  for (const Document& document : ReadYaml(yaml, &problems)) text += WriteJson(document.root);
  for (const Issue& problem : problems)
    text += "error " + std::to_string(problem.line) + ":" + std::to_string(problem.column) + " " +
            problem.message;
  return text;
}

TEST(YamlReader, ScalarsFollowTheCoreSchema) {
  const std::pair<const char*, const char*> cases[] = {
      {"true", "true"},       {"True", "true"},       {"FALSE", "false"},
      {"\"true\"", "\"true\""}, {"'1'", "\"1\""},       {"yes", "\"yes\""},
      {"no", "\"no\""},       {"on", "\"on\""},       {"off", "\"off\""},
      {"y", "\"y\""},         {"12", "12"},           {"-3.5e2", "-3.5e2"},
      {"+4", "4"},            {"0x1f", "31"},         {"0o17", "15"},
      {"08", "\"08\""},       {"010", "\"010\""},     {"1_000", "\"1_000\""},
      {"1:30", "\"1:30\""},   {"0b11", "\"0b11\""},   {"1e", "\"1e\""},
      {".", "\".\""},         {"~", "null"},          {"", "null"},
      {"Null", "null"},       {"!!str 5", "\"5\""},   {"!!int \"5\"", "5"},
      {"2026-03-01T12:00:00Z", "\"2026-03-01T12:00:00Z\""},
      {"|\n  a\n  b\n", "\"a\\nb\\n\""},
  };
  for (const auto& [yaml, json] : cases)
    EXPECT_EQ(Read(std::string("k: ") + yaml), std::string("{\"k\":") + json + "}") << yaml;
}

TEST(YamlReader, RefusesWithPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\nb: 2\na: 3\n", "error 3:1 the key `a` stands twice"},
      {"a: 1\n\"a\": 3\n", "error 2:1 the key `a` stands twice"},
      {"x:\n  1: a\n", "error 2:3 a key is a string, and this one is a number"},
      {"true: a\n", "error 1:1 a key is a string, and this one is a boolean"},
      {"? [a]\n: b\n", "error 1:3 a key is a string, and this one is a list"},
      {"~: a\n", "error 1:1 a key is a string, and this one is null"},
      {"a: .nan\n", "error 1:4 `.nan` is not a finite number"},
      {"a: -.Inf\n", "error 1:4 `-.Inf` is not a finite number"},
      {"a: !!binary aGk=\n", "does not fit"},
      {"a: !mine b\n", "does not fit"},
      {"a: !!int x\n", "does not fit"},
      {"a: &x [*x]\n", "error 1:8 an alias stands inside"},
      {"a: *x\n", "error 1:4 not YAML"},
      {"a: [1\n", "not YAML"},
      {"a: b: c\n", "error 1:5 not YAML"},
      {"a: \xff\n", "error 1:4 invalid UTF-8: byte 0xff"},
  };
  for (const auto& [yaml, message] : cases) EXPECT_THAT(Read(yaml), HasSubstr(message)) << yaml;
  EXPECT_THAT(Read(std::string("a: b\nc: \0d", 10)), HasSubstr("error 2:4 NUL"));
}

TEST(YamlReader, TellsQuotedFromPlain) {
  std::vector<Issue> problems;
  const auto documents = ReadYaml("a: x\nb: 'x'\n", &problems);
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_FALSE(documents[0].root.Find("a")->quoted);
  EXPECT_TRUE(documents[0].root.Find("b")->quoted);
  EXPECT_EQ(documents[0].root.Find("b")->line, 2u);
  EXPECT_EQ(documents[0].root.Find("b")->column, 4u);
  EXPECT_EQ(documents[0].root.Find("b")->key_column, 1u);
}

TEST(YamlReader, ReadsSeveralDocuments) {
  EXPECT_EQ(Read("# c\n---\na: 1\n---\n# nothing\n---\n- 2\n...\n---\nb: 3\n"),
            "{\"a\":1}[2]{\"b\":3}");
  EXPECT_EQ(Read("%YAML 1.2\n---\na: 1\n"), "{\"a\":1}");
  EXPECT_EQ(Read("a: 1\n--- {b: 2}\n"), "{\"a\":1}{\"b\":2}");
  EXPECT_EQ(Read("# only a comment\n"), "");
  EXPECT_EQ(Read(""), "");
}

TEST(YamlReader, ADamagedDocumentLeavesTheOthers) {
  EXPECT_EQ(Read("a: 1\n---\nb: [\n---\nc: 1\nc: 2\n---\nd: 4\n").substr(0, 14),
            "{\"a\":1}{\"d\":4}");
  EXPECT_THAT(Read("a: 1\n---\nb: 1\nb: 2\n---\nd: 4\n"), HasSubstr("error 4:1 the key `b`"));
}

TEST(YamlReader, CopiesAliasesWithinTheBudget) {
  EXPECT_EQ(Read("a: &x {b: [1, 2]}\nc: *x\n"), "{\"a\":{\"b\":[1,2]},\"c\":{\"b\":[1,2]}}");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 8; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_THAT(Read(bomb), HasSubstr("anchors and aliases stand for more than"));
  // Anchors that nobody uses are copies as well.
  std::string anchors;
  for (int i = 0; i < 60; ++i) anchors += "&a" + std::to_string(i) + " [";
  std::vector<Issue> problems;
  ReadLimits limits;
  limits.alias_values = 100;
  ReadYaml(anchors + "1" + std::string(60, ']'), &problems, limits);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].message, HasSubstr("more than 100 values"));
}

TEST(YamlReader, BoundsDepthAlsoThroughAliases) {
  EXPECT_THAT(Read(std::string(64, '[') + std::string(64, ']')), HasSubstr("[[["));
  EXPECT_THAT(Read(std::string(65, '[') + std::string(65, ']')),
              HasSubstr("error 1:65 nested deeper than 64 levels"));
  // Each line puts the one before it ten levels deeper.
  std::string chain = "- &a0 []\n";
  for (int i = 1; i < 8; ++i)
    chain += "- &a" + std::to_string(i) + " " + std::string(10, '[') + "*a" +
             std::to_string(i - 1) + std::string(10, ']') + "\n";
  EXPECT_THAT(Read(chain), HasSubstr("nested deeper than 64 levels"));
}

TEST(YamlReader, HostileBytesEndQuickly) {
  for (const char* piece : {"[", "{", "- ", "? ", "&a ", "!a ", "[a,", "\"", "a: ", "*", "---\n",
                            "{a: ", "|\n", "%A\n"}) {
    std::string text;
    while (text.size() < 1 << 17) text += piece;
    std::vector<Issue> problems;
    ReadYaml(text, &problems);
  }
  std::vector<Issue> problems;
  ReadYaml(std::string(100 << 20, '['), &problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].message, HasSubstr("more than 8388608 bytes"));
  for (const char* piece : {"[", "[\n", "[a,", "{\"a\": ["}) {
    std::string text;
    while (text.size() < 8'000'000) text += piece;
    problems.clear();
    ReadYaml(text, &problems);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_THAT(problems[0].message, HasSubstr("nested deeper than 64 levels"));
  }
}

#else

TEST(YamlReader, SaysThatItIsNotThere) {
  std::vector<Issue> problems;
  EXPECT_TRUE(ReadYaml("a: 1\n", &problems).empty());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].message, HasSubstr("reads no YAML"));
}

#endif

}  // namespace
}  // namespace precedent::internal
