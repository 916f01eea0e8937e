// The layout of a compiled policy: one block of memory without pointers.
//
// The block is a Header followed by arrays ("sections") of the plain structs below.
// Every reference is an index into a section or a byte offset from the start of the
// block, so that a block can be mapped, copied or compiled in as a constant. It is
// written by src/policy/image_writer.cc, checked once by validate.h, and then read
// without further checks by bind.h, match.h and run.h.
#ifndef PRECEDENT_INTERNAL_IMAGE_H_
#define PRECEDENT_INTERNAL_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "precedent/internal/abi.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr char kMagic[8] = {'P', 'R', 'E', 'C', 'E', 'D', 'N', 'T'};
inline constexpr std::uint32_t kFormat = 1;
// Reads differently on a machine of the other byte order.
inline constexpr std::uint32_t kByteOrder = 0x01020304;
// "No such index."
inline constexpr std::uint32_t kNone = 0xffffffffu;

template <typename T>
struct Section {
  std::uint32_t offset = 0;  // bytes from the start of the block
  std::uint32_t count = 0;   // elements
};

struct Text {
  std::uint32_t offset = 0;  // bytes from the start of the block
  std::uint32_t size = 0;    // bytes
};

// ---- Binding: what the rules look at, turned into classes -------------------
//
// A job's value of one attribute becomes a *class*, a small integer in a *column*:
//   texts, exact      0 absent, 1 none of the literals, 2.. the literal
//   texts, prefixes   0 absent, 1 no prefix, 2.. the longest listed prefix, numbered
//                     in sorted order, so that "begins with P" is one interval
//   texts, suffixes   the same on reversed texts
//   numbers           0 absent, 1 below the first cut, 1 + number of cuts not above it
//   booleans          0 false, 1 true
// Lists of substrings and regular expressions become one *bit* for each list.

// A slot of the open-addressed table from (dictionary, text) to class. Empty slots
// have dictionary kNone.
struct TextSlot {
  Text text;
  std::uint32_t dictionary = kNone;
  std::uint32_t klass = 0;
};

// Dictionaries of keys have their own numbers above all columns.
inline constexpr std::uint32_t kLabelKeys = 0xfffffff0u;
inline constexpr std::uint32_t kMetricNames = 0xfffffff1u;

// A prefix or suffix (suffixes are compared from the end).
struct Affix {
  Text text;
  std::uint32_t parent = 0;  // class of the longest listed proper affix of it; 1: none
};

// An any-of list of patterns on one text; its truth is bit `bit` of a bound job.
struct PatternGroup {
  std::uint32_t bit = 0;
  std::uint32_t contains_begin = 0;  // in Header::substrings
  std::uint32_t contains_count = 0;
  std::uint32_t regex_begin = 0;  // numbers given to the pattern matcher
  std::uint32_t regex_count = 0;
};

// One text that the policy looks at: a built-in one or a label.
struct TextSource {
  std::uint32_t attribute = 0;      // 1 to 10 as in precedent::Attribute; kLabel for a label
  std::uint32_t exact_column = 0;   // its dictionary has the same number
  std::uint32_t prefix_column = kNone;
  std::uint32_t prefix_begin = 0;  // in Header::affixes, sorted
  std::uint32_t prefix_count = 0;
  std::uint32_t suffix_column = kNone;
  std::uint32_t suffix_begin = 0;  // in Header::affixes, sorted from the end
  std::uint32_t suffix_count = 0;
  std::uint32_t group_begin = 0;  // in Header::groups
  std::uint32_t group_count = 0;
};
inline constexpr std::uint32_t kLabel = 0xffu;

// Built-in numbers, in the order of JobDescriptor and then Lineage.
enum class Number : std::uint32_t {
  kGpuCount,
  kPodCount,
  kDatasetBytes,
  kMaxRuntimeSeconds,
  kCheckpointIntervalSeconds,
  kFailureCount,
  kPreemptionCount,
  kInfrastructureFailureCount,
  kAttempt,
  kDepth,
  kStep,
  kPredecessorRuntimeSeconds,
  kProgress,
  kReportedPriority,
  kCount,
};

