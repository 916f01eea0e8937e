// Binding: from a JobDescriptor to the classes, bits and values that the clauses of
// one image ask for.
//
// A bound job is BoundHeader, then double scaled[scaled_slot_count], then uint64
// bits[bit_word_count], then uint32 classes[column_count], padded to 8 bytes. All
// zero means: every attribute absent.
#ifndef PRECEDENT_INTERNAL_BIND_H_
#define PRECEDENT_INTERNAL_BIND_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "precedent/internal/claims.h"
#include "precedent/internal/hash.h"
#include "precedent/internal/image.h"
#include "precedent/internal/number.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// Answers whether regular expression `pattern` of the policy matches the whole of
// `text`. Given by the compiler for policies that need it; null otherwise.
struct PatternMatcher {
  bool (*matches)(const void* context, std::uint32_t pattern, std::string_view text) noexcept;
  const void* context;
};

struct BoundHeader {
  std::int64_t submitted;  // microseconds since 1970; kAbsentTime
  std::uint32_t ignored_claims;
  std::uint16_t invalid;
  std::uint16_t preemptible;
};
inline constexpr std::int64_t kAbsentTime = INT64_MIN;

inline std::size_t BoundSize(const Header& h) noexcept {
  return sizeof(BoundHeader) + std::size_t{8} * h.scaled_slot_count +
         std::size_t{8} * h.bit_word_count + (std::size_t{4} * h.column_count + 7) / 8 * 8;
}

// The parts of a bound job.
template <typename Byte>
struct BoundParts {
  template <typename T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  BoundParts(const Header& h, Byte* data) noexcept
      : header(reinterpret_cast<Like<BoundHeader>*>(data)),
        scaled(reinterpret_cast<Like<double>*>(data + sizeof(BoundHeader))),
        bits(reinterpret_cast<Like<std::uint64_t>*>(scaled + h.scaled_slot_count)),
        classes(reinterpret_cast<Like<std::uint32_t>*>(bits + h.bit_word_count)) {}

  Like<BoundHeader>* header;
  Like<double>* scaled;
  Like<std::uint64_t>* bits;
  Like<std::uint32_t>* classes;
};

// The value of a built-in number.
inline double BuiltInNumber(const JobDescriptor& job, Number number) noexcept {
  switch (number) {
    case Number::kGpuCount: return job.gpu_count;
    case Number::kPodCount: return job.pod_count;
    case Number::kDatasetBytes: return job.dataset_bytes;
    case Number::kMaxRuntimeSeconds: return job.max_runtime_seconds;
    case Number::kCheckpointIntervalSeconds: return job.checkpoint_interval_seconds;
    case Number::kFailureCount: return static_cast<double>(job.lineage.failure_count);
    case Number::kPreemptionCount: return static_cast<double>(job.lineage.preemption_count);
    case Number::kInfrastructureFailureCount:
      return static_cast<double>(job.lineage.infrastructure_failure_count);
    case Number::kAttempt: return static_cast<double>(job.lineage.attempt);
    case Number::kDepth: return static_cast<double>(job.lineage.depth);
    case Number::kStep: return static_cast<double>(job.lineage.step);
    case Number::kPredecessorRuntimeSeconds: return job.lineage.predecessor_runtime_seconds;
    case Number::kProgress: return job.lineage.progress;
    case Number::kReportedPriority: return job.lineage.reported_priority;
    case Number::kCount: break;
  }
  return kAbsent;
}

class Binder {
 public:
  Binder(Image image, const PatternMatcher* matcher, std::byte* storage) noexcept
      : image_(image), h_(image.header()), matcher_(matcher), out_(h_, storage) {
    std::memset(storage, 0, BoundSize(h_));
    for (std::uint32_t i = 0; i < h_.scaled_slot_count; ++i) out_.scaled[i] = kAbsent;
  }

  void Bind(const JobDescriptor& job) noexcept {
    if ((job.claimed & h_.require_verified) != 0) {
      JobDescriptor verified = job;
      const std::uint32_t ignored = DropClaims(job.claimed & h_.require_verified, &verified);
      BindVerified(verified);
      out_.header->ignored_claims = ignored;
    } else {
      BindVerified(job);
    }
    // Judged on what was given: a claim that is ignored can still be nonsense.
    out_.header->invalid = Invalid(job);
  }

 private:
  static bool Invalid(const JobDescriptor& job) noexcept {
    const Lineage& l = job.lineage;
    unsigned bad = BadCount(job.gpu_count) | BadCount(job.pod_count) | BadCount(job.dataset_bytes) |
               BadCount(job.max_runtime_seconds) | BadCount(job.checkpoint_interval_seconds) |
               BadCount(l.predecessor_runtime_seconds) | BadCount(l.progress) |
               Infinite(l.reported_priority) |
               ((l.failure_count | l.preemption_count | l.infrastructure_failure_count |
                 l.attempt | l.depth | l.step) < 0 ? 1u : 0u);
    for (const Metric& metric : job.metrics) bad |= Infinite(metric.value);
    return bad != 0;
  }
  // 1 or 0, so that they can be joined without branches.
  static unsigned Infinite(double number) noexcept {
    return (BitsOf(number) & 0x7fffffffffffffffu) == 0x7ff0000000000000u ? 1u : 0u;
  }
  // Infinite, or negative and not NaN.
  static unsigned BadCount(double number) noexcept {
    const std::uint64_t bits = BitsOf(number);
    const unsigned negative = bits - 0x8000000000000001u < 0x7ff0000000000000u ? 1u : 0u;
    return negative | Infinite(number);
  }

