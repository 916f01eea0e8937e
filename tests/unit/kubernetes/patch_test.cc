// JSON Patch. Numbers in names are those of the catalogue of known faults.
#include "src/kubernetes/patch.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "src/json/document.h"

namespace precedent::kubernetes {
namespace {

std::string MetadataPatch(const std::string& object, const Patch::Members& labels,
                          const Patch::Members& annotations) {
  const auto document = json::Document::Parse(object);
  EXPECT_TRUE(document.ok()) << object;
  Patch patch((*document)->root());
  patch.SetMetadata((*document)->root(), labels, annotations);
  return std::move(patch).Finish();
}

TEST(JsonPatch, Case13AMissingMapIsAddedWhole) {
  EXPECT_EQ(MetadataPatch(R"({"metadata":{}})", {}, {{"a", "1"}, {"b", "2"}}),
            R"([{"op":"add","path":"/metadata/annotations","value":{"a":"1","b":"2"}}])");
  EXPECT_EQ(
      MetadataPatch("{}", {{"l", "0"}}, {{"a", "1"}}),
      R"([{"op":"add","path":"/metadata","value":{"labels":{"l":"0"},"annotations":{"a":"1"}}}])");
  EXPECT_EQ(MetadataPatch(R"({"metadata":null})", {}, {{"a", "1"}}),
            R"([{"op":"add","path":"/metadata","value":{"annotations":{"a":"1"}}}])");
}

TEST(JsonPatch, Case14EmptyMapsAreThereAndNullsAreReplaced) {
  EXPECT_EQ(MetadataPatch(R"({"metadata":{"labels":{}}})", {{"a", "1"}}, {}),
            R"([{"op":"add","path":"/metadata/labels/a","value":"1"}])");
  EXPECT_EQ(MetadataPatch(R"({"metadata":{"labels":null}})", {{"a", "1"}}, {}),
            R"([{"op":"add","path":"/metadata/labels","value":{"a":"1"}}])");
}

TEST(JsonPatch, Case15OtherMembersStay) {
  EXPECT_EQ(MetadataPatch(R"({"metadata":{"annotations":{"x":"1","y":"2"}}})", {}, {{"a", "1"}}),
            R"([{"op":"add","path":"/metadata/annotations/a","value":"1"}])");
  // And what is right already is no operation.
  EXPECT_EQ(MetadataPatch(R"({"metadata":{"annotations":{"a":"1"}}})", {}, {{"a", "1"}}), "");
}

TEST(JsonPatch, Case16And18Escapes) {
  const auto path = [](const char* key) {
    const std::string patch = MetadataPatch(R"({"metadata":{"labels":{}}})", {{key, ""}}, {});
    const std::string start = R"([{"op":"add","path":"/metadata/labels/)";
    EXPECT_EQ(patch.substr(0, start.size()), start);
    return patch.substr(start.size(), patch.find("\",\"value\"") - start.size());
  };
  EXPECT_EQ(path("kubernetes.io/role"), "kubernetes.io~1role");
  EXPECT_EQ(path("a~1b/c"), "a~01b~1c");
  EXPECT_EQ(path("~"), "~0");
  EXPECT_EQ(path("//"), "~1~1");
  EXPECT_EQ(path("\"\\"), R"(\"\\)");
}

TEST(JsonPatch, OnlyWhatIsThereIsRemoved) {
  const auto document = json::Document::Parse(R"({"spec":{"a":null,"b":1},"list":[{"c":1}]})");
  const json::Value root = (*document)->root();
  Patch patch(root);
  patch.Remove(root.Get("spec"), "a");
  patch.Remove(root.Get("spec"), "absent");
  patch.Remove(root.Get("absent"), "a");
  patch.Remove(root.Get("list").Items().ToVector()[0], "c");
  EXPECT_EQ(std::move(patch).Finish(),
            R"([{"op":"remove","path":"/spec/a"},{"op":"remove","path":"/list/0/c"}])");
}

TEST(JsonPatch, NothingIsAddedToWhatIsNoObject) {
  EXPECT_EQ(MetadataPatch("[]", {{"a", "1"}}, {}), "");
  EXPECT_EQ(MetadataPatch(R"({"metadata":7})", {{"a", "1"}}, {}), "");
  EXPECT_EQ(MetadataPatch(R"({"metadata":{"labels":[]}})", {{"a", "1"}}, {}), "");
  const auto document = json::Document::Parse(R"({"spec":[]})");
  Patch patch((*document)->root());
  patch.Set((*document)->root().Get("spec"), "a", "b");
  EXPECT_EQ(std::move(patch).Finish(), "");
}

}  // namespace
}  // namespace precedent::kubernetes
