// Validation of an image: after it, no evaluation can read or write outside the
// block or the bound job, loop for ever, or overflow, whatever the bytes are.
#ifndef PRECEDENT_INTERNAL_VALIDATE_H_
#define PRECEDENT_INTERNAL_VALIDATE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "precedent/internal/bind.h"
#include "precedent/internal/hash.h"
#include "precedent/internal/image.h"

namespace precedent {
inline namespace PRECEDENT_ABI {

// What is wrong with an image.
enum class ImageError : std::uint8_t {
  kNone,
  kTruncated,    // shorter than it says
  kMisaligned,   // does not begin at a multiple of 8 bytes
  kNotAnImage,   // wrong magic: not written by `precedent compile`
  kWrongFormat,  // written for another release or another kind of machine: compile it again
  kWrongSum,     // damaged
  kCorrupt,      // the sum is right and an offset or index is not
};

}  // namespace PRECEDENT_ABI

namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr std::size_t kChecksumFrom = offsetof(Header, checksum) + sizeof(std::uint64_t);

inline std::uint64_t Checksum(const std::byte* base, std::size_t size) noexcept {
  return HashBytes(base + kChecksumFrom, size - kChecksumFrom, kFormat);
}

class Validator {
 public:
  explicit Validator(Image image) noexcept : image_(image), h_(image.header()) {}

  static ImageError Validate(const std::byte* base, std::size_t size) noexcept {
    if (size < sizeof(kMagic) || std::memcmp(base, kMagic, sizeof kMagic) != 0)
      return ImageError::kNotAnImage;
    if (size < sizeof(Header)) return ImageError::kTruncated;
    if (reinterpret_cast<std::uintptr_t>(base) % 8 != 0) return ImageError::kMisaligned;
    const Image image(base);
    const Header& h = image.header();
    if (h.byte_order != kByteOrder || h.format != kFormat) return ImageError::kWrongFormat;
    if (h.size > size) return ImageError::kTruncated;
    if (h.size < sizeof(Header) || h.size % 8 != 0 || h.size > UINT32_MAX)
      return ImageError::kCorrupt;
    if (Checksum(base, h.size) != h.checksum) return ImageError::kWrongSum;
    return Validator(image).AllInRange() ? ImageError::kNone : ImageError::kCorrupt;
  }

 private:
  bool AllInRange() const noexcept { return SectionsFit() && Binding() && Clauses() && Rules(); }

  template <typename T>
  bool Fits(const Section<T>& s) const noexcept {
    return s.offset % alignof(T) == 0 && s.offset >= sizeof(Header) &&
           std::uint64_t{s.offset} + std::uint64_t{s.count} * sizeof(T) <= h_.size;
  }
  bool Fits(const Text& text) const noexcept {
    return std::uint64_t{text.offset} + text.size <= h_.size;
  }
  // [begin, begin + count) lies in a section.
  template <typename T>
  static bool In(const Section<T>& s, std::uint64_t begin, std::uint64_t count) noexcept {
    return begin + count <= s.count;
  }
  template <typename T>
  static bool OptionalIn(const Section<T>& s, std::uint32_t i) noexcept {
    return i == kNone || i < s.count;
  }
  bool IsColumn(std::uint32_t column) const noexcept { return column < h_.column_count; }
  bool IsOptionalColumn(std::uint32_t column) const noexcept {
    return column == kNone || IsColumn(column);
  }

  bool SectionsFit() const noexcept {
    return Fits(h_.text_slots) && Fits(h_.text_sources) && Fits(h_.affixes) && Fits(h_.groups) &&
           Fits(h_.substrings) && Fits(h_.number_sources) && Fits(h_.cuts) && Fits(h_.indexes) &&
           Fits(h_.bounds) && Fits(h_.clauses) && Fits(h_.constraints) && Fits(h_.intervals) &&
           Fits(h_.times) && Fits(h_.transitions) && Fits(h_.rules) && Fits(h_.rule_names) &&
           Fits(h_.scaled) && Fits(h_.outcomes) && Fits(h_.annotations) && Fits(h_.classes) &&
           Fits(h_.name) && Fits(h_.fingerprint);
  }

