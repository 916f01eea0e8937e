// Validation of an image: after it, no evaluation can read or write outside the
// block or the bound job, loop for ever, or overflow, whatever the bytes are.
#ifndef PRECEDENT_INTERNAL_VALIDATE_H_
#define PRECEDENT_INTERNAL_VALIDATE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "precedent/internal/hash.h"
#include "precedent/internal/image.h"
#include "precedent/internal/range_check.h"
#include "precedent/internal/validate_binding.h"
#include "precedent/internal/validate_matching.h"

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

class Validator : private RangeCheck {
 public:
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
    const Validator validator(image);
    return validator.SectionsFit() && validator.Rules() && BindingCheck(image).Holds() &&
                   MatchingCheck(image).Holds()
               ? ImageError::kNone
               : ImageError::kCorrupt;
  }

 private:
  using RangeCheck::RangeCheck;

  bool SectionsFit() const noexcept {
    return Fits(h_.column_classes) && Fits(h_.text_slots) && Fits(h_.text_seeds) &&
           Fits(h_.text_sources) && Fits(h_.literals) && Fits(h_.affixes) &&
           Fits(h_.affix_lengths) && Fits(h_.groups) && Fits(h_.substrings) &&
           Fits(h_.number_sources) && Fits(h_.cuts) && Fits(h_.hot_columns) && Fits(h_.windows) &&
           Fits(h_.segments) && Fits(h_.rule_groups) && Fits(h_.indexes) && Fits(h_.buckets) &&
           Fits(h_.blocks) && Fits(h_.block_residuals) && Fits(h_.block_rules) &&
           Fits(h_.row_columns) && Fits(h_.row_tables) && Fits(h_.rows) && Fits(h_.row_words) &&
           Fits(h_.row_entries) && Fits(h_.row_points) && Fits(h_.residuals) && Fits(h_.constraints) &&
           Fits(h_.intervals) && Fits(h_.times) && Fits(h_.transitions) && Fits(h_.dimensions) &&
           Fits(h_.terms) && Fits(h_.direct_texts) && Fits(h_.direct_cuts) &&
           Fits(h_.cells) && Fits(h_.cell_rules) && Fits(h_.cell_rule_lists) &&
           Fits(h_.rules) && Fits(h_.rule_ids) && Fits(h_.stage_ends) && Fits(h_.scaled) &&
           Fits(h_.steps) && Fits(h_.outcomes) && Fits(h_.annotations) && Fits(h_.classes) &&
           Fits(h_.name) && Fits(h_.fingerprint);
  }

  // Far inside what microseconds in an int64 can tell.
  static bool IsSecond(std::int64_t s) noexcept { return s > -(1ll << 42) && s < (1ll << 42); }
  static bool IsOffset(std::int64_t s) noexcept { return s > -200'000 && s < 200'000; }

  bool Rules() const noexcept {
    if (h_.rules.count > (1u << 20) || h_.rule_ids.count != h_.rules.count + 1 ||
        h_.bounds_min > h_.bounds_max || !OptionalIn(h_.classes, h_.fallback_class) ||
        !IsOffset(h_.initial_offset) || !LineageRules())
      return false;
    for (std::uint32_t i = 0; i < h_.rules.count; ++i) {
      const Rule& r = image_.at(h_.rules, i);
      if (r.next <= i || r.next > h_.rules.count ||
          ((r.flags & Rule::kOutcome) != 0 && !HasOutcome(i)) ||
          ((r.flags & Rule::kAddScaled) != 0 &&
           static_cast<std::uint32_t>(r.value) >= h_.scaled.count))
        return false;
    }
    const std::uint32_t* ids = image_.begin(h_.rule_ids);
    for (std::uint32_t i = 0; i < h_.rules.count; ++i)
      if (ids[i] > ids[i + 1] || ids[i + 1] > h_.size) return false;
    return All(h_.scaled, [&](const Scaled& s) { return IsScaled(s); }) &&
           All(h_.outcomes,
               [&](const Outcome& o) {
                 return ((o.flags & Outcome::kClass) == 0 || o.klass < h_.classes.count) &&
                        Fits(o.share_identifier) && Fits(o.warn) && Fits(o.deny) &&
                        In(h_.annotations, o.annotation_begin, o.annotation_count);
               }) &&
           All(h_.annotations,
               [&](const KeyValue& a) { return Fits(a.key) && Fits(a.value); }) &&
           All(h_.classes, [&](const Class& c) { return Fits(c.name); }) &&
           All(h_.transitions,
               [&](const Transition& t) { return IsSecond(t.at) && IsOffset(t.offset); });
  }

  bool HasOutcome(std::uint32_t rule) const noexcept {
    const std::uint32_t outcome = image_.OutcomeOf(rule);
    return outcome < h_.outcomes.count && image_.at(h_.outcomes, outcome).rule == rule;
  }

  bool LineageRules() const noexcept {
    return h_.propagation_from <= 1 && h_.decay_per_hop >= 0 && h_.max_hops >= 0 &&
           h_.min_change >= 0 && h_.min_interval_seconds >= 0 && h_.max_changes_per_hour >= 0;
  }

  // Steps begin at a wait of 0, so that every wait is in one.
  bool IsScaled(const Scaled& s) const noexcept {
    return (s.slot == kNone || s.slot < h_.scaled_slot_count) &&
           In(h_.steps, s.step_begin, s.step_count) &&
           (s.step_count == 0 || image_.at(h_.steps, s.step_begin).wait == 0);
  }
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_VALIDATE_H_
