#include <gmock/gmock.h>

#include <string>

#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;

// Within bounds of 0 to 100, which stand in line 2.
std::string CheckIn100(const std::string& stages) {
  return Check(stages + "\nbounds { min: 0 max: 100 } fallback { priority: 50 }");
}

TEST(CheckScore, WarnsWhenTheScoreCanLeaveTheBounds) {
  const std::string maybe = " when { preemptible: true } ";
  const std::pair<std::string, std::string> cases[] = {
      {"stages { rules { id: \"a\" add: 60 } rules { id: \"b\" add: 41 } }",
       "2: warning: bounds.max: the score can be 101, above 100, where it is cut off\n"},
      {"stages { rules { id: \"a\" add: 60 } rules { id: \"b\" add: 40 } }", ""},
      {"stages { mode: FIRST_MATCH rules { id: \"a\" add: 60" + maybe +
           "} rules { id: \"b\" add: 41 } }", ""},
      {"stages { rules { id: \"a\" add: -1" + maybe + "} }",
       "2: warning: bounds.min: the score can be -1, below 0, where it is cut off\n"},
      {"stages { rules { id: \"a\" add: -1 } rules { id: \"b\" at_least: 0 } }", ""},
      {"stages { rules { id: \"a\" add: -1 } rules { id: \"b\" at_least: 0" + maybe + "} }",
       "2: warning: bounds.min: the score can be -1, below 0, where it is cut off\n"},
      {"stages { rules { id: \"a\" set: 200 } rules { id: \"b\" at_most: 100 } }", ""},
      {"stages { rules { id: \"a\" set: 200 } rules { id: \"b\" set: 3 } }", ""},
      {"stages { rules { id: \"a\" set: 200 final: true" + maybe + "} rules { id: \"b\" set: 3 } }",
       "2: warning: bounds.max: the score can be 200, above 100, where it is cut off\n"},
      {"stages { rules { id: \"a\" set: 3 final: true } }", ""},
      {"stages { rules { id: \"f\" add_scaled { of: FAILURE_COUNT points: -10 } } }",
       "2: warning: bounds.min: the score can fall without limit, below 0, where it is cut off "
       "(rule `f` has no `min`)\n"},
      {"stages { rules { id: \"w\" add_scaled { of: WAIT_SECONDS points: 1 max: 40 } } }", ""},
      {"stages { rules { id: \"a\" set: -5 } rules { id: \"w\" add_scaled { of: WAIT_SECONDS "
       "points: 1 min: 5 max: 40 } } }",
       "2: warning: bounds.min: the score can be -5, below 0, where it is cut off\n"},
      {"stages { rules { id: \"a\" set: -5 } rules { id: \"w\" add_scaled { of: DEPTH "
       "points: 1 min: 5 max: 40 } } }", ""},
      {"stages { rules { id: \"m\" add_scaled { metric: \"m\" points: 1 min: -3 max: 40 } } }",
       "2: warning: bounds.min: the score can be -3, below 0, where it is cut off\n"},
      {"stages { rules { id: \"a\" set: -5 } rules { id: \"b\" add: 5 order_only: true } }",
       "2: warning: bounds.min: the score can be -5, below 0, where it is cut off\n"},
  };
  for (const auto& [policy, report] : cases) {
    EXPECT_EQ(CheckIn100(policy), report) << policy;
  }
}

TEST(CheckScore, HoldsTheWidestPolicy) {
  std::string policy = "stages {";
  for (int i = 0; i < 5000; ++i)
    policy += " rules { id: \"" + std::to_string(i) + "\" add: 2147483647 }";
  EXPECT_THAT(Check(policy + " }"), HasSubstr("the score can be 10737418235000, above 9999"));
}

}  // namespace
}  // namespace precedent
