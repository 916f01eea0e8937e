// Validation of what matches rules.
#ifndef PRECEDENT_INTERNAL_VALIDATE_MATCHING_H_
#define PRECEDENT_INTERNAL_VALIDATE_MATCHING_H_

#include <cstdint>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/range_check.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

class MatchingCheck : private RangeCheck {
 public:
  using RangeCheck::RangeCheck;

  bool Holds() const noexcept {
    return Conditions() && All(h_.rule_groups, [&](const Group& g) { return IsGroup(g); }) &&
           // The first one sorts a queue, whether or not a group has it.
           All(h_.indexes, [&](const Index& i) { return IsColumn(i.column); }) &&
           All(h_.block_residuals,
               [&](const BlockResidual& r) { return r.residual < h_.residuals.count; }) &&
           All(h_.block_rules, [&](std::uint32_t r) { return r < h_.rules.count || r == kNone; }) &&
           Order() && (h_.cells.count == 0 ? h_.term_count == 0 : Table());
  }

 private:
  bool Conditions() const noexcept {
    return All(h_.constraints,
               [&](const Constraint& c) {
                 if (c.kind == ConstraintKind::kBit) return c.column / 64 < h_.bit_word_count;
                 return c.kind < ConstraintKind::kBit && IsColumn(c.column) &&
                        (c.kind != ConstraintKind::kRanges || In(h_.intervals, c.a, c.b));
               }) &&
           All(h_.residuals, [&](const Residual& r) {
             return In(h_.constraints, r.constraint_begin, r.constraint_count) &&
                    OptionalIn(h_.times, r.time) &&
                    (r.scaled_wait == kNone ||
                     (r.scaled_wait < h_.scaled.count && h_.time_dependent != 0));
           });
  }

  bool IsGroup(const Group& g) const noexcept {
    if (g.kind > Group::kFirst || !Blocks(g, g.head_begin, g.head_end) ||
        !In(h_.indexes, g.index_begin, g.index_count) ||
        !In(h_.row_columns, g.row_column_begin, g.row_column_count) ||
        g.row_column_count > kMaxRowColumns || !In(h_.row_words, g.word_begin, g.word_count) ||
        std::uint64_t{64} * h_.row_words.count != h_.row_entries.count)
      return false;
    if (g.kind == Group::kSum &&
        !In(h_.row_points, g.points_begin, std::uint64_t{64} * g.word_count))
      return false;
    for (std::uint32_t i = 0; i < g.index_count; ++i)
      if (!IsIndex(g, image_.at(h_.indexes, g.index_begin + i))) return false;
    for (std::uint32_t i = 0; i < g.row_column_count; ++i)
      if (!IsRowColumn(g, image_.at(h_.row_columns, g.row_column_begin + i))) return false;
    const RowEntry* entries = image_.begin(h_.row_entries) + std::uint64_t{64} * g.word_begin;
    for (std::uint64_t i = 0; i < std::uint64_t{64} * g.word_count; ++i)
      if (entries[i].rule >= h_.rules.count || entries[i].residual >= h_.residuals.count)
        return false;
    return true;
  }

  bool IsIndex(const Group& g, const Index& index) const noexcept {
    if (!IsColumn(index.column)) return false;
    const std::uint32_t classes = ClassesOf(index.column);
    if (!In(h_.buckets, index.bucket_begin, classes)) return false;
    if (index.affix_begin != kNone &&
        (classes < 2 || !Affixes(index.affix_begin, classes - 2)))
      return false;
    const Bucket* buckets = image_.begin(h_.buckets) + index.bucket_begin;
    // A block is shared by at most as many buckets as it has lanes: that bounds the work.
    std::uint64_t rest = std::uint64_t{kLanes} * h_.blocks.count;
    for (std::uint32_t klass = 0; klass < classes; ++klass) {
      const Bucket& bucket = buckets[klass];
      if (bucket.begin > bucket.end || bucket.end - bucket.begin > rest ||
          !Blocks(g, bucket.begin, bucket.end))
        return false;
      rest -= bucket.end - bucket.begin;
    }
    return true;
  }

