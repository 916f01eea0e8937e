// Regular expressions as automata over bytes, for those whose meaning is plain.
#ifndef PRECEDENT_SRC_POLICY_PATTERN_NFA_H_
#define PRECEDENT_SRC_POLICY_PATTERN_NFA_H_

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace precedent::internal {

// The union of patterns, each with a number.
struct PatternNfa {
  struct Node {
    enum Kind { kBytes, kSplit, kMatch };
    Kind kind = kSplit;
    std::bitset<256> bytes;   // kBytes: those that lead on
    std::uint32_t next = 0;   // kBytes, kSplit
    std::uint32_t other = 0;  // kSplit: the second way; kMatch: the pattern's number
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> starts;
};

// Adds what `pattern` matches as a whole, bytes that are no UTF-8 included, or returns
// false and changes nothing: the pattern has something else than literals, `.`, classes
// of ASCII characters, groups, `|`, repeats and anchors at the ends of an alternative,
// or takes more than 1000 nodes. REQUIRES: RE2 takes the pattern, with dot_nl.
bool AddPattern(std::string_view pattern, std::uint32_t number, PatternNfa* nfa);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_PATTERN_NFA_H_
