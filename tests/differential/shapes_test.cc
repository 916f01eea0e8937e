// Policies of every shape, and that each shape meets what it is there for: otherwise
// agreement with the reference would say nothing about it.
//
// Scaled by --pairs and PRECEDENT_PAIRS as the other tests are.
#include <cstddef>
#include <initializer_list>

#include "gtest/gtest.h"
#include "tests/differential/shape_runner.h"
#include "tests/differential/shapes.h"

namespace precedent::differential {
namespace {

// At least `least` of them in the images of all policies of a shape.
void ExpectMet(const ImageFacts& facts, std::uint64_t least,
               std::initializer_list<const char*> all) {
  if (!AtFullSize() || ::testing::Test::HasFailure()) return;
  for (const char* what : all) EXPECT_GE(facts[what], least) << what;
}

TEST(ShapesTest, Sums) {
  const ImageFacts facts = RunShape({SumPolicy, 40, 60});
  ExpectMet(facts, 10, {"sums", "sums of order-only rules", "sums with ordered rules among them",
                        "indexes", "nested affixes", "blocks of three columns",
                        "blocks with a residual", "groups of several words"});
}

TEST(ShapesTest, FirstMatchStages) {
  const ImageFacts facts = RunShape({FirstPolicy, 60, 80});
  ExpectMet(facts, 10, {"first-match groups", "heads", "indexes", "bits", "nested affixes",
                        "blocks with a residual"});
}

TEST(ShapesTest, OrderedRules) {
  const ImageFacts facts = RunShape({OrderedPolicy, 60, 80});
  ExpectMet(facts, 10, {"ordered groups", "indexes", "blocks with a residual", "bits",
                        "waits with steps that go on", "waits with steps that end",
                        "waits without steps"});
}

class GroupsTest : public ::testing::TestWithParam<RowsOf> {};
INSTANTIATE_TEST_SUITE_P(Each, GroupsTest,
                         ::testing::Values(RowsOf::kSum, RowsOf::kFirst, RowsOf::kOrdered));

TEST_P(GroupsTest, RowsAtTheBordersOfWordsAndChunks) {
  for (const std::size_t clauses : std::initializer_list<std::size_t>{1, 63, 64, 65, 512, 513}) {
    SCOPED_TRACE(clauses);
    const auto make = [&](Random& random) {
      return RowsPolicy(GetParam(), clauses, false, random);
    };
    const ImageFacts facts = RunShape({make, 4, 50});
    ExpectMet(facts, 1, {clauses > 64 ? "groups of several words" : "images"});
  }
}

TEST_P(GroupsTest, RowsThatNearlyEveryJobSatisfies) {
  const auto make = [&](Random& random) {
    return RowsPolicy(GetParam(), 65 + random.Below(200), true, random);
  };
  const ImageFacts facts = RunShape({make, 10, 60});
  ExpectMet(facts, 5, {"groups of several words",
                       GetParam() == RowsOf::kSum ? "inverted words" : "images"});
}

TEST_P(GroupsTest, RunsOfBounds) {
  const auto make = [&](Random& random) { return BoundsPolicy(GetParam(), random); };
  const ImageFacts facts = RunShape({make, 6, 120});
  ExpectMet(facts, 4, {"coarse columns", "groups of several words", "words with a residual"});
}

TEST_P(GroupsTest, MoreColumnsThanRowsAreLookedAt) {
  const auto make = [&](Random& random) { return ManyColumnsPolicy(GetParam(), random); };
  const ImageFacts facts = RunShape({make, 10, 60});
  ExpectMet(facts, 4, {"groups of 32 row columns", "words with a residual"});
}

TEST_P(GroupsTest, MoreLabelsThanABlockHasLanesFor) {
  const auto make = [&](Random& random) { return LabelsPolicy(GetParam(), random); };
  const ImageFacts facts = RunShape({make, 12, 80});
  ExpectMet(facts, 5, {"texts in the signature", "signatures", "blocks of three columns",
                       "blocks with a residual", "masks"});
}

TEST_P(GroupsTest, MoreSmallColumnsThanTheHotWordHolds) {
  const auto make = [&](Random& random) { return SmallColumnsPolicy(GetParam(), random); };
  const ImageFacts facts = RunShape({make, 10, 80});
  ExpectMet(facts, 5, {"full hot words", "blocks of three columns"});
}

TEST(ShapesTest, Tables) {
  const ImageFacts facts = RunShape({TablePolicy, 700, 25});
  ExpectMet(facts, 20, {"tables", "terms", "wait terms", "order-only terms",
                        "cells with an outcome", "terms noted and not added"});
  ExpectMet(facts, 1, {"tables of more than 2000 cells", "tables of eight terms"});
  if (AtFullSize()) {
    EXPECT_GE(facts["images"], facts["tables"] + 20);  // some cannot have one
  }
}

TEST(ShapesTest, TextsThatAreNearlyTheSame) {
  const ImageFacts facts = RunShape({LiteralsPolicy, 150, 60, MakeTextsAlike});
  ExpectMet(facts, 20, {"tables", "literals compared one by one", "texts looked up",
                        "affixes searched", "affixes looked up", "nested affixes"});
}

}  // namespace
}  // namespace precedent::differential
