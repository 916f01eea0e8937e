#include "src/policy/pattern_dfa.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kMostStates = 4096;

}  // namespace

class DfaWriter {
 public:
  DfaWriter(const PatternNfa& nfa, std::int64_t* budget)
      : nfa_(nfa), budget_(*budget), seen_(nfa.nodes.size(), 0) {}

  std::optional<PatternDfa> Write() && {
    MakeColumns();
    StateOf({});  // kDead
    Begin();
    for (const std::uint32_t start : nfa_.starts) Reach(start);
    dfa_.start_ = StateOf(std::move(reached_));
    dfa_.ends_.push_back(0);
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (states_.size() > kMostStates || budget_ < 0) return std::nullopt;
      WriteState(states_[s]);
    }
    return std::move(dfa_);
  }

 private:
  using Nodes = std::vector<std::uint32_t>;

  // Two bytes share a column if every node takes both or none.
  void MakeColumns() {
    absl::flat_hash_set<std::bitset<256>> sets;
    for (const PatternNfa::Node& node : nfa_.nodes)
      if (node.kind == PatternNfa::Node::kBytes) sets.insert(node.bytes);
    budget_ -= 256 * static_cast<std::int64_t>(sets.size()) +
               static_cast<std::int64_t>(nfa_.nodes.size());
    for (const std::bitset<256>& set : sets) {
      std::map<std::pair<std::uint8_t, bool>, std::uint8_t> parts;
      for (std::size_t byte = 0; byte < 256; ++byte) {
        const auto part = std::make_pair(dfa_.columns_[byte], set[byte]);
        const auto next = static_cast<std::uint8_t>(parts.size());
        dfa_.columns_[byte] = parts.emplace(part, next).first->second;
      }
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::size_t column = dfa_.columns_[byte];
      if (column >= bytes_.size()) bytes_.resize(column + 1);
      bytes_[column] = byte;
    }
    while ((std::size_t{1} << dfa_.shift_) < bytes_.size()) ++dfa_.shift_;
  }

  void Begin() {
    reached_.clear();
    ++round_;
  }
  // Adds a node and all that can be reached from it without a byte.
  void Reach(std::uint32_t node) {
    open_.push_back(node);
    while (!open_.empty()) {
      const std::uint32_t i = open_.back();
      open_.pop_back();
      --budget_;
      if (seen_[i] == round_) continue;
      seen_[i] = round_;
      if (nfa_.nodes[i].kind != PatternNfa::Node::kSplit) {
        reached_.push_back(i);
        continue;
      }
      open_.push_back(nfa_.nodes[i].next);
      open_.push_back(nfa_.nodes[i].other);
    }
  }

  std::size_t StateOf(Nodes nodes) {
    std::sort(nodes.begin(), nodes.end());
    const auto [found, is_new] =
        numbers_.try_emplace(std::move(nodes), static_cast<std::uint32_t>(states_.size()));
    if (is_new) states_.push_back(found->first);
    return found->second;
  }

  // By value: states_ grows.
  void WriteState(const Nodes nodes) {
    const std::size_t row = dfa_.next_.size();
    dfa_.next_.resize(row + (std::size_t{1} << dfa_.shift_));
    for (std::size_t column = 0; column < bytes_.size(); ++column) {
      Begin();
      budget_ -= static_cast<std::int64_t>(nodes.size()) + 8;
      for (const std::uint32_t i : nodes)
        if (nfa_.nodes[i].kind == PatternNfa::Node::kBytes && nfa_.nodes[i].bytes[bytes_[column]])
          Reach(nfa_.nodes[i].next);
      dfa_.next_[row + column] = static_cast<std::uint16_t>(StateOf(reached_));
    }
    for (const std::uint32_t i : nodes)
      if (nfa_.nodes[i].kind == PatternNfa::Node::kMatch)
        dfa_.matched_.push_back(nfa_.nodes[i].other);
    dfa_.ends_.push_back(static_cast<std::uint32_t>(dfa_.matched_.size()));
  }

  const PatternNfa& nfa_;
  std::int64_t& budget_;
  PatternDfa dfa_;
  std::vector<std::size_t> bytes_;  // one of each column
  std::vector<std::uint32_t> seen_;  // by node: the round in which it was reached
  std::uint32_t round_ = 0;
  Nodes reached_, open_;
  std::vector<Nodes> states_;
  absl::flat_hash_map<Nodes, std::uint32_t> numbers_;
};

std::optional<PatternDfa> PatternDfa::Make(const PatternNfa& nfa, std::int64_t* budget) {
  return DfaWriter(nfa, budget).Write();
}

}  // namespace precedent::internal
