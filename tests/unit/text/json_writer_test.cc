#include "src/text/json_writer.h"

#include <gmock/gmock.h>

#include <string>

#include "src/text/json_reader.h"

namespace precedent::internal {
namespace {

std::string Number(std::string_view spelling) {
  Node node;
  node.kind = Node::Kind::kNumber;
  node.text = spelling;
  return WriteJson(node);
}

TEST(JsonWriter, NumbersKeepTheirSpellingOrTheirValue) {
  for (const char* spelling : {"0", "-0", "1.50", "1e+3", "-1.5E-7", "9007199254740993"})
    EXPECT_EQ(Number(spelling), spelling);
  EXPECT_EQ(Number("+5"), "5");
  EXPECT_EQ(Number(".5"), "0.5");
  EXPECT_EQ(Number("-.5"), "-0.5");
  EXPECT_EQ(Number("5."), "5");
  EXPECT_EQ(Number("5.e1"), "5e1");
  EXPECT_EQ(Number("0x1F"), "31");
  EXPECT_EQ(Number("0xffffffffffffffff"), "18446744073709551615");
  EXPECT_EQ(Number("0o17"), "15");
}

TEST(JsonWriter, WhatItWritesReadsBackTheSame) {
  const std::string text =
      "{\"a\":[1,true,null,{}],\"q\\\"\\\\\":\"\\n\\r\\t\\u0001\\u007f\xc3\xa9\",\"e\":[]}";
  Issue problem;
  const auto document = ReadJson(text, &problem);
  ASSERT_TRUE(document) << problem.message;
  EXPECT_EQ(WriteJson(document->root), text);
}

}  // namespace
}  // namespace precedent::internal
