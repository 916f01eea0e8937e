#include "src/text/json_reader.h"

#include <gmock/gmock.h>

#include <string>

#include "src/text/json_writer.h"

namespace precedent::internal {
namespace {

using ::testing::HasSubstr;

struct Refused {
  std::string text;
  int line;
  int column;
  std::string message;
};

TEST(JsonReader, RefusesWithPlace) {
  const std::string nul(1, '\0');
  const Refused cases[] = {
      {"", 1, 1, "expected a value and found the end"},
      {"{", 1, 2, "expected a key in double quotes and found the end"},
      {"{\"a\":1,\n \"b\":2,\n \"a\":3}", 3, 2, "`a` stands twice"},
      {"{\"a\":1, \"\\u0061\":3}", 1, 9, "`a` stands twice"},
      {"[1,]", 1, 4, "expected a value and found `]`"},
      {"{\"a\":1,}", 1, 8, "expected a key"},
      {"{a:1}", 1, 2, "expected a key in double quotes and found `a`"},
      {"{\"a\" 1}", 1, 6, "expected `:` after the key `a`"},
      {"[1 2]", 1, 4, "expected `,` or `]`"},
      {"1 2", 1, 3, "expected nothing after the value"},
      {"{}\n}", 2, 1, "expected nothing after the value"},
      {"NaN", 1, 1, "`NaN`"},
      {"[-Infinity]", 1, 3, "`Infinity`"},
      {"tru", 1, 1, "expected a value"},
      {"01", 1, 2, "superfluous `0`"},
      {"1.", 1, 3, "expected a digit"},
      {".5", 1, 1, "expected a value"},
      {"+1", 1, 1, "expected a value"},
      {"1e", 1, 3, "expected a digit"},
      {"-", 1, 2, "expected a digit"},
      {"\"a", 1, 3, "does not end"},
      {"\"a\nb\"", 1, 3, "control character"},
      {"\"\\x\"", 1, 2, "unknown escape"},
      {"\"\\u12g4\"", 1, 2, "four hexadecimal digits"},
      {"\"\\u0000\"", 1, 2, "NUL"},
      {"\"" + nul + "\"", 1, 2, "0x00"},
      {"\"\\ud800\"", 1, 2, "lone surrogate"},
      {"\"\\udc00\\ud800\"", 1, 2, "lone surrogate"},
      {"\"\\ud800\\u0041\"", 1, 2, "lone surrogate"},
      {"\"ab\xff\"", 1, 4, "invalid UTF-8: byte 0xff"},
      {"\"\xed\xa0\x80\"", 1, 2, "invalid UTF-8"},
      {"\"\xc0\x80\"", 1, 2, "invalid UTF-8"},
      {"\xef\xbb\xbf{}", 1, 1, "byte order mark"},
      {"// x\n{}", 1, 1, "expected a value"},
  };
  for (const Refused& c : cases) {
    Issue problem;
    EXPECT_FALSE(ReadJson(c.text, &problem)) << c.text;
    EXPECT_EQ(problem.line, c.line) << c.text;
    EXPECT_EQ(problem.column, c.column) << c.text;
    EXPECT_THAT(problem.message, HasSubstr(c.message)) << c.text;
    EXPECT_EQ(problem.severity, Severity::kError);
  }
}

TEST(JsonReader, KeepsValuesSpellingsAndPlaces) {
  Issue problem;
  const std::optional<Document> document = ReadJson(
      "{\n  \"a\": [1.50e+3, -0, true, null],\n  \"\": \"q\\\"\\\\\\n\\u00e9\\ud83d\\ude00\"\n}",
      &problem);
  ASSERT_TRUE(document) << problem.message;
  const Node* a = document->root.Find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->key_line, 2u);
  EXPECT_EQ(a->key_column, 3u);
  EXPECT_EQ(a->column, 8u);
  ASSERT_EQ(a->children.size(), 4u);
  EXPECT_EQ(a->children[0].text, "1.50e+3");
  EXPECT_EQ(a->children[1].text, "-0");
  EXPECT_EQ(a->children[2].kind, Node::Kind::kBoolean);
  EXPECT_EQ(a->children[3].kind, Node::Kind::kNull);
  EXPECT_EQ(a->children[3].column, 28u);
  EXPECT_EQ(document->root.Find("")->text, "q\"\\\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(document->root.Find("b"), nullptr);
}

TEST(JsonReader, FindsDuplicatesAmongManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\":1,";
  Issue problem;
  EXPECT_TRUE(ReadJson(text + "\"k\":1}", &problem));
  EXPECT_FALSE(ReadJson(text + "\"k50\":1}", &problem));
  EXPECT_THAT(problem.message, HasSubstr("`k50` stands twice"));
}

TEST(JsonReader, BoundsDepthAndValues) {
  Issue problem;
  EXPECT_TRUE(ReadJson(std::string(64, '[') + std::string(64, ']'), &problem));
  EXPECT_FALSE(ReadJson(std::string(65, '[') + std::string(65, ']'), &problem));
  EXPECT_THAT(problem.message, HasSubstr("deeper than 64 levels"));
  EXPECT_EQ(problem.column, 65);
  ReadLimits limits;
  limits.values = 3;
  EXPECT_TRUE(ReadJson("[1,2]", &problem, limits));
  EXPECT_FALSE(ReadJson("[1,2,3]", &problem, limits));
  EXPECT_THAT(problem.message, HasSubstr("more than 3 values"));
}

TEST(JsonReader, HundredMegabytesOfBracketsAreAnError) {
  const std::string text(100 << 20, '[');
  Issue problem;
  EXPECT_FALSE(ReadJson(text, &problem));
  EXPECT_EQ(problem.column, 65);
  std::vector<Issue> problems;
  EXPECT_TRUE(ReadJsonValues(text, &problems).empty());
  EXPECT_EQ(problems.size(), 1u);
}

TEST(JsonValues, ReadsLinesAndConcatenations) {
  std::vector<Issue> problems;
  const auto documents = ReadJsonValues("{\"a\":1}\n{\"a\":2} {\"a\":3}[4]\n\n\"x\"\n", &problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(documents.size(), 5u);
  EXPECT_EQ(documents[2].root.Find("a")->text, "3");
  EXPECT_EQ(documents[4].root.line, 4u);
  EXPECT_TRUE(ReadJsonValues(" \n", &problems).empty());
}

TEST(JsonValues, ADamagedLineLeavesTheOthers) {
  std::vector<Issue> problems;
  const auto documents = ReadJsonValues(
      "{\"a\":1}\n"
      "{\"a\":,}\n"
      "{\"a\":3\n"      // cut off: found on the next line, which counts all the same
      "{\"a\":4}\n"
      "nonsense\n"
      "{\"a\":6}",
      &problems);
  std::string read;
  for (const Document& document : documents) read += WriteJson(document.root);
  EXPECT_EQ(read, "{\"a\":1}{\"a\":4}{\"a\":6}");
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].line, 2);
  EXPECT_EQ(problems[1].line, 4);
  EXPECT_EQ(problems[2].line, 5);
}

}  // namespace
}  // namespace precedent::internal
