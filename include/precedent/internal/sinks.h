// What is done with the clauses that hold; see match.h.
#ifndef PRECEDENT_INTERNAL_SINKS_H_
#define PRECEDENT_INTERNAL_SINKS_H_

#include <cstdint>

#include "precedent/internal/lanes.h"
#include "precedent/internal/match.h"
#include "precedent/internal/rule_bitmap.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// The sum of the points of a kSum group. The compiler sees to it that no sum leaves
// 32 bits.
class SumSink {
 public:
  static constexpr bool kHasHead = false;
  // `points`: of the entries of the group's rows.
  explicit SumSink(const std::int32_t* points) noexcept : points_(points) {}

  bool Done(const Block&) const noexcept { return false; }
  bool DoneAt(std::uint32_t) const noexcept { return false; }

  void Hits(const Block& block, std::uint32_t, Lanes hits, const Matcher& matcher) noexcept {
    AddWhere(hits, block.payload, &lanes_);
    const std::uint32_t rest = Mask(hits) & block.residual_lanes;
    if (rest != 0) sum_ += matcher.ResidualPoints(block, rest);
  }
  void Hits(const RowWord& word, const RowEntry*, std::uint32_t i, std::uint64_t hits) noexcept {
    sum_ += word.base;
    const std::int32_t* points = points_ + std::size_t{64} * i;
    std::uint64_t rest = (hits ^ word.inverted) & word.present;
    if (word.dense != 0) {
      for (std::uint32_t byte = 0; byte < 8; ++byte, rest >>= 8)
        AddWhere(LanesOf(static_cast<std::uint32_t>(rest & 0xff)), points + kLanes * byte, &lanes_);
      return;
    }
    for (; rest != 0; rest &= rest - 1) sum_ += points[LowestBit(rest)];
  }

  std::int64_t sum() const noexcept { return sum_ + Total(lanes_); }

 private:
  const std::int32_t* const points_;
  Sums lanes_;
  std::int64_t sum_ = 0;
};

// The first rule of a kFirst group. Its buckets and words are in policy order.
class FirstSink {
 public:
  static constexpr bool kHasHead = true;
  bool Done(const Block& block) const noexcept {
    return static_cast<std::uint32_t>(block.payload[0]) >= first_;
  }
  bool DoneAt(std::uint32_t rule) const noexcept { return rule >= first_; }
  bool Decided() const noexcept { return first_ != kNone; }

  void Hits(const Block& block, std::uint32_t, Lanes hits, const Matcher& matcher) noexcept {
    for (std::uint32_t rest = Mask(hits); rest != 0; rest &= rest - 1) {
      const std::uint32_t lane = LowestBit(rest);
      const auto rule = static_cast<std::uint32_t>(block.payload[lane]);
      if (rule >= first_) return;
      if ((block.residual_lanes >> lane & 1) != 0 && !matcher.LaneHolds(block, lane)) continue;
      first_ = rule;
      return;
    }
  }
  void Hits(const RowWord&, const RowEntry* entries, std::uint32_t, std::uint64_t hits) noexcept {
    if (hits == 0) return;
    const std::uint32_t rule = entries[LowestBit(hits)].rule;
    first_ = rule < first_ ? rule : first_;
  }

  std::uint32_t first() const noexcept { return first_; }  // kNone: no rule

 private:
  std::uint32_t first_ = kNone;
};

// The rules of one window as a bitmap.
class BitmapSink {
 public:
  static constexpr bool kHasHead = false;
  // `rules`: of the blocks of a kSum group, whose payload is points; null for others.
  BitmapSink(std::uint32_t window, const std::uint32_t* rules, RuleBitmap* bitmap) noexcept
      : window_(window), rules_(rules), bitmap_(*bitmap) {}

  bool Done(const Block&) const noexcept { return false; }
  bool DoneAt(std::uint32_t) const noexcept { return false; }

  void Hits(const Block& block, std::uint32_t index, Lanes hits,
            const Matcher& matcher) noexcept {
    for (std::uint32_t rest = Mask(hits); rest != 0; rest &= rest - 1) {
      const std::uint32_t lane = LowestBit(rest);
      if ((block.residual_lanes >> lane & 1) != 0 && !matcher.LaneHolds(block, lane)) continue;
      Insert(rules_ != nullptr ? rules_[std::size_t{kLanes} * index + lane]
                               : static_cast<std::uint32_t>(block.payload[lane]));
    }
  }
  void Hits(const RowWord&, const RowEntry* entries, std::uint32_t, std::uint64_t hits) noexcept {
    for (std::uint64_t rest = hits; rest != 0; rest &= rest - 1)
      Insert(entries[LowestBit(rest)].rule);
  }

 private:
  void Insert(std::uint32_t rule) noexcept {
    // A sum can reach beyond the window.
    if (rule - window_ < kWindow) bitmap_.Insert(rule - window_);
  }

  const std::uint32_t window_;  // its first rule
  const std::uint32_t* const rules_;
  RuleBitmap& bitmap_;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_SINKS_H_
