#include "src/text/textproto_reader.h"

#include <gmock/gmock.h>

#include <string>

#include "src/text/json_writer.h"

namespace precedent::internal {
namespace {

using ::testing::HasSubstr;

std::string ReadText(const std::string& text) {
  std::vector<Issue> problems;
  const Document document = ReadTextProto(text, &problems);
  std::string result = document.root.is_object() ? WriteJson(document.root) : "none";
  for (const Issue& problem : problems)
    result += "\nerror " + std::to_string(problem.line) + ":" + std::to_string(problem.column) +
              " " + problem.message;
  return result;
}

TEST(TextProtoReader, ReadsWhatTextFormatAllows) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "{}"},
      {"# c\n a: 1 # d\n", "{\"a\":1}"},
      {"a { b: 1 } a <b: 2> a: { b: 3 };", "{\"a\":{\"b\":1},\"a\":{\"b\":2},\"a\":{\"b\":3}}"},
      {"a: [1, 2], b: []; c: [{x: 1}, <y: 2>]",
       "{\"a\":[1,2],\"b\":[],\"c\":[{\"x\":1},{\"y\":2}]}"},
      {"a: \"x\" 'y'\n \"z\"", "{\"a\":\"xyz\"}"},
      {"a: \"\\n\\t\\\"\\'\\\\\\101\\x41\\u00e9\\U0001f600\"",
       "{\"a\":\"\\n\\t\\\"'\\\\AA\xc3\xa9\xf0\x9f\x98\x80\"}"},
      {"a: FIRST_MATCH b: true", "{\"a\":\"FIRST_MATCH\",\"b\":\"true\"}"},
      {"a: - 5 b: 1.5f c: 1e12 d: .5 e: 0x1F", "{\"a\":-5,\"b\":1.5,\"c\":1e12,\"d\":0.5,\"e\":31}"},
      {"a: -inf", "{\"a\":\"-inf\"}"},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(ReadText(text), json) << text;
}

TEST(TextProtoReader, RefusesWithPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"a 1", "error 1:1 expected `:` or `{` after `a` and found `1`"},
      {"a:\n}", "error 2:1 expected a value and found `}`"},
      {"a {\n b: 1\n", "error 3:1 expected `}` and found the end"},
      {"a: \"x\ny\"", "error 1:4 the string does not end on its line"},
      {"a: \"\\q\"", "error 1:5 unknown escape"},
      {"a: \"\\400\"", "error 1:5 octal escape"},
      {"a: \"\\377\"", "error 1:4 the string is not UTF-8"},
      {"a: \"\\0\"", "error 1:4 NUL in a string"},
      {"a: \"\\ud800\"", "error 1:5 `\\u` needs"},
      {"a: 1.2.3", "error 1:4 `1.2.3` is not a number"},
      {"a: 12abc", "error 1:4 `12abc` is not a number"},
      {"[x.y]: 1", "error 1:1 expected a field name and found `[`"},
      {"a: [1 2]", "error 1:7 expected `,` or `]`"},
      {"a: [[1]]", "error 1:5 a list stands in a list"},
      {"}", "error 1:1 expected a field name and found `}`"},
      {"a: \xff", "error 1:4 invalid UTF-8"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(ReadText(text), HasSubstr(message)) << text;
}

TEST(TextProtoReader, GoesOnAfterASlip) {
  const std::string read = ReadText("a: 1\nb 2\nc { d: ? \n e: 3 }\nf: 4\n");
  EXPECT_THAT(read, HasSubstr("{\"a\":1,\"c\":{\"e\":3},\"f\":4}"));
  EXPECT_THAT(read, HasSubstr("error 2:1"));
  EXPECT_THAT(read, HasSubstr("error 3:8"));
  EXPECT_EQ(ReadText("a < } b: 1 >").find("none"), std::string::npos);
}

TEST(TextProtoReader, BoundsDepthValuesAndProblems) {
  std::string deep, much;
  for (int i = 0; i < 64; ++i) deep += "a {";
  EXPECT_EQ(ReadText(deep + std::string(64, '}')).find("error"), std::string::npos);
  EXPECT_THAT(ReadText("a {" + deep + std::string(65, '}')), HasSubstr("deeper than 64 levels"));
  std::vector<Issue> problems;
  for (int i = 0; i < 1000; ++i) much += "a 1\n";
  ReadTextProto(much, &problems);
  EXPECT_EQ(problems.size(), 20u);
  problems.clear();
  for (const char* piece : {"[", "a {", "a: [", "}", "a <", "\"", "a: \"\\", "a:", "<", ">", "-"}) {
    std::string text;
    while (text.size() < 1 << 20) text += piece;
    ReadTextProto(text, &problems);
  }
  ReadLimits limits;
  limits.values = 2;
  problems.clear();
  ReadTextProto("a: 1 b: 2 c: 3", &problems, limits);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].message, HasSubstr("more than 2 values"));
}

}  // namespace
}  // namespace precedent::internal
