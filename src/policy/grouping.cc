// Groups of their own pay for long runs of `add` (a sum needs no order) and for long
// first-match stages many of whose rules match a job (only the least counts). Short
// ones cost less together with all other rules: their blocks would stay half empty.
#include "src/policy/grouping.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace precedent::internal {
namespace {

constexpr std::size_t kLongRun = 64;
// Alternatives of one rule that are compared with each other.
constexpr std::size_t kMaxSummedMatches = 64;
// A first-match stage that a job matches more often than this stands alone.
constexpr double kManyMatches = 8;

bool Disjoint(const ClassSet& a, const ClassSet& b) { return a.Intersect(b).empty(); }

// No job satisfies both.
bool Disjoint(const ClauseDraft& a, const ClauseDraft& b) {
  for (const ColumnConstraint& x : a.columns)
    for (const ColumnConstraint& y : b.columns)
      if (x.column == y.column && Disjoint(x.allowed, y.allowed)) return true;
  return false;
}

class Grouper {
 public:
  Grouper(const v1::Policy& policy, const Clauses& clauses, const Vocabulary& vocabulary,
          const ImageParts& parts, const std::vector<bool>& scaled_wait)
      : clauses_(clauses),
        vocabulary_(vocabulary),
        rules_(parts.rules),
        scaled_wait_(scaled_wait),
        by_rule_(parts.rules.size() + 1, 0),
        ordered_(parts.rules.size(), true) {
    for (const ClauseDraft& draft : clauses.drafts) ++by_rule_[draft.rule + 1];
    for (std::size_t i = 1; i < by_rule_.size(); ++i) by_rule_[i] += by_rule_[i - 1];
    std::uint32_t first = 0;
    for (int s = 0; s < policy.stages_size(); ++s) {
      stages_.push_back({first, parts.stage_ends[s],
                         policy.stages(s).mode() == v1::Stage::FIRST_MATCH});
      first = parts.stage_ends[s];
    }
  }

  Grouping Group() && {
    for (std::size_t s = 0; s < stages_.size();) {
      if (stages_[s].first_match) {
        AddFirstStage(stages_[s++]);
      } else {
        s = AddRuns(s);
      }
    }
    MakeWindows();
    return std::move(result_);
  }

 private:
  struct StageRange {
    std::uint32_t first;
    std::uint32_t end;
    bool first_match;
  };

  bool IsMostOfThePolicy(std::size_t rules) const { return rules * 2 > rules_.size(); }

  bool Timed(std::uint32_t rule) const {
    if (scaled_wait_[rule]) return true;
    for (std::uint32_t i = by_rule_[rule]; i < by_rule_[rule + 1]; ++i)
      if (clauses_.drafts[i].time != kNone) return true;
    return false;
  }

  void AddFirstStage(const StageRange& stage) {
    double matches = 0;
    bool timed = false;
    for (std::uint32_t rule = stage.first; rule < stage.end; ++rule) {
      timed |= Timed(rule);
      for (std::uint32_t i = by_rule_[rule]; i < by_rule_[rule + 1]; ++i)
        matches += ShareOf(clauses_.drafts[i], vocabulary_);
    }
    const std::size_t size = stage.end - stage.first;
    Segment segment;
    segment.first = stage.first;
    segment.end = stage.end;
    if (!timed && size >= kLongRun && (matches >= kManyMatches || IsMostOfThePolicy(size))) {
      GroupDraft group;
      group.kind = Group::kFirst;
      Take(stage.first, stage.end, [](std::uint32_t) { return true; }, &group);
      segment.group = AddGroup(std::move(group));
    }
    result_.segments.push_back(segment);
  }

  // The run of stages without first match that begins at stage `s`; returns the stage
  // after it. Runs of rules that only add go across their borders.
  std::size_t AddRuns(std::size_t s) {
    std::uint32_t rule = stages_[s].first;
    while (s < stages_.size() && !stages_[s].first_match) ++s;
    const std::uint32_t end = stages_[s - 1].end;
    while (rule < end) {
      std::uint32_t run = rule;
      while (run < end && OnlyAdds(run)) ++run;
      if (run > rule) AddRun(rule, run);
      rule = run;
      while (rule < end && !OnlyAdds(rule)) ++rule;
      if (rule > run) {
        Segment segment;
        segment.first = run;
        segment.end = rule;
        result_.segments.push_back(segment);
      }
    }
    return s;
  }

  bool OnlyAdds(std::uint32_t rule) const {
    return (rules_[rule].flags & (Rule::kNotBelow | Rule::kNotAbove)) == 0 &&
           rules_[rule].next == rule + 1;
  }

  // Whether a sum can count the rule.
  bool Summable(std::uint32_t rule) const {
    if ((rules_[rule].flags & Rule::kAddScaled) != 0 || (rules_[rule].flags & Rule::kOutcome) != 0 ||
        Timed(rule) || by_rule_[rule + 1] - by_rule_[rule] > kMaxSummedMatches)
      return false;
    for (std::uint32_t i = by_rule_[rule]; i < by_rule_[rule + 1]; ++i)
      for (std::uint32_t j = by_rule_[rule]; j < i; ++j)
        if (!Disjoint(clauses_.drafts[i], clauses_.drafts[j])) return false;
    return true;
  }

