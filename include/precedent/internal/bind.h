// Binding: from a JobDescriptor to the classes, bits and values that the rules of one
// image ask for.
//
// Nothing here branches on a job's values where it can be avoided: a mispredicted
// branch costs more than comparing with all literals.
#ifndef PRECEDENT_INTERNAL_BIND_H_
#define PRECEDENT_INTERNAL_BIND_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/built_in.h"
#include "precedent/internal/claims.h"
#include "precedent/internal/direct.h"
#include "precedent/internal/image.h"
#include "precedent/internal/inlining.h"
#include "precedent/internal/invalid.h"
#include "precedent/internal/number.h"
#include "precedent/internal/text_key.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// Sets those of a bound job's `bits` that are of a list of patterns on text source
// `source` with a regular expression that matches the whole of `text`, and clears those
// of lists that have nothing else. Given by the compiler for policies that need it; null
// otherwise.
struct PatternMatcher {
  void (*match)(const void* context, std::uint32_t source, std::string_view text,
                std::uint64_t* bits) noexcept;
  const void* context;
};

class Binder {
 public:
  Binder(Image image, const PatternMatcher* matcher, std::byte* storage) noexcept
      : image_(image), h_(image.header()), matcher_(matcher), out_(h_, storage) {}

  void Bind(const JobDescriptor& job) noexcept {
    // Judged on what was given: a claim that is ignored can still be nonsense.
    const bool odd = HasOddNumber(job);
    const std::uint32_t invalid = Invalid(job, odd) ? BoundHeader::kInvalid : 0;
    if ((job.claimed & h_.require_verified) != 0) {
      JobDescriptor verified = job;
      const std::uint32_t ignored = DropClaims(job.claimed & h_.require_verified, &verified);
      BindVerified(verified, ignored | invalid, odd);
    } else {
      BindVerified(job, invalid, odd);
    }
  }

 private:
  void BindVerified(const JobDescriptor& job, std::uint32_t flags, bool odd) noexcept {
    out_.header->flags =
        flags | (BoundHeader::kPreemptible & Ones(job.preemptible));
    if (h_.time_dependent != 0)
      *out_.time = SubmittedAt(job);
    if (h_.direct != 0 && !odd) {
      out_.header->cell = BindDirect(image_, job, out_.amounts);
    } else if (HasTable(h_)) {
      std::uint32_t classes[kMaxTableColumns];
      static_assert(sizeof classes % 8 == 0);
      std::uint64_t bits = 0;
      double scaled[kMaxTerms];
      classes_ = classes, bits_ = &bits, scaled_ = scaled;
      Clear(classes, sizeof *classes * h_.column_count);
      BindValues(job);
      FinishTable();
    } else {
      classes_ = out_.classes, bits_ = out_.bits, scaled_ = out_.scaled;
      // Bits and classes all zero: every attribute is absent. They end a bound job.
      Clear(bits_, sizeof *bits_ * h_.bit_word_count + sizeof *classes_ * h_.column_count);
      BindValues(job);
      FinishWords();
    }
  }

  // Makes `size` bytes, and those up to the next multiple of 8, zero.
  static void Clear(void* begin, std::size_t size) noexcept {
    std::uint64_t zero = 0;
#if defined(__GNUC__)
    asm("" : "+r"(zero));  // or compilers call for a string instruction
#endif
    for (std::size_t i = 0; i < size; i += sizeof zero)
      std::memcpy(static_cast<std::byte*>(begin) + i, &zero, sizeof zero);
  }

  void BindValues(const JobDescriptor& job) noexcept {
    if (h_.preemptible_column != kNone) classes_[h_.preemptible_column] = job.preemptible;
    if (h_.retry_of_preempted_column != kNone)
      classes_[h_.retry_of_preempted_column] = job.lineage.retry_of_preempted;

    const TextSource* texts = image_.begin(h_.text_sources);
    for (std::uint32_t i = 0; i < h_.label_source_begin; ++i) {
      const std::string_view text = BuiltInText(job, texts[i].attribute);
      BindText(texts[i], text, !text.empty());
    }
    if (h_.text_sources.count > h_.label_source_begin) BindLabels(job.labels);

    const NumberSource* numbers = image_.begin(h_.number_sources);
    for (std::uint32_t i = 0; i < h_.metric_source_begin; ++i)
      BindNumber(numbers[i], BuiltInNumber(job, numbers[i].number));
    if (h_.number_sources.count > h_.metric_source_begin) BindMetrics(job.metrics);
  }