  bool Binding() const noexcept {
    // Counts that are not lengths of sections: bounded before BoundSize adds them.
    if (h_.column_count > kMaxBoundSize || h_.bit_word_count > kMaxBoundSize ||
        h_.scaled_slot_count > kMaxBoundSize || BoundSize(h_) > kMaxBoundSize)
      return false;
    if (!IsOptionalColumn(h_.preemptible_column) || !IsOptionalColumn(h_.retry_of_preempted_column))
      return false;
    if (h_.regex_count != 0 || h_.label_source_begin > h_.text_sources.count ||
        h_.metric_source_begin > h_.number_sources.count)
      return false;
    const std::uint64_t slots = h_.text_slots.count;
    if (slots == 0 || (slots & (slots - 1)) != 0 || h_.text_slot_mask != slots - 1 ||
        h_.text_max_probes > slots)
      return false;
    for (std::uint32_t i = 0; i < slots; ++i) {
      const TextSlot& slot = image_.at(h_.text_slots, i);
      if (slot.dictionary == kNone) continue;
      if (!Fits(slot.text)) return false;
      if (slot.dictionary == kLabelKeys && slot.klass >= h_.text_sources.count) return false;
      if (slot.dictionary == kMetricNames && slot.klass >= h_.number_sources.count) return false;
    }
    for (std::uint32_t i = 0; i < h_.text_sources.count; ++i) {
      const TextSource& s = image_.at(h_.text_sources, i);
      if (!IsColumn(s.exact_column) || !IsOptionalColumn(s.prefix_column) ||
          !IsOptionalColumn(s.suffix_column) || !Affixes(s.prefix_begin, s.prefix_count) ||
          !Affixes(s.suffix_begin, s.suffix_count) || !In(h_.groups, s.group_begin, s.group_count))
        return false;
    }
    for (std::uint32_t i = 0; i < h_.groups.count; ++i) {
      const PatternGroup& g = image_.at(h_.groups, i);
      if (g.bit / 64 >= h_.bit_word_count || g.regex_count != 0 ||
          !In(h_.substrings, g.contains_begin, g.contains_count))
        return false;
    }
    for (std::uint32_t i = 0; i < h_.substrings.count; ++i)
      if (!Fits(image_.at(h_.substrings, i))) return false;
    for (std::uint32_t i = 0; i < h_.number_sources.count; ++i) {
      const NumberSource& s = image_.at(h_.number_sources, i);
      if (!IsOptionalColumn(s.column) || !In(h_.cuts, s.cut_begin, s.cut_count) ||
          (s.scaled_slot != kNone && s.scaled_slot >= h_.scaled_slot_count))
        return false;
    }
    return true;
  }

  // Parents come before their extensions, so that every chain of them ends.
  bool Affixes(std::uint32_t begin, std::uint32_t count) const noexcept {
    if (!In(h_.affixes, begin, count)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Affix& affix = image_.at(h_.affixes, begin + i);
      if (!Fits(affix.text) || affix.parent < 1 || affix.parent >= i + 2) return false;
    }
    return true;
  }

