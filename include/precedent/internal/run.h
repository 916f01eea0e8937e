// Running: the matching rules applied in policy order.
//
// Rules come in segments. One decides a long run of `add` or a long first-match stage
// by a group of its own; all others are bits of the bitmap of their window.
#ifndef PRECEDENT_INTERNAL_RUN_H_
#define PRECEDENT_INTERNAL_RUN_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "precedent/decision.h"
#include "precedent/internal/bound_job.h"
#include "precedent/internal/clock.h"
#include "precedent/internal/image.h"
#include "precedent/internal/inlining.h"
#include "precedent/internal/match.h"
#include "precedent/internal/outcome.h"
#include "precedent/internal/rule_bitmap.h"
#include "precedent/internal/sinks.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// REQUIRES: the policy has no table, and the job is valid.
class Runner {
 public:
  // Keeps the bytes of `job`, and `*decision`, which is new.
  Runner(Image image, const BoundParts<const std::byte>& job, std::int64_t now,
         Decision* decision) noexcept
      : image_(image),
        h_(image.header()),
        flags_(job.header->flags),
        clock_(image, job.submitted(h_), now),
        matcher_(image, job, &clock_),
        decision_(*decision) {}

  void Run() noexcept {
    Run<false>([](std::uint32_t) {});
  }

  // Calls on_rule(rule) for every rule that applies, in order.
  template <typename OnRule>
  void List(OnRule&& on_rule) noexcept {
    Run<true>(on_rule);
  }

 private:
  // kList: sums are taken apart into their rules.
  template <bool kList, typename OnRule>
  void Run(OnRule&& on_rule) noexcept {
    StartDecision(image_, flags_, &decision_);
    RuleBitmap bitmap;
    const Window* windows = image_.begin(h_.windows);
    for (std::uint32_t w = 0; w < h_.windows.count; ++w) {
      const std::uint32_t first = w * kWindow;
      const Window& window = windows[w];
      if (window.group != kNone || kList) bitmap.Clear();
      // Rules that no longer apply can still bound the validity of the decision.
      if (window.group != kNone && (next_ < h_.rules.count || h_.time_dependent != 0)) {
        BitmapSink sink(first, nullptr, &bitmap);
        matcher_.Match(image_.at(h_.rule_groups, window.group), &sink);
      }
      const Segment* segment = image_.begin(h_.segments) + window.segment_begin;
      for (const Segment* end = segment + window.segment_count; segment != end; ++segment) {
        if (next_ > segment->first && next_ >= segment->end) continue;
        if (segment->group != kNone || segment->order_only != kNone)
          RunGroups<kList>(*segment, first, &bitmap, on_rule);
        if (segment->ordered != 0 || kList) RunBits(*segment, first, bitmap, on_rule);
      }
    }
    decision_.priority = ClampScore(h_, score_);
    decision_.preemption_priority = ClampScore(h_, preemption_score_);
    SetClass(image_, class_, decision_.preemption_priority, &decision_);
    if (clock_.valid_until() != kNever)
      decision_.valid_until = TimePoint(std::chrono::microseconds(clock_.valid_until()));
  }

  template <bool kList, typename OnRule>
  void RunGroups(const Segment& segment, std::uint32_t first, RuleBitmap* bitmap,
                 OnRule&& on_rule) noexcept {
    if (segment.group != kNone) {
      const Group& group = image_.at(h_.rule_groups, segment.group);
      if (group.kind == Group::kFirst) {
        FirstSink sink;
        matcher_.Match(group, &sink);
        if (sink.first() != kNone) Apply(sink.first(), on_rule);
        return;
      }
    }
    if constexpr (kList) {
      for (const std::uint32_t g : {segment.group, segment.order_only}) {
        if (g == kNone) continue;
        const Group& group = image_.at(h_.rule_groups, g);
        const std::uint32_t* rules = image_.begin(h_.block_rules) + group.rules_begin;
        BitmapSink sink(first, rules - std::ptrdiff_t{kLanes} * group.block_begin, bitmap);
        matcher_.Match(group, &sink);
      }
    } else {
      if (segment.counts == 0) return;
      const std::int64_t sum = Sum(segment.group);
      score_ += sum + Sum(segment.order_only);
      preemption_score_ += sum;
    }
  }

  std::int64_t Sum(std::uint32_t group) const noexcept {
    if (group == kNone) return 0;
    const Group& sums = image_.at(h_.rule_groups, group);
    SumSink sink(image_.begin(h_.row_points) + sums.points_begin);
    matcher_.Match(sums, &sink);
    return sink.sum();
  }

  template <typename OnRule>
  void RunBits(const Segment& segment, std::uint32_t first, const RuleBitmap& bitmap,
               OnRule&& on_rule) noexcept {
    std::uint32_t i = next_ < segment.first ? segment.first : next_;
    while (i < segment.end) {
      i = first + bitmap.Next(i - first);
      if (i >= segment.end) return;
      Apply(i, on_rule);
      i = next_;
    }
  }

  template <typename OnRule>
  PRECEDENT_HOT void Apply(std::uint32_t index, OnRule&& on_rule) noexcept {
    const Rule& rule = image_.at(h_.rules, index);
    on_rule(index);
    next_ = rule.next;
    std::int64_t value = rule.value;
    if ((rule.flags & Rule::kAddScaled) != 0) {
      const Scaled& scaled = image_.at(h_.scaled, static_cast<std::uint32_t>(rule.value));
      value = scaled.slot == kNone ? clock_.WaitAmount(scaled)
                                   : ScaledAmount(scaled, matcher_.scaled()[scaled.slot]);
    }
    const std::int64_t before = preemption_score_;
    score_ = Change(rule.flags, score_, value);
    preemption_score_ = Change(rule.flags, preemption_score_, value);
    if ((rule.flags & Rule::kOrderOnly) != 0) preemption_score_ = before;
    if ((rule.flags & Rule::kOutcome) != 0)
      SetOutcome(image_, image_.at(h_.outcomes, image_.OutcomeOf(index)), &class_, &decision_);
  }

  // Which of them it is differs from rule to rule: all are done, without branches.
  static std::int64_t Change(std::uint32_t flags, std::int64_t score,
                             std::int64_t value) noexcept {
    const auto when = [&](std::uint32_t flag) {
      return std::int64_t{0} - std::int64_t{(flags & flag) != 0};
    };
    const std::int64_t add = when(Rule::kAdd), low = when(Rule::kNotBelow),
                       high = when(Rule::kNotAbove);
    score += value & add;
    const std::int64_t least = (value & low) | (std::numeric_limits<std::int64_t>::min() & ~low);
    const std::int64_t most = (value & high) | (std::numeric_limits<std::int64_t>::max() & ~high);
    score = score < least ? least : score;
    return score > most ? most : score;
  }

  const Image image_;
  const Header& h_;
  const std::uint32_t flags_;
  Clock clock_;
  const Matcher matcher_;
  Decision& decision_;
  std::uint32_t next_ = 0;  // first rule that may still apply
  // At most 2^20 rules change them by an int32 each: no overflow.
  std::int64_t score_ = 0;
  std::int64_t preemption_score_ = 0;
  std::uint32_t class_ = kNone;  // forced by a rule
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_RUN_H_
