// The part of an image that turns a job into classes.
//
// A job's value of one attribute becomes a *class*, a small integer in a *column*:
//   texts, exact      0 absent, 1 none of the literals, 2.. the literal
//   texts, prefixes   0 absent, 1 no prefix, 2.. the longest listed prefix, numbered
//                     in sorted order, so that "begins with P" is one interval
//   texts, suffixes   the same on reversed texts
//   numbers           0 absent, 1 below the first cut, 1 + number of cuts not above it
//   booleans          0 false, 1 true
// Lists of substrings and regular expressions become one *bit* for each list.
#ifndef PRECEDENT_INTERNAL_LAYOUT_BINDING_H_
#define PRECEDENT_INTERNAL_LAYOUT_BINDING_H_

#include <cstdint>

#include "precedent/internal/abi.h"
#include "precedent/internal/layout_basic.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// A text as three words: up to 16 bytes they are the text, see text_key.h.
struct TextKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t size = 0;
};

// A slot of the perfect hash table from (dictionary, text) to class. A dictionary is
// a column, or one of those below. Empty slots have dictionary kNone.
struct TextSlot {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t size = 0;
  std::uint32_t dictionary = kNone;
  std::uint32_t klass = 0;
  std::uint32_t offset = 0;  // of the text's bytes, where they are more than 16
};

// Dictionaries of keys have their own numbers above all columns.
inline constexpr std::uint32_t kLabelKeys = 0xfffffff0u;
inline constexpr std::uint32_t kMetricNames = 0xfffffff1u;

// One literal of a text that has few: compared one by one, without a table.
struct Literal {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t size = 0;  // 1 to 16
  std::uint32_t klass = 0;
};
inline constexpr std::uint32_t kFewLiterals = 4;

// A prefix or suffix (suffixes are compared from the end).
struct Affix {
  Text text;
  std::uint32_t parent = 0;  // class of the longest listed proper affix of it; 1: none
};

// The prefixes, or the suffixes, of one text.
struct AffixList {
  std::uint32_t column = kNone;
  std::uint32_t begin = 0;  // in Header::affixes, sorted
  std::uint32_t count = 0;
  // Their different lengths, descending, in Header::affix_lengths: each is looked up
  // in the table of texts. 0 of them: too many, search the sorted list.
  std::uint32_t length_begin = 0;
  std::uint32_t length_count = 0;
};

// The substrings of an any-of list of patterns on one text; its truth is bit `bit` of a
// bound job. Regular expressions are the pattern matcher's, see bind.h.
struct PatternGroup {
  std::uint32_t bit = 0;
  std::uint32_t contains_begin = 0;  // in Header::substrings
  std::uint32_t contains_count = 0;
};

// One text that the policy looks at: a built-in one or a label.
struct TextSource {
  std::uint32_t attribute = 0;     // 1 to 10 as in precedent::Attribute; kLabel for a label
  std::uint32_t exact_column = 0;  // its dictionary has the same number
  // Where there are few, the literals in Header::literals; else the table has them.
  std::uint32_t literal_begin = 0;
  std::uint32_t literal_count = kNone;  // kNone: in the table
  // All ones: the literal sets a bit of the job's signature, see bound_job.h.
  std::uint32_t signature = 0;
  // 1: any of the following is not empty, or the source has regular expressions.
  std::uint32_t more = 0;
  AffixList prefixes;
  AffixList suffixes;
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
  // In Header::cuts: NumberKeys, ascending; kCutPadding of INT64_MAX follow.
  std::uint32_t cut_begin = 0;
  std::uint32_t cut_count = 0;
  std::uint32_t scaled_slot = kNone;  // where a bound job keeps the value itself
};
inline constexpr std::uint32_t kMetric = 0xffu;

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_LAYOUT_BINDING_H_