  bool Clauses() const noexcept {
    for (std::uint32_t i = 0; i < h_.indexes.count; ++i) {
      const Index& index = image_.at(h_.indexes, i);
      if (!IsColumn(index.column) ||
          !In(h_.bounds, index.bounds_begin, std::uint64_t{index.class_count} + 1))
        return false;
      if (index.affix_begin != kNone &&
          (index.class_count < 2 || !Affixes(index.affix_begin, index.class_count - 2)))
        return false;
      const std::uint32_t* bounds = image_.begin(h_.bounds) + index.bounds_begin;
      for (std::uint32_t klass = 0; klass < index.class_count; ++klass)
        if (!Bucket(bounds[klass], bounds[klass + 1])) return false;
    }
    if (!Bucket(h_.unindexed_begin, h_.clauses.count)) return false;
    for (std::uint32_t i = 0; i < h_.clauses.count; ++i) {
      const Clause& c = image_.at(h_.clauses, i);
      if (c.rule >= h_.rules.count || !OptionalIn(h_.times, c.time) ||
          !In(h_.constraints, c.constraint_begin, c.constraint_count))
        return false;
      if (c.scaled_wait != 0 && image_.at(h_.rules, c.rule).effect != Effect::kAddScaled)
        return false;
    }
    for (std::uint32_t i = 0; i < h_.constraints.count; ++i) {
      const Constraint& c = image_.at(h_.constraints, i);
      const bool is_bit = c.kind == ConstraintKind::kBit;
      if (c.kind > ConstraintKind::kBit ||
          !(is_bit ? c.column / 64 < h_.bit_word_count : IsColumn(c.column)) ||
          (c.kind == ConstraintKind::kRanges && !In(h_.intervals, c.a, c.b)))
        return false;
    }
    for (std::uint32_t i = 0; i < h_.transitions.count; ++i) {
      const Transition& t = image_.at(h_.transitions, i);
      if (!IsSecond(t.at) || !IsOffset(t.offset)) return false;
    }
    return IsOffset(h_.initial_offset);
  }
  // Far inside what microseconds in an int64 can tell.
  static bool IsSecond(std::int64_t s) noexcept { return s > -(1ll << 42) && s < (1ll << 42); }
  static bool IsOffset(std::int64_t s) noexcept { return s > -200'000 && s < 200'000; }

  // In range and sorted by rule.
  bool Bucket(std::uint32_t begin, std::uint32_t end) const noexcept {
    if (begin > end || end > h_.clauses.count) return false;
    for (std::uint32_t i = begin; i + 1 < end; ++i)
      if (image_.at(h_.clauses, i).rule > image_.at(h_.clauses, i + 1).rule) return false;
    return true;
  }

  bool Rules() const noexcept {
    if (h_.rules.count > (1u << 20) || h_.rule_names.count != h_.rules.count ||
        h_.bounds_min > h_.bounds_max || !OptionalIn(h_.classes, h_.fallback_class))
      return false;
    for (std::uint32_t i = 0; i < h_.rules.count; ++i) {
      const Rule& r = image_.at(h_.rules, i);
      if (r.effect > Effect::kAtMost || r.next <= i || r.next > h_.rules.count ||
          !OptionalIn(h_.outcomes, r.outcome) ||
          (r.effect == Effect::kAddScaled &&
           static_cast<std::uint32_t>(r.value) >= h_.scaled.count) ||
          !Fits(image_.at(h_.rule_names, i).id))
        return false;
    }
    for (std::uint32_t i = 0; i < h_.scaled.count; ++i) {
      const std::uint32_t slot = image_.at(h_.scaled, i).slot;
      if (slot != kNone && slot >= h_.scaled_slot_count) return false;
    }
    for (std::uint32_t i = 0; i < h_.outcomes.count; ++i) {
      const Outcome& o = image_.at(h_.outcomes, i);
      if (((o.flags & Outcome::kClass) != 0 && o.klass >= h_.classes.count) ||
          !Fits(o.share_identifier) || !Fits(o.warn) || !Fits(o.deny) ||
          !In(h_.annotations, o.annotation_begin, o.annotation_count))
        return false;
    }
    for (std::uint32_t i = 0; i < h_.annotations.count; ++i) {
      const KeyValue& a = image_.at(h_.annotations, i);
      if (!Fits(a.key) || !Fits(a.value)) return false;
    }
    for (std::uint32_t i = 0; i < h_.classes.count; ++i)
      if (!Fits(image_.at(h_.classes, i).name)) return false;
    return true;
  }

  const Image image_;
  const Header& h_;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_VALIDATE_H_