  bool Blocks(const Group& g, std::uint32_t begin, std::uint32_t end) const noexcept {
    if (begin > end || end > h_.blocks.count) return false;
    for (std::uint32_t i = begin; i < end; ++i)
      if (!IsBlock(g, i)) return false;
    return true;
  }
  bool IsBlock(const Group& g, std::uint32_t i) const noexcept {
    const Block& b = image_.at(h_.blocks, i);
    for (const std::uint16_t column : b.column)
      if (!IsColumn(column)) return false;
    std::uint32_t residuals = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) residuals += b.residual_lanes >> lane & 1;
    if (b.residual_lanes >> kLanes != 0 || !In(h_.block_residuals, b.residual_begin, residuals))
      return false;
    if (g.kind == Group::kSum)
      return i >= g.block_begin &&
             In(h_.block_rules,
                g.rules_begin + std::uint64_t{kLanes} * (i - g.block_begin), kLanes);
    // Lanes that nothing can satisfy have no rule.
    for (const std::int32_t rule : b.payload)
      if (static_cast<std::uint32_t>(rule) >= h_.rules.count) return false;
    return true;
  }

  bool IsRowColumn(const Group& g, const RowColumn& c) const noexcept {
    if (!IsColumn(c.column)) return false;
    const std::uint32_t classes = ClassesOf(c.column);
    if (g.word_count == 1) return In(h_.rows, c.table, classes) && c.certain == kNone;
    const std::uint64_t words = (std::uint64_t{g.word_count} + 7) / 8 * 8;
    return RowTable(c.table, classes, words) &&
           (c.certain == kNone || RowTable(c.certain, classes, words));
  }
  bool RowTable(std::uint32_t table, std::uint32_t classes, std::uint64_t words) const noexcept {
    if (!In(h_.row_tables, table, classes)) return false;
    for (std::uint32_t k = 0; k < classes; ++k)
      if (!In(h_.rows, image_.at(h_.row_tables, std::uint64_t{table} + k), words)) return false;
    return true;
  }

  bool Order() const noexcept {
    const std::uint64_t windows = (std::uint64_t{h_.rules.count} + kWindow - 1) / kWindow;
    if (HasTable(h_)) return true;  // never looked at
    if (h_.windows.count != windows) return false;
    for (std::uint32_t w = 0; w < windows; ++w) {
      const Window& window = image_.at(h_.windows, w);
      if (!OptionalIn(h_.rule_groups, window.group) ||
          !In(h_.segments, window.segment_begin, window.segment_count))
        return false;
      for (std::uint32_t i = 0; i < window.segment_count; ++i)
        if (!IsSegment(image_.at(h_.segments, window.segment_begin + i), w * kWindow,
                       window.group != kNone))
          return false;
    }
    return true;
  }

  bool IsSegment(const Segment& s, std::uint32_t first, bool has_group) const noexcept {
    if (s.first < first || s.first > s.end || s.end > h_.rules.count ||
        s.end - first > kWindow || (s.ordered != 0 && !has_group))
      return false;
    return OptionalIn(h_.rule_groups, s.group) && OptionalIn(h_.rule_groups, s.order_only) &&
           (s.group == kNone || image_.at(h_.rule_groups, s.group).kind != Group::kOrdered) &&
           (s.order_only == kNone ||
            image_.at(h_.rule_groups, s.order_only).kind == Group::kSum);
  }

  // What one of several values adds: that of any of them, or nothing.
  struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;
    void Include(std::int64_t added) noexcept {
      if (added < least) least = added;
      if (added > most) most = added;
    }
  };

  // Every number that a job's cell can have is one of a cell.
  bool Direct() const noexcept {
    std::int64_t least = h_.direct_base, most = least;
    most += std::int64_t{h_.preemptible_stride} + h_.retry_of_preempted_stride;
    for (std::uint32_t i = 0, size; i < h_.direct_texts.count; i += size) {
      Range range;
      size = DirectRun(i, &range);
      if (size == 0) return false;
      least += range.least, most += range.most;
    }
    std::int64_t sum = 0, last_cut = 0;
    Range range;
    for (std::uint32_t i = 0; i < h_.direct_cuts.count; ++i) {
      const DirectCuts& cuts = image_.at(h_.direct_cuts, i);
      if (cuts.number >= static_cast<std::uint32_t>(Number::kCount)) return false;
      if (i == 0 || cuts.number != image_.at(h_.direct_cuts, i - 1).number) {
        least += range.least, most += range.most;
        range = Range(), sum = last_cut = 0;
      }
      // A number that reaches a cut reaches all before it.
      for (const int k : {0, 1}) {
        if (cuts.cuts[k] < last_cut) return false;
        last_cut = cuts.cuts[k];
        sum += std::int64_t{static_cast<std::int32_t>(cuts.added[2 * k])} +
               static_cast<std::int32_t>(cuts.added[2 * k + 1]);
        range.Include(sum);
      }
    }
    for (std::uint32_t t = 0; t < h_.wait_term_begin; ++t)
      if (image_.at(h_.terms, t).number >= static_cast<std::uint32_t>(Number::kCount))
        return false;
    return least + range.least >= 0 && most + range.most < std::int64_t{h_.cells.count};
  }

  // How many from `begin` on are of one text, and in `*range` what they add together; 0
  // where that is not sure.
  std::uint32_t DirectRun(std::uint32_t begin, Range* range) const noexcept {
    constexpr std::uint32_t kMost = (kFewLiterals + 1 + 3) / 4;
    const DirectText* texts = image_.begin(h_.direct_texts) + begin;
    if (texts[0].attribute < 1 || texts[0].attribute > 10) return 0;
    std::uint32_t size = 0;
    for (; begin + size < h_.direct_texts.count && texts[size].attribute == texts[0].attribute;
         ++size) {
      if (size == kMost) return 0;
      for (std::uint32_t lane = 0; lane < 4; ++lane) {
        range->Include(static_cast<std::int32_t>(texts[size].added[lane]));
        // What equal ones add would be added up.
        for (std::uint32_t before = 0; before < 4 * size + lane; ++before)
          if (SameLiteral(texts[size], lane, texts[before / 4], before % 4)) return 0;
      }
    }
    return size;
  }
  static bool SameLiteral(const DirectText& a, std::uint32_t i, const DirectText& b,
                          std::uint32_t j) noexcept {
    bool same = a.added[i] != 0 && b.added[j] != 0 && a.sizes[i] == b.sizes[j];
    for (int k = 0; k < 4; ++k) same = same && a.words[k][i] == b.words[k][j];
    return same;
  }

  bool Table() const noexcept {
    if (h_.cells.count != h_.cell_rules.count || h_.terms.count != h_.term_count) return false;
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < h_.dimensions.count; ++i) {
      const Dimension& d = image_.at(h_.dimensions, i);
      if (d.is_bit != 0 ? d.column >= 64 || h_.bit_word_count == 0 : !IsColumn(d.column))
        return false;
      const std::uint64_t classes = d.is_bit != 0 ? 2 : ClassesOf(d.column);
      last += (classes - 1) * d.stride;
      if (classes == 0 || last >= h_.cells.count) return false;
    }
    for (std::uint32_t t = 0; t < h_.term_count; ++t) {
      const std::uint32_t scaled = image_.at(h_.terms, t).scaled;
      if (scaled >= h_.scaled.count ||
          (t < h_.wait_term_begin) != (image_.at(h_.scaled, scaled).slot != kNone))
        return false;
    }
    if (h_.term_count != h_.wait_term_begin && h_.time_dependent == 0) return false;
    if (h_.direct != 0 && !Direct()) return false;
    return All(h_.cells, [&](const Cell& c) { return OptionalIn(h_.outcomes, c.outcome); }) &&
           All(h_.cell_rules,
               [&](const CellRules& c) { return In(h_.cell_rule_lists, c.begin, c.count); }) &&
           All(h_.cell_rule_lists, [&](std::uint32_t rule) { return rule < h_.rules.count; });
  }
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_VALIDATE_MATCHING_H_
