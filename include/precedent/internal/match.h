// Matching: the clauses of one group that hold for a bound job at a time.
//
// IDEA. A job looks only at the buckets of its own classes, eight clauses at a time
// and without branches, and at the AND of its own rows of a bit matrix. What neither
// can say of a clause, its residual, is looked at where all else holds. What is done
// with a clause that holds is the sink's: add up, keep the first, or mark in a bitmap
// that sorts the rules and counts one with several clauses once.
//
// A sink has
//   bool Done(const Block&)           no block from this one on in its bucket matters
//   bool DoneAt(rule)                 no clause of this rule or a later one matters
//   kHasHead                          true: its groups can have a head, and then it has
//   bool Decided()                    after the head: nothing else matters
//   void Hits(const Block&, block, lanes, matcher)
//   void Hits(const RowWord&, entries, i, hits)      of word i of the group
#ifndef PRECEDENT_INTERNAL_MATCH_H_
#define PRECEDENT_INTERNAL_MATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/clock.h"
#include "precedent/internal/image.h"
#include "precedent/internal/inlining.h"
#include "precedent/internal/lanes.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline std::uint32_t LowestBit(std::uint64_t bits) noexcept {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

class Matcher {
 public:
  // Keeps the job's bytes and the clock.
  Matcher(Image image, const BoundParts<const std::byte>& job, Clock* clock) noexcept
      : image_(image),
        h_(image.header()),
        words_(job.header->words),
        classes_(job.classes),
        clock_(*clock) {}

  template <typename Sink>
  PRECEDENT_HOT void Match(const Group& group, Sink* sink) const noexcept {
    if constexpr (Sink::kHasHead) {
      if (group.head_begin != group.head_end) {
        Scan(group.head_begin, group.head_end, sink);
        // The head has all clauses of the first rules.
        if (sink->Decided()) return;
      }
      MatchBehindHead(group, sink);
    } else {
      MatchRest(group, sink);
    }
  }

  // Whether residual number `i` holds; notes in the clock when its part that depends
  // on the time changes, if all of its other parts hold.
  bool ResidualHolds(std::uint32_t i) const noexcept {
    const Residual& residual = image_.at(h_.residuals, i);
    const Constraint* c = image_.begin(h_.constraints) + residual.constraint_begin;
    for (const Constraint* end = c + residual.constraint_count; c != end; ++c)
      if (!Holds(*c)) return false;
    if (residual.scaled_wait != kNone)
      clock_.NoteScaledWait(image_.at(h_.scaled, residual.scaled_wait));
    return residual.time == kNone || clock_.Holds(image_.at(h_.times, residual.time));
  }