  void BindLabels(Span<const Label> labels) noexcept {
    const TextSource* texts = image_.begin(h_.text_sources);
    // From the last to the first, so that of duplicate keys the first wins.
    for (std::size_t i = labels.size(); i-- > 0;) {
      if ((h_.label_key_filter & KeyFilterBit(labels[i].key)) == 0) continue;
      const std::uint32_t source = Find(kLabelKeys, labels[i].key);
      if (source != kNone) BindText(texts[source], labels[i].value, true);
    }
  }

  void BindMetrics(Span<const Metric> metrics) noexcept {
    const NumberSource* numbers = image_.begin(h_.number_sources);
    for (std::uint32_t i = h_.metric_source_begin; i < h_.number_sources.count; ++i)
      BindNumber(numbers[i], kAbsent);
    for (std::size_t i = metrics.size(); i-- > 0;) {
      const std::uint32_t source = Find(kMetricNames, metrics[i].name);
      if (source != kNone) BindNumber(numbers[source], metrics[i].value);
    }
  }

  // Class of a text in a dictionary; kNone if it is not there.
  PRECEDENT_HOT std::uint32_t Find(std::uint32_t dictionary, std::string_view text) const noexcept {
    const TextKey key = MakeTextKey(text);
    const std::uint64_t hash = HashKey(key, dictionary);
    const std::uint32_t seed = image_.begin(h_.text_seeds)[hash >> h_.text_seed_shift];
    const TextSlot& slot = image_.begin(h_.text_slots)[SlotOf(hash, seed, h_.text_slots.count)];
    const std::uint64_t differs = (slot.low ^ key.low) | (slot.high ^ key.high) |
                                  (slot.size ^ key.size) | (slot.dictionary ^ dictionary);
    std::uint32_t found = slot.klass;
    if (text.size() > kShortText && differs == 0 &&
        std::memcmp(image_.base() + slot.offset, text.data(), text.size()) != 0)
      found = kNone;
    return found | Ones(differs != 0);
  }

  PRECEDENT_HOT void BindText(const TextSource& source, std::string_view text, bool present) noexcept {
    std::uint32_t klass = 1;
    if (source.literal_count != kNone) {
      const TextKey key = ShortKey(text);
      const Literal* literal = image_.begin(h_.literals) + source.literal_begin;
      for (std::uint32_t i = 0; i < source.literal_count; ++i) {
        const std::uint64_t differs = (literal[i].low ^ key.low) | (literal[i].high ^ key.high) |
                                      (literal[i].size ^ key.size);
        klass += (literal[i].klass - 1) & Ones(differs == 0);
      }
    } else {
      const std::uint32_t found = Find(source.exact_column, text);
      const std::uint32_t unknown = Ones(found == kNone);
      klass = (found & ~unknown) | (unknown & 1);
    }
    klass &= Ones(present);
    classes_[source.exact_column] = klass;
    signature_ |= SignatureBit(source.exact_column, klass) & source.signature &
                  Ones(klass > 1);
    if (source.more != 0) BindMore(source, text, present);
  }

  PRECEDENT_COLD void BindMore(const TextSource& source, std::string_view text, bool present) noexcept {
    if (source.prefixes.column != kNone)
      classes_[source.prefixes.column] = present ? LongestAffix<false>(source.prefixes, text) : 0;
    if (source.suffixes.column != kNone)
      classes_[source.suffixes.column] = present ? LongestAffix<true>(source.suffixes, text) : 0;
    for (std::uint32_t i = 0; i < source.group_count; ++i)
      BindGroup(image_.at(h_.groups, source.group_begin + i), text, present);
    if (matcher_ != nullptr && present)
      matcher_->match(matcher_->context,
                      static_cast<std::uint32_t>(&source - image_.begin(h_.text_sources)), text,
                      bits_);
  }

  void BindGroup(const PatternGroup& group, std::string_view text, bool present) noexcept {
    bool found = false;
    for (std::uint32_t i = 0; present && i < group.contains_count && !found; ++i) {
      const Text& part = image_.at(h_.substrings, group.contains_begin + i);
      found = text.find(image_.text(part)) != std::string_view::npos;
    }
    const std::uint64_t bit = std::uint64_t{1} << (group.bit % 64);
    std::uint64_t& word = bits_[group.bit / 64];
    word = found ? word | bit : word & ~bit;
  }

