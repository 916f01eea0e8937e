// Validation of what binds a job: after it, every class that a binder writes is below
// the number of classes that its column has.
#ifndef PRECEDENT_INTERNAL_VALIDATE_BINDING_H_
#define PRECEDENT_INTERNAL_VALIDATE_BINDING_H_

#include <cstdint>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/range_check.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

class BindingCheck : private RangeCheck {
 public:
  using RangeCheck::RangeCheck;

  bool Holds() const noexcept {
    return Shape() && Texts() && Numbers() && AllAreWritten() && All(h_.hot_columns, [&](const HotColumn& c) {
             return IsColumn(c.column) && c.shift < 16 &&
                    std::uint64_t{c.shift} + ClassesOf(c.column) <= kAlwaysHot;
           });
  }

 private:
  bool Shape() const noexcept {
    // Counts that are not lengths of sections: bounded before BoundSize adds them.
    if (h_.column_count >= kMaxBoundSize || h_.bit_word_count >= kMaxBoundSize ||
        h_.scaled_slot_count >= kMaxBoundSize || h_.term_count > kMaxTerms ||
        h_.wait_term_begin > h_.term_count || BoundSize(h_) > kMaxBoundSize)
      return false;
    if (HasTable(h_) && (h_.column_count > kMaxTableColumns || h_.bit_word_count > 1 ||
                         h_.scaled_slot_count > kMaxTerms))
      return false;
    if (h_.column_classes.count != h_.column_count) return false;
    for (const std::uint32_t column : {h_.preemptible_column, h_.retry_of_preempted_column})
      if (column != kNone && !IsColumn(column, 2)) return false;
    return h_.regex_count == 0 && h_.label_source_begin <= h_.text_sources.count &&
           h_.metric_source_begin <= h_.number_sources.count;
  }

  static bool IsTable(std::uint32_t count, std::uint32_t shift) noexcept {
    return shift > 32 && shift < 64 && count == std::uint64_t{1} << (64 - shift);
  }

  bool Texts() const noexcept {
    if (h_.text_slots.count == 0 || !IsTable(h_.text_seeds.count, h_.text_seed_shift))
      return false;
    return All(h_.text_slots, [&](const TextSlot& s) { return Slot(s); }) &&
           All(h_.text_sources, [&](const TextSource& s) { return Source(s); }) &&
           All(h_.groups,
               [&](const PatternGroup& g) {
                 return g.bit / 64 < h_.bit_word_count &&
                        In(h_.substrings, g.contains_begin, g.contains_count);
               }) &&
           All(h_.substrings, [&](const Text& text) { return Fits(text); });
  }

  bool Slot(const TextSlot& slot) const noexcept {
    if (slot.size > kShortText && !Fits(Text{slot.offset, slot.size})) return false;
    switch (slot.dictionary) {
      case kNone: return true;
      // Only labels and metrics are found by their keys.
      case kLabelKeys: return slot.klass < h_.text_sources.count;
      case kMetricNames: return slot.klass < h_.number_sources.count;
      default: return IsColumn(slot.dictionary, std::uint64_t{slot.klass} + 1);
    }
  }

  bool Source(const TextSource& s) const noexcept {
    const bool is_label = &s - image_.begin(h_.text_sources) >= h_.label_source_begin;
    if (!IsColumn(s.exact_column, 2) || (!is_label && (s.attribute < 1 || s.attribute > 10)) ||
        !List(s.prefixes) || !List(s.suffixes) || !In(h_.groups, s.group_begin, s.group_count))
      return false;
    if (s.literal_count == kNone) return true;
    if (!In(h_.literals, s.literal_begin, s.literal_count)) return false;
    if (s.literal_count > kFewLiterals) return false;
    const Literal* literals = image_.begin(h_.literals) + s.literal_begin;
    for (std::uint32_t i = 0; i < s.literal_count; ++i) {
      if (literals[i].klass < 1 || literals[i].klass >= ClassesOf(s.exact_column)) return false;
      // The classes of equal ones would be added up.
      for (std::uint32_t j = 0; j < i; ++j)
        if (literals[i].low == literals[j].low && literals[i].high == literals[j].high &&
            literals[i].size == literals[j].size)
          return false;
    }
    return true;
  }

  bool List(const AffixList& list) const noexcept {
    if (list.column == kNone) return true;
    return IsColumn(list.column, std::uint64_t{list.count} + 2) &&
           Affixes(list.begin, list.count) &&
           In(h_.affix_lengths, list.length_begin, list.length_count);
  }

  // Some source writes each column and each slot.
  bool AllAreWritten() const noexcept {
    std::uint64_t columns[kMaxBoundSize / 64] = {}, slots[kMaxBoundSize / 64] = {};
    const auto mark = [](std::uint32_t i, std::uint64_t* set) {
      if (i != kNone) set[i / 64] |= std::uint64_t{1} << (i % 64);
    };
    mark(h_.preemptible_column, columns);
    mark(h_.retry_of_preempted_column, columns);
    for (std::uint32_t i = 0; i < h_.text_sources.count; ++i) {
      const TextSource& s = image_.at(h_.text_sources, i);
      mark(s.exact_column, columns);
      if (s.more == 0) continue;
      mark(s.prefixes.column, columns);
      mark(s.suffixes.column, columns);
    }
    for (std::uint32_t i = 0; i < h_.number_sources.count; ++i) {
      mark(image_.at(h_.number_sources, i).column, columns);
      mark(image_.at(h_.number_sources, i).scaled_slot, slots);
    }
    const auto full = [](const std::uint64_t* set, std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i)
        if ((set[i / 64] >> (i % 64) & 1) == 0) return false;
      return true;
    };
    return full(columns, h_.column_count) && full(slots, h_.scaled_slot_count);
  }

  // Without it a number could have a class that its column has not.
  static bool IsPadded(const std::int64_t* padding) noexcept {
    for (std::uint32_t i = 0; i < kCutPadding; ++i)
      if (padding[i] != INT64_MAX) return false;
    return true;
  }

  bool Numbers() const noexcept {
    const NumberSource* sources = image_.begin(h_.number_sources);
    for (std::uint32_t i = 0; i < h_.number_sources.count; ++i) {
      const NumberSource& s = sources[i];
      if (i < h_.metric_source_begin && s.number >= static_cast<std::uint32_t>(Number::kCount))
        return false;
      if (!In(h_.cuts, s.cut_begin, std::uint64_t{s.cut_count} + kCutPadding) ||
          !IsPadded(image_.begin(h_.cuts) + s.cut_begin + s.cut_count) ||
          (s.column != kNone && !IsColumn(s.column, std::uint64_t{s.cut_count} + 2)) ||
          (s.scaled_slot != kNone && s.scaled_slot >= h_.scaled_slot_count))
        return false;
    }
    return true;
  }
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_VALIDATE_BINDING_H_
