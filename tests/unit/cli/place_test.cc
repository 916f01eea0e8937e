#include "src/cli/place.h"

#include <string>

#include "gtest/gtest.h"
#include "src/text/json_reader.h"
#include "src/text/textproto_reader.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kPod = R"({
  "metadata": {
    "labels": {
      "a.b/c": 1
    }
  },
  "spec": {
    "containers": [
      {"name": "x"},
      {
        "resources": {"limits": {}}
      }
    ]
  }
})";

std::uint32_t Line(const internal::Document& document, std::string_view path) {
  return FindPlace(document.root, path).line;
}

TEST(FindPlace, FollowsNamesIndexesAndKeys) {
  Issue problem;
  const std::optional<internal::Document> pod = internal::ReadJson(kPod, &problem);
  ASSERT_TRUE(pod) << problem.message;
  EXPECT_EQ(Line(*pod, "metadata.labels[\"a.b/c\"]"), 4u);
  EXPECT_EQ(Line(*pod, "metadata.labels[\"a.b/c\"]: is bad"), 4u);
  EXPECT_EQ(Line(*pod, "spec.containers[0].name"), 9u);
  EXPECT_EQ(Line(*pod, "spec.containers[1].resources.limits"), 11u);
}

TEST(FindPlace, EndsWhereThePathLeaves) {
  Issue problem;
  const std::optional<internal::Document> pod = internal::ReadJson(kPod, &problem);
  ASSERT_TRUE(pod) << problem.message;
  EXPECT_EQ(Line(*pod, "spec.containers[1].image: is missing"), 10u);
  EXPECT_EQ(Line(*pod, "spec.containers[9]"), 8u);
  for (const std::string_view path :
       {"", ": x", "nowhere", "[", "[\"", "[x]", "[1", ".", "..", "[]"})
    EXPECT_EQ(Line(*pod, path), 1u) << path;
}

TEST(FindPlace, TextFormatRepeatsNames) {
  std::vector<Issue> problems;
  const internal::Document text =
      internal::ReadTextProto("claimed: TEAM\ngpu_count: 1\nclaimed: LABELS\n", &problems);
  EXPECT_EQ(Line(text, "claimed[0]"), 1u);
  EXPECT_EQ(Line(text, "claimed[1]"), 3u);
  EXPECT_EQ(Line(text, "gpuCount"), 2u);
}

}  // namespace
}  // namespace precedent::cli
