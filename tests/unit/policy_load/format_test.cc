#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "google/protobuf/util/message_differencer.h"
#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

TEST(FormatPolicy, LaysOutWhatFits) {
  const char kCanonical[] = R"(name: "n"
stages {
  name: "base"
  mode: FIRST_MATCH
  rules { id: "production" when { environment { in: ["production", "live"] } } set: 1000 }
  rules {
    id: "everyone-else"
    description: "a text that is long enough to need a line of its own in the canonical form"
    set: 0
  }
}
stages { rules { id: "b" annotate { key: "a" value: "1" } annotate { key: "b" value: "2" } } }
bounds { max: 10000 }
)";
  const ReadResult read = ReadPolicy(kCanonical);
  EXPECT_FALSE(HasErrors(read.issues)) << Report(read.issues);
  EXPECT_EQ(FormatPolicy(read.policy), kCanonical);
}

TEST(FormatPolicy, ReadsBackTheSame) {
  v1::Policy policy;
  policy.set_name("q\"\\\n\t\x01\x7f\xc3\xa9");
  policy.set_generation(-9'007'199'254'740'993);
  policy.add_require_verified(v1::TEAM);
  v1::Rule* rule = policy.add_stages()->add_rules();
  rule->set_id("r");
  rule->set_warn("");
  rule->set_final(true);
  rule->set_never_preempt_others(false);
  rule->mutable_add_scaled()->set_metric("m");
  rule->mutable_add_scaled()->set_points(-0.1);
  rule->mutable_add_scaled()->set_per(5e-324);
  for (double number : {1e12, 1.0 / 3, -0.0, std::numeric_limits<double>::max()})
    rule->add_when()->mutable_dataset_bytes()->set_at_most(number);
  for (int i = 0; i < 50; ++i) {
    (*rule->mutable_when(0)->mutable_labels())["key" + std::to_string(i)].add_in("");
    rule->mutable_when(1)->mutable_team()->add_in("value" + std::to_string(i));
  }
  rule->mutable_active_from()->set_seconds(5);
  policy.mutable_bounds();
  const std::string text = FormatPolicy(policy);
  const ReadResult read = ReadPolicy(text);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(read.policy, policy)) << text;
  EXPECT_EQ(FormatPolicy(read.policy), text);
  EXPECT_EQ(read.policy.stages(0).rules(0).when_size(), 4);
}

TEST(FormatPolicy, NothingHasAFormThatLoads) {
  EXPECT_EQ(FormatPolicy({}), "# no stages\n");
  EXPECT_FALSE(HasErrors(ReadPolicy(FormatPolicy({})).issues));
}

}  // namespace
}  // namespace precedent
