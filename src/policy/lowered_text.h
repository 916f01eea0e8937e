// A TextMatch in normal form: sets expanded, patterns lowered, lists sorted.
#ifndef PRECEDENT_SRC_POLICY_LOWERED_TEXT_H_
#define PRECEDENT_SRC_POLICY_LOWERED_TEXT_H_

#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "precedent/v1/policy.pb.h"
#include "src/policy/regex_lowering.h"

namespace precedent::internal {

using ValueSets = absl::flat_hash_map<std::string, const v1::ValueSet*>;

struct PatternList {
  std::vector<std::string> contains;
  std::vector<std::string> regexes;
  bool empty() const { return contains.empty() && regexes.empty(); }
  friend bool operator<(const PatternList& a, const PatternList& b) {
    return std::tie(a.contains, a.regexes) < std::tie(b.contains, b.regexes);
  }
};

// Borrows from the match and the sets that it was made of.
struct LoweredText {
  using Texts = absl::InlinedVector<absl::string_view, 2>;

  // Alternatives. Texts that are absent satisfy none of them.
  Texts literals;
  Texts prefixes;
  Texts suffixes;
  PatternList patterns;
  // Whether there are alternatives at all. There can be alternatives and no list:
  // `in: ""` of a built-in text, which nothing satisfies.
  bool has_alternatives = false;

  Texts excluded;
  bool absent_holds = false;   // an absent text satisfies the match
  bool present_holds = true;   // a present text can: false for `present: false`

  std::vector<LoweredPattern> patterns_lowered;  // owns what the lists have of patterns
};

// `built_in`: empty texts count as absent. REQUIRES: the match and the sets passed
// CheckPolicy.
LoweredText LowerText(const v1::TextMatch& match, const ValueSets& sets, bool built_in);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_LOWERED_TEXT_H_
