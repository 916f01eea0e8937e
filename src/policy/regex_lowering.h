// Regular expressions that are really something simpler.
#ifndef PRECEDENT_SRC_POLICY_REGEX_LOWERING_H_
#define PRECEDENT_SRC_POLICY_REGEX_LOWERING_H_

#include <string>
#include <string_view>
#include <vector>

namespace precedent::internal {

struct LoweredPattern {
  enum Kind { kLiteral, kPrefix, kSuffix, kContains, kRegex };
  Kind kind = kRegex;
  std::string text;  // the literal text, or for kRegex the pattern as it was
};

// Alternatives that together match exactly the texts (in UTF-8) that `pattern`
// matches as a whole: one kRegex where nothing simpler is plain to see. REQUIRES:
// the pattern is valid RE2 syntax. Linear in the pattern.
std::vector<LoweredPattern> LowerPattern(std::string_view pattern);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_REGEX_LOWERING_H_