  // Whether the residual of lane `lane`, one of block.residual_lanes, holds. The loops that
  // ask have no registers left for it.
  PRECEDENT_COLD bool LaneHolds(const Block& block, std::uint32_t lane) const noexcept {
    return ResidualHolds(ResidualOf(block, lane).residual);
  }
  // What those of `lanes`, some of block.residual_lanes, add whose residuals hold.
  PRECEDENT_COLD std::int64_t ResidualPoints(const Block& block, std::uint32_t lanes) const noexcept {
    std::int64_t sum = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const BlockResidual& r = ResidualOf(block, LowestBit(lanes));
      if (ResidualHolds(r.residual)) sum += r.points;
    }
    return sum;
  }

  Image image() const noexcept { return image_; }
  // Of the bound job.
  const std::uint64_t* bits() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(classes_) - h_.bit_word_count;
  }
  const double* scaled() const noexcept {
    return reinterpret_cast<const double*>(bits()) - h_.scaled_slot_count;
  }

 private:
  // The residual of lane `lane`, one of block.residual_lanes.
  const BlockResidual& ResidualOf(const Block& block, std::uint32_t lane) const noexcept {
    std::uint32_t i = block.residual_begin;
    for (std::uint32_t below = block.residual_lanes & ((1u << lane) - 1); below != 0;
         below &= below - 1)
      ++i;
    return image_.at(h_.block_residuals, i);
  }

  template <typename Sink>
  PRECEDENT_COLD void MatchBehindHead(const Group& group, Sink* sink) const noexcept {
    MatchRest(group, sink);
  }

  // All but the head.
  template <typename Sink>
  PRECEDENT_HOT void MatchRest(const Group& group, Sink* sink) const noexcept {
    if (group.word_count == 1) {
      MatchOneWord(group, sink);
    } else if (group.word_count > 1) {
      MatchWords(group, sink);
    }
    const Index* index = image_.begin(h_.indexes) + group.index_begin;
    for (const Index* end = index + group.index_count; index != end; ++index) {
      const Bucket* buckets = image_.begin(h_.buckets) + index->bucket_begin;
      std::uint32_t klass = classes_[index->column];
      for (;;) {
        Scan(buckets[klass].begin, buckets[klass].end, sink);
        if (index->affix_begin == kNone || klass <= 1) break;
        klass = image_.at(h_.affixes, index->affix_begin + klass - 2).parent;
      }
    }
  }

  template <typename Sink>
  PRECEDENT_HOT void Scan(std::uint32_t begin, std::uint32_t end, Sink* sink) const noexcept {
    if (begin == end) return;
    const Lanes hot = Splat(words_.hot);
    const Lanes signature = Splat(words_.signature);
    const Block* blocks = image_.begin(h_.blocks);
    for (std::uint32_t i = begin; i != end; ++i) {
      const Block& b = blocks[i];
      if (sink->Done(b)) return;
      static_assert(kLaneColumns == 3);
      const auto excess = [&](std::uint32_t k) {
        return Excess(Minus(Splat(classes_[b.column[k]]), Load(b.low[k])), Load(b.width[k]));
      };
      const Lanes fails = (AndNot(Load(b.hot), hot) | AndNot(signature, Load(b.signature))) |
                          (excess(0) | excess(1) | excess(2));
      sink->Hits(b, i, IsZero(fails), *this);
    }
  }

  template <typename Sink>
  void MatchOneWord(const Group& group, Sink* sink) const noexcept {
    const RowWord& word = image_.at(h_.row_words, group.word_begin);
    const std::uint64_t* rows = image_.begin(h_.rows);
    const RowColumn* column = image_.begin(h_.row_columns) + group.row_column_begin;
    std::uint64_t possible = word.present;
    for (const RowColumn* end = column + group.row_column_count; column != end; ++column)
      possible &= rows[column->table + classes_[column->column]];
    Decide(word, Entries(group, 0), 0, possible, possible & word.plain, sink);
  }

  template <typename Sink>
  void MatchWords(const Group& group, Sink* sink) const noexcept {
    // A job's rows, and among them those of runs of classes again.
    const std::uint64_t* rows[kMaxRowColumns];
    const std::uint64_t* certain[kMaxRowColumns];
    std::uint32_t row_count = 0, certain_count = 0;
    const RowColumn* column = image_.begin(h_.row_columns) + group.row_column_begin;
    const std::uint32_t* tables = image_.begin(h_.row_tables);
    for (const RowColumn* end = column + group.row_column_count; column != end; ++column) {
      const std::uint32_t klass = classes_[column->column];
      rows[row_count++] = image_.begin(h_.rows) + tables[column->table + klass];
      if (column->certain != kNone)
        certain[certain_count++] = image_.begin(h_.rows) + tables[column->certain + klass];
    }
    const RowWord* words = image_.begin(h_.row_words) + group.word_begin;
    constexpr std::uint32_t kChunk = 8;
    for (std::uint32_t begin = 0; begin < group.word_count; begin += kChunk) {
      // A row is padded to whole chunks.
      std::uint64_t possible[kChunk];
      for (std::uint32_t i = 0; i < kChunk; ++i) possible[i] = ~std::uint64_t{0};
      for (std::uint32_t r = 0; r < row_count; ++r)
        for (std::uint32_t i = 0; i < kChunk; ++i) possible[i] &= rows[r][begin + i];
      const std::uint32_t size = std::min(kChunk, group.word_count - begin);
      for (std::uint32_t i = 0; i < size; ++i) {
        const RowWord& word = words[begin + i];
        const std::uint64_t some = possible[i] & word.present;
        std::uint64_t sure = some & word.plain;
        for (std::uint32_t r = 0; r < certain_count; ++r) sure &= certain[r][begin + i];
        if (!Decide(word, Entries(group, begin + i), begin + i, some, sure, sink)) return;
      }
    }
  }

  const RowEntry* Entries(const Group& group, std::uint32_t word) const noexcept {
    return image_.begin(h_.row_entries) + std::size_t{64} * (group.word_begin + word);
  }

  // Hands the clauses of one word to the sink; false if no later word matters.
  template <typename Sink>
  bool Decide(const RowWord& word, const RowEntry* entries, std::uint32_t i,
              std::uint64_t possible, std::uint64_t sure, Sink* sink) const noexcept {
    if (sink->DoneAt(entries[0].rule)) return false;
    for (std::uint64_t rest = possible & ~sure; rest != 0; rest &= rest - 1)
      if (ResidualHolds(entries[LowestBit(rest)].residual)) sure |= rest & (~rest + 1);
    sink->Hits(word, entries, i, sure);
    return true;
  }

  bool Holds(const Constraint& c) const noexcept {
    switch (c.kind) {
      case ConstraintKind::kRange:
        return classes_[c.column] - c.a <= c.b;
      case ConstraintKind::kMask: {
        const std::uint64_t mask = static_cast<std::uint64_t>(c.b) << 32 | c.a;
        return (mask >> (classes_[c.column] & 63) & 1) != 0;
      }
      case ConstraintKind::kRanges: {
        const std::uint32_t klass = classes_[c.column];
        const Interval* begin = image_.begin(h_.intervals) + c.a;
        const Interval* next = std::upper_bound(
            begin, begin + c.b, klass,
            [](std::uint32_t value, const Interval& i) { return value < i.low; });
        return next != begin && klass <= next[-1].high;
      }
      case ConstraintKind::kBit:
        return (bits()[c.column / 64] >> (c.column % 64) & 1) != 0;
    }
    return false;
  }

  const Image image_;
  const Header& h_;
  const BoundHeader::Words words_;
  const std::uint32_t* const classes_;
  Clock& clock_;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_MATCH_H_