// One number that the policy looks at: a built-in one or a metric.
struct NumberSource {
  std::uint32_t number = 0;  // Number; kMetric for a metric
  std::uint32_t column = kNone;
  std::uint32_t cut_begin = 0;  // in Header::cuts: NumberKeys, ascending
  std::uint32_t cut_count = 0;
  std::uint32_t scaled_slot = kNone;  // where a bound job keeps the value itself
};
inline constexpr std::uint32_t kMetric = 0xffu;

// ---- Clauses: conjunctions of constraints, filed by value -------------------

enum class ConstraintKind : std::uint32_t {
  kRange,   // class - a <= b, unsigned
  kMask,    // bit `class` of the 64-bit mask (b << 32 | a); class < 64
  kRanges,  // class in one of the b sorted intervals from Header::intervals[a]
  kBit,     // pattern bit `column` is set
};

struct Constraint {
  std::uint32_t column = 0;
  ConstraintKind kind = ConstraintKind::kRange;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

struct Interval {
  std::uint32_t low = 0;
  std::uint32_t high = 0;  // inclusive
};

// What of a clause depends on the time. All that the flags name must hold.
struct TimeCondition {
  enum : std::uint32_t {
    kWait = 1,        // wait_low <= wait <= wait_high; an absent wait fails
    kWaitAbsent = 2,  // the wait must be absent
    kHour = 4,        // second_low <= local second of the day <= second_high
    kDay = 8,         // bit (day of week - 1) of days
    kActive = 16,     // from <= now < until
  };
  std::int64_t wait_low = 0;  // microseconds
  std::int64_t wait_high = 0;
  std::int64_t from = 0;  // microseconds since 1970
  std::int64_t until = 0;
  std::uint32_t second_low = 0;
  std::uint32_t second_high = 0;
  std::uint32_t days = 0;
  std::uint32_t flags = 0;
};

// One clause of a rule in one bucket. A rule matches if any of its clauses does; a
// bucket lists its clauses in the order of their rules.
struct Clause {
  std::uint32_t rule = 0;
  std::uint32_t constraint_begin = 0;
  std::uint16_t constraint_count = 0;
  std::uint16_t scaled_wait = 0;   // 1: the rule adds for WAIT_SECONDS
  std::uint32_t time = kNone;      // in Header::times
};

// Clauses that need a certain class in `column` are filed in the buckets of that
// class: clauses[bounds[bucket_begin + class]] up to bounds[bucket_begin + class + 1].
// For a prefix or suffix column also the buckets of all shorter affixes are visited,
// through Affix::parent.
struct Index {
  std::uint32_t column = 0;
  std::uint32_t class_count = 0;
  std::uint32_t bounds_begin = 0;      // class_count + 1 entries in Header::bounds
  std::uint32_t affix_begin = kNone;   // in Header::affixes, of class 2; kNone: exact
};

// ---- Rules: effects, in policy order ---------------------------------------

enum class Effect : std::uint8_t { kNone, kSet, kAdd, kAddScaled, kAtLeast, kAtMost };

struct Rule {
  enum : std::uint8_t { kOrderOnly = 1, kFinal = 2 };
  Effect effect = Effect::kNone;
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;
  std::int32_t value = 0;           // kAddScaled: index in Header::scaled
  std::uint32_t next = 0;           // first rule that may apply after this one
  std::uint32_t outcome = kNone;    // in Header::outcomes
};

struct Scaled {
  double points = 0;
  double per = 1;
  std::int32_t min = 0;
  std::int32_t max = 0;
  std::uint32_t slot = kNone;  // in the bound job; kNone: wait_seconds
  std::uint32_t reserved = 0;
};

struct Outcome {
  enum : std::uint32_t { kClass = 1, kLimit = 2, kShare = 4, kNeverPreempt = 8, kWarn = 16, kDeny = 32 };
  std::uint32_t flags = 0;  // which of the following are set
  std::uint32_t klass = 0;  // in Header::classes
  std::int32_t limit_runtime_seconds = 0;
  std::uint32_t never_preempt_others = 0;
  Text share_identifier;
  Text warn;
  Text deny;
  std::uint32_t annotation_begin = 0;  // in Header::annotations
  std::uint32_t annotation_count = 0;
};

struct RuleName {
  Text id;
  std::uint32_t stage = 0;
  std::uint32_t reserved = 0;
};

struct KeyValue {
  Text key;
  Text value;
};

struct Class {
  Text name;
  std::int32_t at_least = 0;
  std::uint32_t reserved = 0;
};

struct Transition {
  std::int64_t at = 0;      // seconds since 1970, UTC
  std::int64_t offset = 0;  // seconds east of UTC from then on
};

struct Header {
  char magic[8] = {};
  std::uint32_t byte_order = 0;
  std::uint32_t format = 0;
  std::uint64_t size = 0;      // bytes of the whole block, a multiple of 8
  std::uint64_t checksum = 0;  // of all that follows this member

