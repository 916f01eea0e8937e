#include "src/cli/image_header.h"

#include "gtest/gtest.h"

namespace precedent::cli {
namespace {

TEST(IdentifierFor, IsAnIdentifier) {
  EXPECT_EQ(IdentifierFor("fleet.h"), "fleet");
  EXPECT_EQ(IdentifierFor("/a/b.c/my-fleet.v2.h"), "my_fleet");
  EXPECT_EQ(IdentifierFor("consumer-policy.h"), "consumer_policy");
  EXPECT_EQ(IdentifierFor("fleet"), "fleet");
  EXPECT_EQ(IdentifierFor("2026-fleet.h"), "policy_2026_fleet");
}

TEST(IdentifierFor, IsNeverReservedOrEmpty) {
  EXPECT_EQ(IdentifierFor("__a--b__.h"), "a_b_");
  EXPECT_EQ(IdentifierFor(".h"), "policy");
  EXPECT_EQ(IdentifierFor("---.h"), "policy");
  EXPECT_EQ(IdentifierFor("grüße.h"), "gr_e");
}

}  // namespace
}  // namespace precedent::cli
