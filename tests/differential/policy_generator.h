// Seeded random policies that the library's checks accept.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_POLICY_GENERATOR_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_POLICY_GENERATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "precedent/v1/policy.pb.h"
#include "tests/differential/random.h"

namespace precedent::differential {

// What kind of policy to make; each is there for a part of an implementation that
// the others would hardly reach.
enum class Style {
  kTiny,         // up to 4 rules on one to three attributes
  kMixed,        // up to 40 rules of every kind
  kTimed,        // waits, hours, days, temporary rules, scaled waits
  kIndexed,      // 50 to 400 rules, most on teams and few other texts
  kBreakpoints,  // hundreds of different bounds on a few numbers
  kCrowded,      // hundreds of rules most of which match at once
  kHuge,         // more than 1,000 rules
};

struct GeneratedPolicy {
  v1::Policy policy;
  Style style = Style::kTiny;
  // Microseconds; times near it are where the policy's time conditions change.
  std::int64_t base_time = 0;
  std::vector<std::string> words;  // what its texts are made of
};

GeneratedPolicy RandomPolicy(Random& random);

// The parts, for the files of this generator.
v1::TextMatch RandomTextMatch(const std::vector<std::string>& words,
                              const std::vector<std::string>& sets, bool may_need_re2,
                              int* mixed_left, Random& random);
v1::NumberMatch RandomNumberMatch(const std::string& attribute, Random& random);
// At most one score effect, and outcomes.
void AddRandomEffects(const v1::Policy& policy, Style style, v1::Rule* rule, Random& random);
// One outcome, sometimes three.
void AddRandomOutcomes(const v1::Policy& policy, v1::Rule* rule, Random& random);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_POLICY_GENERATOR_H_