  std::int64_t generation = 0;
  Text name;
  Text fingerprint;
  std::int32_t bounds_min = 0;
  std::int32_t bounds_max = 0;
  std::int32_t fallback_priority = 0;
  std::uint32_t fallback_class = kNone;  // in classes
  std::uint32_t require_verified = 0;    // bits of precedent::Attribute
  std::uint32_t time_dependent = 0;      // 1: valid_until can be other than never
  std::int64_t initial_offset = 0;       // seconds east of UTC before the first transition

  // Shape of a bound job, see bind.h.
  std::uint32_t column_count = 0;
  std::uint32_t bit_word_count = 0;
  std::uint32_t scaled_slot_count = 0;
  std::uint32_t preemptible_column = kNone;
  std::uint32_t retry_of_preempted_column = kNone;
  std::uint32_t regex_count = 0;  // 0: lock-free
  std::uint32_t label_source_begin = 0;    // text_sources from here on are labels
  std::uint32_t metric_source_begin = 0;   // number_sources from here on are metrics
  std::uint32_t text_slot_mask = 0;        // size of text_slots - 1
  std::uint32_t text_max_probes = 0;

  Section<TextSlot> text_slots;  // a power of two of them
  Section<TextSource> text_sources;
  Section<Affix> affixes;
  Section<PatternGroup> groups;
  Section<Text> substrings;
  Section<NumberSource> number_sources;
  Section<std::int64_t> cuts;

  Section<Index> indexes;
  Section<std::uint32_t> bounds;
  Section<Clause> clauses;  // those from unindexed_begin on are in no bucket
  std::uint32_t unindexed_begin = 0;
  std::uint32_t reserved = 0;
  Section<Constraint> constraints;
  Section<Interval> intervals;
  Section<TimeCondition> times;
  Section<Transition> transitions;

  Section<Rule> rules;
  Section<RuleName> rule_names;
  Section<Scaled> scaled;
  Section<Outcome> outcomes;
  Section<KeyValue> annotations;
  Section<Class> classes;  // ascending at_least
};

// Greatest bound job; bounds what Evaluate takes from the stack.
inline constexpr std::size_t kMaxBoundSize = 32 << 10;

// A validated block. Cheap to copy; borrows.
class Image {
 public:
  Image() noexcept = default;
  explicit Image(const std::byte* base) noexcept : base_(base) {}

  const Header& header() const noexcept { return *reinterpret_cast<const Header*>(base_); }
  const std::byte* base() const noexcept { return base_; }

  template <typename T>
  const T* begin(const Section<T>& section) const noexcept {
    return reinterpret_cast<const T*>(base_ + section.offset);
  }
  template <typename T>
  const T& at(const Section<T>& section, std::size_t i) const noexcept {
    return begin(section)[i];
  }
  std::string_view text(const Text& text) const noexcept {
    return {reinterpret_cast<const char*>(base_ + text.offset), text.size};
  }

 private:
  const std::byte* base_ = nullptr;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_IMAGE_H_