  void AddRun(std::uint32_t first, std::uint32_t end) {
    Segment segment;
    segment.first = first;
    segment.end = end;
    std::vector<bool> summable(end - first);
    for (std::uint32_t rule = first; rule < end; ++rule) summable[rule - first] = Summable(rule);
    for (const bool order_only : {false, true}) {
      // A sum of these stays within 32 bits, whatever is in it.
      std::int64_t room = std::numeric_limits<std::int32_t>::max();
      std::size_t count = 0;
      const auto belongs = [&](std::uint32_t rule) {
        return summable[rule - first] &&
               ((rules_[rule].flags & Rule::kOrderOnly) != 0) == order_only;
      };
      for (std::uint32_t rule = first; rule < end; ++rule) count += belongs(rule);
      if (count == 0 || (count < kLongRun && !IsMostOfThePolicy(end - first))) continue;
      GroupDraft group;
      group.kind = Group::kSum;
      Take(first, end,
           [&](std::uint32_t rule) {
             const std::int64_t points = std::abs(std::int64_t{rules_[rule].value});
             if (!belongs(rule) || points > room) return false;
             room -= points;
             return true;
           },
           &group);
      (order_only ? segment.order_only : segment.group) = AddGroup(std::move(group));
    }
    result_.segments.push_back(segment);
  }

  // Moves the rules of a range that `wanted` chooses from the ordered ones.
  template <typename Wanted>
  void Take(std::uint32_t first, std::uint32_t end, Wanted wanted, GroupDraft* group) {
    for (std::uint32_t rule = first; rule < end; ++rule) {
      if (!wanted(rule)) continue;
      ordered_[rule] = false;
      for (std::uint32_t i = by_rule_[rule]; i < by_rule_[rule + 1]; ++i)
        group->clauses.push_back(i);
    }
  }

  std::uint32_t AddGroup(GroupDraft group) {
    result_.groups.push_back(std::move(group));
    return static_cast<std::uint32_t>(result_.groups.size() - 1);
  }

  // Cuts the segments at windows and gives each window its ordered rules.
  void MakeWindows() {
    std::vector<Segment> whole = std::move(result_.segments);
    result_.segments.clear();
    std::size_t s = 0;
    for (std::uint32_t first = 0; first < rules_.size(); first += kWindow) {
      const auto end = static_cast<std::uint32_t>(
          std::min<std::size_t>(rules_.size(), std::size_t{first} + kWindow));
      Window window;
      GroupDraft rest;
      Take(first, end, [&](std::uint32_t rule) { return ordered_[rule]; }, &rest);
      if (!rest.clauses.empty()) window.group = AddGroup(rest);
      window.segment_begin = static_cast<std::uint32_t>(result_.segments.size());
      while (s < whole.size() && whole[s].first < end) {
        Segment part = whole[s];
        if (part.end > end) {
          part.end = end;
          whole[s].first = end;
          whole[s].counts = 0;
        } else {
          ++s;
        }
        part.ordered = HasOrdered(rest, part) ? 1 : 0;
        Merge(part);
      }
      window.segment_count =
          static_cast<std::uint32_t>(result_.segments.size()) - window.segment_begin;
      result_.windows.push_back(window);
    }
  }

  bool HasOrdered(const GroupDraft& rest, const Segment& segment) const {
    const auto first = std::lower_bound(
        rest.clauses.begin(), rest.clauses.end(), segment.first,
        [&](std::uint32_t i, std::uint32_t rule) { return clauses_.drafts[i].rule < rule; });
    return first != rest.clauses.end() && clauses_.drafts[*first].rule < segment.end;
  }

  // Segments without groups need no border between them; those without rules that can
  // match are not needed.
  void Merge(const Segment& part) {
    const auto plain = [](const Segment& s) {
      return s.group == kNone && s.order_only == kNone;
    };
    if (plain(part) && part.ordered == 0) return;
    if (!result_.segments.empty() && plain(part) && plain(result_.segments.back()) &&
        result_.segments.back().end == part.first && part.first % kWindow != 0) {
      result_.segments.back().end = part.end;
    } else {
      result_.segments.push_back(part);
    }
  }

  const Clauses& clauses_;
  const Vocabulary& vocabulary_;
  const Rows<Rule>& rules_;
  const std::vector<bool>& scaled_wait_;
  std::vector<std::uint32_t> by_rule_;  // first clause of each rule
  std::vector<bool> ordered_;           // by rule: in no group of its own
  std::vector<StageRange> stages_;
  Grouping result_;
};

}  // namespace

double ShareOf(const ClauseDraft& clause, const Vocabulary& vocabulary) {
  double share = 1;
  for (const ColumnConstraint& c : clause.columns)
    share *= static_cast<double>(c.allowed.size()) / vocabulary.class_counts[c.column];
  for (std::size_t i = 0; i < clause.bits.size(); ++i) share /= 2;
  return share;
}

Grouping GroupRules(const v1::Policy& policy, const Clauses& clauses,
                    const Vocabulary& vocabulary, const ImageParts& parts,
                    const std::vector<bool>& scaled_wait) {
  return Grouper(policy, clauses, vocabulary, parts, scaled_wait).Group();
}

}  // namespace precedent::internal
