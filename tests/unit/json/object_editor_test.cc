#include "src/json/object_editor.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/json/document.h"

namespace precedent::json {
namespace {

std::string Set(std::string_view text, std::string_view key, std::string value) {
  ObjectEditor editor(text);
  editor.Set(key, std::move(value));
  return editor.Text();
}

std::string Remove(std::string_view text, std::vector<std::string> keys) {
  ObjectEditor editor(text);
  for (const std::string& key : keys) editor.Remove(key);
  return editor.Text();
}

TEST(ObjectEditor, UntouchedTextKeepsEveryByte) {
  for (const std::string text :
       {"{}", "{ }",
        " \n{\"a\" : 1.0e+5 ,\t\"b\":[{\"c\":\"}\\\"]\"}, {}] , \"\\u0061b\":null }\r\n ",
        R"({"a":{"a":1,"b":"\\"},"b":-0.0,"c":1E400})"}) {
    ObjectEditor editor(text);
    EXPECT_EQ(editor.Text(), text);
    editor.Remove("not there");
    EXPECT_FALSE(editor.changed());
    EXPECT_EQ(editor.Text(), text);
  }
}

TEST(ObjectEditor, ReplacesOnlyTheValue) {
  EXPECT_EQ(Set("{ \"a\" : 1 , \"b\" : 2 }", "a", "7"), "{ \"a\" : 7 , \"b\" : 2 }");
  EXPECT_EQ(Set(R"({"a":{"b":1},"b":2})", "b", "7"), R"({"a":{"b":1},"b":7})");
  EXPECT_EQ(Set(R"({"a":null})", "a", "{}"), R"({"a":{}})");
}

TEST(ObjectEditor, AddsBehindAllOthersSpacedLikeThem) {
  EXPECT_EQ(Set("{}", "a", "1"), R"({"a":1})");
  EXPECT_EQ(Set(R"({"b":2})", "a", "1"), R"({"b":2,"a":1})");
  EXPECT_EQ(Set(R"({"b": 2})", "a", "1"), R"({"b": 2, "a": 1})");
  EXPECT_EQ(Set(R"({"b": 2, "c": 3})", "a", "1"), R"({"b": 2, "c": 3, "a": 1})");
  EXPECT_EQ(Set("{\n  \"b\": 2\n}\n", "a", "1"), "{\n  \"b\": 2,\n  \"a\": 1\n}\n");
  // Space that would multiply is not copied.
  EXPECT_LT(Set("{" + std::string(5000, ' ') + "\"b\":2}", "a", "1").size(), 5020u);
}

TEST(ObjectEditor, RemovesWithItsComma) {
  EXPECT_EQ(Remove(R"({"a":1,"b":2,"c":3})", {"a"}), R"({"b":2,"c":3})");
  EXPECT_EQ(Remove(R"({"a":1,"b":2,"c":3})", {"b"}), R"({"a":1,"c":3})");
  EXPECT_EQ(Remove(R"({"a":1,"b":2,"c":3})", {"c"}), R"({"a":1,"b":2})");
  EXPECT_EQ(Remove(R"({"a": 1, "b": 2})", {"a"}), R"({"b": 2})");
  EXPECT_EQ(Remove(R"({"a":1,"b":2})", {"a", "b"}), "{}");
  EXPECT_EQ(Remove("{\n  \"a\": 1,\n  \"b\": 2\n}", {"b"}), "{\n  \"a\": 1\n}");
}

TEST(ObjectEditor, KeysAreComparedDecoded) {
  EXPECT_EQ(Set(R"({"\u0061":1})", "a", "2"), R"({"\u0061":2})");
  EXPECT_EQ(Remove(R"({"a\"b":1,"c":2})", {"a\"b"}), R"({"c":2})");
  EXPECT_EQ(Set("{}", "a\"\\\n", "1"), "{\"a\\\"\\\\\\u000a\":1}");
}

TEST(ObjectEditor, FindTellsTheCurrentText) {
  ObjectEditor editor(R"({"a":[1, 2],"b":"x"})");
  EXPECT_EQ(editor.Find("a"), "[1, 2]");
  EXPECT_EQ(editor.Find("c"), std::nullopt);
  editor.Set("a", "3");
  EXPECT_EQ(editor.Find("a"), "3");
  editor.Remove("b");
  EXPECT_EQ(editor.Find("b"), std::nullopt);
  EXPECT_EQ(editor.size(), 1u);
  editor.Set("b", "4");
  EXPECT_EQ(editor.Text(), R"({"a":3,"b":4})");
}

// Whatever is done, the text is JSON again and holds what was set.
TEST(ObjectEditor, RandomEdits) {
  std::mt19937 random(7);
  const std::string keys[] = {"a", "b", "c", "d", "e"};
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 == 0 ? "{ \"a\": 1,\n\"b\" :[2],  \"c\":{\"a\":0} }" : "{}";
    for (int edits = 0; edits < 6; ++edits) {
      ObjectEditor editor(text);
      const std::string& key = keys[random() % 5];
      const bool set = random() % 2 == 0;
      const std::string value = std::to_string(edits * 10000 + round);
      if (set) {
        editor.Set(key, value);
      } else {
        editor.Remove(key);
      }
      text = editor.Text();
      const auto document = Document::Parse(text);
      ASSERT_TRUE(document.ok()) << document.status() << text;
      const Value found = (*document)->root().Get(key);
      ASSERT_EQ(found.present(), set) << text;
      if (set) {
        ASSERT_EQ(std::to_string(*found.Integer(0, 1'000'000)), value) << text;
      }
    }
  }
}

}  // namespace
}  // namespace precedent::json