  void BindVerified(const JobDescriptor& job) noexcept {
    out_.header->submitted =
        job.submitted == kNoTime ? kAbsentTime : job.submitted.time_since_epoch().count();
    out_.header->preemptible = job.preemptible;
    if (h_.preemptible_column != kNone) out_.classes[h_.preemptible_column] = job.preemptible;
    if (h_.retry_of_preempted_column != kNone)
      out_.classes[h_.retry_of_preempted_column] = job.lineage.retry_of_preempted;

    const TextSource* texts = image_.begin(h_.text_sources);
    for (std::uint32_t i = 0; i < h_.label_source_begin; ++i) {
      const std::string_view text = BuiltInText(job, texts[i].attribute);
      if (!text.empty()) BindText(texts[i], text);
    }
    if (h_.text_sources.count > h_.label_source_begin) {
      // From the last to the first, so that of duplicate keys the first wins.
      for (std::size_t i = job.labels.size(); i-- > 0;) {
        const std::uint32_t source = Find(kLabelKeys, job.labels[i].key);
        if (source != kNone) BindText(texts[source], job.labels[i].value);
      }
    }

    const NumberSource* numbers = image_.begin(h_.number_sources);
    for (std::uint32_t i = 0; i < h_.metric_source_begin; ++i)
      BindNumber(numbers[i], BuiltInNumber(job, static_cast<Number>(numbers[i].number)));
    if (h_.number_sources.count > h_.metric_source_begin) {
      for (std::size_t i = job.metrics.size(); i-- > 0;) {
        const std::uint32_t source = Find(kMetricNames, job.metrics[i].name);
        if (source != kNone) BindNumber(numbers[source], job.metrics[i].value);
      }
    }
  }

  static std::string_view BuiltInText(const JobDescriptor& job, std::uint32_t attribute) noexcept {
    switch (static_cast<Attribute>(attribute)) {
      case Attribute::kTeam: return job.team;
      case Attribute::kWorkloadType: return job.workload_type;
      case Attribute::kEnvironment: return job.environment;
      case Attribute::kNamespace: return job.namespace_name;
      case Attribute::kQueue: return job.queue;
      case Attribute::kUser: return job.user;
      case Attribute::kImage: return job.image;
      case Attribute::kAccelerator: return job.accelerator;
      case Attribute::kRequestedClass: return job.requested_class;
      case Attribute::kKind: return job.kind;
      default: return {};
    }
  }

  // Class of a text in a dictionary; kNone if it is not there.
  std::uint32_t Find(std::uint32_t dictionary, std::string_view text) const noexcept {
    const TextSlot* slots = image_.begin(h_.text_slots);
    std::uint64_t i = HashBytes(text.data(), text.size(), dictionary);
    for (std::uint32_t probe = 0; probe < h_.text_max_probes; ++probe, ++i) {
      const TextSlot& slot = slots[i & h_.text_slot_mask];
      if (slot.dictionary == kNone) return kNone;
      if (slot.dictionary == dictionary && image_.text(slot.text) == text) return slot.klass;
    }
    return kNone;
  }

  void BindText(const TextSource& source, std::string_view text) noexcept {
    const std::uint32_t klass = Find(source.exact_column, text);
    out_.classes[source.exact_column] = klass == kNone ? 1 : klass;
    if (source.prefix_column != kNone)
      out_.classes[source.prefix_column] =
          LongestAffix<false>(source.prefix_begin, source.prefix_count, text);
    if (source.suffix_column != kNone)
      out_.classes[source.suffix_column] =
          LongestAffix<true>(source.suffix_begin, source.suffix_count, text);
    for (std::uint32_t i = 0; i < source.group_count; ++i)
      BindGroup(image_.at(h_.groups, source.group_begin + i), text);
  }

  void BindGroup(const PatternGroup& group, std::string_view text) noexcept {
    bool found = false;
    for (std::uint32_t i = 0; i < group.contains_count && !found; ++i) {
      const Text& part = image_.at(h_.substrings, group.contains_begin + i);
      found = text.find(image_.text(part)) != std::string_view::npos;
    }
    for (std::uint32_t i = 0; i < group.regex_count && !found; ++i)
      found = matcher_->matches(matcher_->context, group.regex_begin + i, text);
    const std::uint64_t bit = std::uint64_t{1} << (group.bit % 64);
    std::uint64_t& word = out_.bits[group.bit / 64];
    word = found ? word | bit : word & ~bit;
  }

  // The last listed affix that does not sort after `text` is, if any listed affix
  // of `text` exists, that affix itself or an extension of it: so its chain of
  // parents holds the answer.
  template <bool kSuffix>
  std::uint32_t LongestAffix(std::uint32_t begin, std::uint32_t count,
                             std::string_view text) const noexcept {
    const Affix* affixes = image_.begin(h_.affixes) + begin;
    std::uint32_t low = 0, high = count;
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
    const bool absent = IsAbsent(value);
    if (source.scaled_slot != kNone) out_.scaled[source.scaled_slot] = value;
    if (source.column == kNone) return;
    const std::int64_t* cuts = image_.begin(h_.cuts) + source.cut_begin;
    const std::int64_t key = NumberKey(value);
    std::uint32_t low = 0;
    // Halving without branches on the data: `low` cuts are known not to be above.
    for (std::uint32_t n = source.cut_count; n > 0;) {
      const std::uint32_t half = n / 2;
      const bool up = cuts[low + half] <= key;
      low += up ? half + 1 : 0;
      n = up ? n - half - 1 : half;
    }
    out_.classes[source.column] = absent ? 0 : low + 1;
  }

  const Image image_;
  const Header& h_;
  const PatternMatcher* const matcher_;
  const BoundParts<std::byte> out_;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_BIND_H_
