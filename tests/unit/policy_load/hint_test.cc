#include "src/policy/hint.h"

#include <gmock/gmock.h>

#include "precedent/issue.h"

namespace precedent {
namespace {

TEST(Hint, FindsNearMisses) {
  const std::vector<std::string_view> known = {"gpu_count", "gpuCount", "team", "environment"};
  EXPECT_EQ(internal::NearestName("gpu_cuont", known), "gpu_count");
  EXPECT_EQ(internal::NearestName("gpuCont", known), "gpuCount");
  EXPECT_EQ(internal::NearestName("GPU-COUNT", known), "gpu_count");
  EXPECT_EQ(internal::NearestName("teams", known), "team");
  EXPECT_EQ(internal::NearestName("enviroment", known), "environment");
  EXPECT_EQ(internal::NearestName("queue", known), "");
  EXPECT_EQ(internal::NearestName("", known), "");
  EXPECT_EQ(internal::NearestName(std::string(100'000, 'a'), known), "");
}

TEST(Hint, TellsAllWhereFewAreKnown) {
  EXPECT_EQ(internal::DidYouMean("FRIST_MATCH", {"EVERY_MATCH", "FIRST_MATCH"}),
            "did you mean `FIRST_MATCH`?");
  EXPECT_EQ(internal::DidYouMean("x", {"a1", "b2"}), "known are `a1`, `b2`");
  EXPECT_EQ(internal::DidYouMean("x", {"a1"}), "known is `a1`");
  EXPECT_EQ(internal::DidYouMean("x", {}), "");
}

TEST(Issue, IsFormattedLikeACompilersMessage) {
  Issue issue{Severity::kWarning, "stages[0]", 12, 3, "message", "hint"};
  EXPECT_EQ(FormatIssue(issue, "p.yaml"), "p.yaml:12:3: warning: stages[0]: message (hint)");
  EXPECT_EQ(FormatIssue({Severity::kError, "", 0, 0, "message", ""}, "p"), "p: error: message");
  EXPECT_EQ(FormatIssue({Severity::kNote, "", 4, 0, "message", ""}, ""), "4: note: message");
  EXPECT_FALSE(HasErrors({issue}));
  EXPECT_TRUE(HasErrors({issue, Issue{}}));
}

}  // namespace
}  // namespace precedent