  template <bool kSuffix>
  std::uint32_t LongestAffix(const AffixList& list, std::string_view text) const noexcept {
    if (list.length_count == 0) return SearchAffix<kSuffix>(list, text);
    const std::uint32_t* lengths = image_.begin(h_.affix_lengths) + list.length_begin;
    for (std::uint32_t i = 0; i < list.length_count; ++i) {
      const std::uint32_t n = lengths[i];
      if (n > text.size()) continue;
      const std::uint32_t found =
          Find(list.column, text.substr(kSuffix ? text.size() - n : 0, n));
      if (found != kNone) return found;
    }
    return 1;
  }

  // The last listed affix that does not sort after `text` is, if any listed affix
  // of `text` exists, that affix itself or an extension of it: so its chain of
  // parents holds the answer.
  template <bool kSuffix>
  std::uint32_t SearchAffix(const AffixList& list, std::string_view text) const noexcept {
    const Affix* affixes = image_.begin(h_.affixes) + list.begin;
    std::uint32_t low = 0, high = list.count;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (NotAfter<kSuffix>(image_.text(affixes[middle].text), text)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return 1;
    std::uint32_t klass = low + 1;  // class of affixes[low - 1]
    while (klass > 1 && !HasAffix<kSuffix>(text, image_.text(affixes[klass - 2].text)))
      klass = affixes[klass - 2].parent;
    return klass;
  }

  template <bool kSuffix>
  static bool HasAffix(std::string_view text, std::string_view affix) noexcept {
    if (affix.size() > text.size()) return false;
    const std::size_t from = kSuffix ? text.size() - affix.size() : 0;
    return text.compare(from, affix.size(), affix) == 0;
  }

  // a <= b in the order of bytes, from the end for suffixes.
  template <bool kSuffix>
  static bool NotAfter(std::string_view a, std::string_view b) noexcept {
    if constexpr (!kSuffix) return a <= b;
    std::size_t i = a.size(), j = b.size();
    while (i > 0 && j > 0) {
      const auto x = static_cast<unsigned char>(a[--i]);
      const auto y = static_cast<unsigned char>(b[--j]);
      if (x != y) return x < y;
    }
    return i == 0;
  }

  void BindNumber(const NumberSource& source, double value) noexcept {
    if (source.scaled_slot != kNone) scaled_[source.scaled_slot] = value;
    if (source.column == kNone) return;
    classes_[source.column] =
        Rank(image_.begin(h_.cuts) + source.cut_begin, source.cut_count, value);
  }

  void FinishTable() noexcept {
    std::uint32_t cell = 0;
    const Dimension* dimension = image_.begin(h_.dimensions);
    for (std::uint32_t i = 0; i < h_.dimensions.count; ++i, ++dimension) {
      const std::uint32_t klass = dimension->is_bit != 0
                                      ? static_cast<std::uint32_t>(*bits_ >> dimension->column & 1)
                                      : classes_[dimension->column];
      cell += klass * dimension->stride;
    }
    out_.header->cell = cell;
    const Term* terms = image_.begin(h_.terms);
    for (std::uint32_t t = 0; t < h_.wait_term_begin; ++t) {
      const Scaled& scaled = image_.at(h_.scaled, terms[t].scaled);
      out_.amounts[t] = ScaledAmount(scaled, scaled_[scaled.slot]);
    }
  }

  void FinishWords() noexcept {
    std::uint32_t hot = 1u << kAlwaysHot;
    const HotColumn* columns = image_.begin(h_.hot_columns);
    for (std::uint32_t i = 0; i < h_.hot_columns.count; ++i)
      hot |= 1u << (columns[i].shift + classes_[columns[i].column]);
    out_.header->words.hot = static_cast<std::uint16_t>(hot);
    out_.header->words.signature = static_cast<std::uint16_t>(signature_);
  }

  const Image image_;
  const Header& h_;
  const PatternMatcher* const matcher_;
  const BoundParts<std::byte> out_;
  // Where the values go: into the bound job, or on the stack before they are a cell.
  std::uint32_t* classes_ = nullptr;
  std::uint64_t* bits_ = nullptr;
  double* scaled_ = nullptr;
  std::uint32_t signature_ = 0;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_BIND_H_
