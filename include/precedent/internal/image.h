// The layout of a compiled policy: one block of memory without pointers.
//
// The block is a Header followed by arrays ("sections") of the plain structs below.
// Every reference is an index into a section or a byte offset from the start of the
// block, so that a block can be mapped, copied or compiled in as a constant. It is
// written by src/policy/image_writer.cc, checked once by validate.h, and then read
// without further checks: bind.h turns a job into small integers; a policy of few
// combinations of them has a table, see table.h; for any other match.h finds the rules
// and run.h applies them.
#ifndef PRECEDENT_INTERNAL_IMAGE_H_
#define PRECEDENT_INTERNAL_IMAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "precedent/internal/abi.h"
#include "precedent/internal/layout_basic.h"
#include "precedent/internal/layout_binding.h"
#include "precedent/internal/layout_matching.h"
#include "precedent/internal/layout_rules.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr char kMagic[8] = {'P', 'R', 'E', 'C', 'E', 'D', 'N', 'T'};
inline constexpr std::uint32_t kFormat = 3;
// Reads differently on a machine of the other byte order.
inline constexpr std::uint32_t kByteOrder = 0x01020304;

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

  // Shape of a bound job, see bound_job.h.
  std::uint32_t column_count = 0;
  std::uint32_t bit_word_count = 0;
  std::uint32_t scaled_slot_count = 0;
  std::uint32_t preemptible_column = kNone;
  std::uint32_t retry_of_preempted_column = kNone;
  std::uint32_t regex_count = 0;           // 0: lock-free
  std::uint32_t label_source_begin = 0;    // text_sources from here on are labels
  std::uint32_t metric_source_begin = 0;   // number_sources from here on are metrics
  std::uint32_t text_seed_shift = 0;       // 64 - log2 of the number of text_seeds
  std::uint32_t reserved0 = 0;             // no hole: equal policies have equal blocks
  std::uint64_t label_key_filter = 0;      // bit of each label key, see text_key.h
  // Table of a tiny policy; 0 cells: it has none.
  std::uint32_t term_count = 0;
  std::uint32_t wait_term_begin = 0;       // terms from here on are of the wait
  std::uint32_t direct = 0;                // 1: the table needs no classes, see direct.h
  std::uint32_t preemptible_stride = 0;    // of a direct table
  std::uint32_t retry_of_preempted_stride = 0;
  std::uint32_t direct_base = 0;
  // Of lineage_rules.h: no evaluation looks at these.
  std::uint32_t propagation_from = 0;
  std::int32_t decay_per_hop = 0;
  std::int32_t max_hops = 0;
  std::int32_t min_change = 0;
  std::int32_t min_interval_seconds = 0;
  std::int32_t max_changes_per_hour = 0;

  Section<std::uint32_t> column_classes;   // by column
  Section<TextSlot> text_slots;
  Section<std::uint32_t> text_seeds;       // a power of two of them
  Section<TextSource> text_sources;
  Section<Literal> literals;
  Section<Affix> affixes;
  Section<std::uint32_t> affix_lengths;
  Section<PatternGroup> groups;
  Section<Text> substrings;
  Section<NumberSource> number_sources;
  Section<std::int64_t> cuts;

  Section<HotColumn> hot_columns;
  Section<Window> windows;
  Section<Segment> segments;
  Section<Group> rule_groups;
  Section<Index> indexes;
  Section<Bucket> buckets;
  Section<Block> blocks;
  Section<BlockResidual> block_residuals;
  Section<std::uint32_t> block_rules;  // of sum groups, by lane
  Section<RowColumn> row_columns;
  Section<std::uint32_t> row_tables;
  Section<std::uint64_t> rows;
  Section<RowWord> row_words;
  Section<RowEntry> row_entries;  // 64 for each of row_words
  Section<std::int32_t> row_points;
  Section<Residual> residuals;
  Section<Constraint> constraints;
  Section<Interval> intervals;
  Section<TimeCondition> times;
  Section<Transition> transitions;

  Section<Dimension> dimensions;
  Section<Term> terms;
  Section<DirectText> direct_texts;
  Section<DirectCuts> direct_cuts;
  Section<Cell> cells;
  Section<CellRules> cell_rules;           // by cell
  Section<std::uint32_t> cell_rule_lists;

  Section<Rule> rules;
  Section<std::uint32_t> rule_ids;         // offsets of their texts, each up to the next
  Section<std::uint32_t> stage_ends;       // by stage: one after its last rule
  Section<Scaled> scaled;
  Section<Step> steps;
  Section<Outcome> outcomes;               // those of rules first, ascending
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
  // Number of the outcome of a rule. REQUIRES: the rule has Rule::kOutcome.
  std::uint32_t OutcomeOf(std::uint32_t rule) const noexcept {
    const Outcome* outcomes = begin(header().outcomes);
    const Outcome* end = outcomes + header().outcomes.count;
    return static_cast<std::uint32_t>(
        std::lower_bound(outcomes, end, rule,
                         [](const Outcome& o, std::uint32_t r) { return o.rule < r; }) -
        outcomes);
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
