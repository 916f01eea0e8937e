// The sections of an image while they grow.
#ifndef PRECEDENT_SRC_POLICY_IMAGE_PARTS_H_
#define PRECEDENT_SRC_POLICY_IMAGE_PARTS_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "precedent/internal/hash.h"
#include "precedent/internal/image.h"

namespace precedent::internal {

// Texts are laid right after the header, so that their offsets are final at once.
class TextPool {
 public:
  Text Intern(std::string_view text) {
    const auto [found, is_new] =
        interned_.try_emplace(absl::string_view(text.data(), text.size()), Text());
    if (is_new) {
      found->second.offset = static_cast<std::uint32_t>(sizeof(Header) + bytes_.size());
      found->second.size = static_cast<std::uint32_t>(text.size());
      bytes_.append(text.data(), text.size());
    }
    return found->second;
  }
  // One that nothing shares: one after the other they need only their offsets.
  std::uint32_t AppendText(std::string_view text) {
    bytes_.append(text.data(), text.size());
    return End() - static_cast<std::uint32_t>(text.size());
  }
  std::uint32_t End() const { return static_cast<std::uint32_t>(sizeof(Header) + bytes_.size()); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  absl::flat_hash_map<std::string, Text> interned_;
};

template <typename T>
using Rows = std::vector<T>;

template <typename T>
std::uint32_t SizeOf(const Rows<T>& rows) {
  return static_cast<std::uint32_t>(rows.size());
}
// Index of the new row.
template <typename T>
std::uint32_t Append(Rows<T>* rows, const T& row) {
  rows->push_back(row);
  return SizeOf(*rows) - 1;
}

// Runs of rows of which equal ones are kept once.
template <typename T>
class SharedRuns {
 public:
  explicit SharedRuns(Rows<T>* rows) : rows_(*rows) {}
  // Where the run stands.
  std::uint32_t Add(const T* run, std::size_t size) {
    const std::uint64_t hash = HashBytes(run, size * sizeof(T), 0);
    const auto [found, is_new] = places_.emplace(hash, SizeOf(rows_));
    // Of two runs with one hash, which only happens on purpose, the first is shared.
    if (!is_new && found->second + size <= rows_.size() &&
        std::memcmp(&rows_[found->second], run, size * sizeof(T)) == 0)
      return found->second;
    rows_.insert(rows_.end(), run, run + size);
    return SizeOf(rows_) - static_cast<std::uint32_t>(size);
  }

 private:
  Rows<T>& rows_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> places_;
};

// A text and the class that a dictionary gives it.
struct DictionaryEntry {
  std::uint32_t dictionary = 0;
  std::string text;
  std::uint32_t klass = 0;
};

// A regular expression of a list of patterns.
struct PatternUse {
  std::uint32_t source = 0;  // in text_sources
  std::uint32_t bit = 0;     // of the list, in a bound job
  bool alone = false;        // the list has no substrings
  std::string regex;
};

struct ImageParts {
  Header header;
  TextPool texts;
  std::vector<PatternUse> patterns;  // that substrings and affixes cannot say
  std::vector<DictionaryEntry> dictionary;

  Rows<std::uint32_t> column_classes;
  Rows<TextSlot> text_slots;
  Rows<std::uint32_t> text_seeds;
  Rows<TextSource> text_sources;
  Rows<Literal> literals;
  Rows<Affix> affixes;
  Rows<std::uint32_t> affix_lengths;
  Rows<PatternGroup> groups;
  Rows<Text> substrings;
  Rows<NumberSource> number_sources;
  Rows<std::int64_t> cuts;

  Rows<HotColumn> hot_columns;
  Rows<Window> windows;
  Rows<Segment> segments;
  Rows<Group> rule_groups;
  Rows<Index> indexes;
  Rows<Bucket> buckets;
  Rows<Block> blocks;
  Rows<BlockResidual> block_residuals;
  Rows<std::uint32_t> block_rules;
  Rows<RowColumn> row_columns;
  Rows<std::uint32_t> row_tables;
  Rows<std::uint64_t> rows;
  Rows<RowWord> row_words;
  Rows<RowEntry> row_entries;
  Rows<std::int32_t> row_points;
  Rows<Residual> residuals;
  Rows<Constraint> constraints;
  Rows<Interval> intervals;
  Rows<TimeCondition> times;
  Rows<Transition> transitions;

  Rows<Dimension> dimensions;
  Rows<Term> terms;
  Rows<DirectText> direct_texts;
  Rows<DirectCuts> direct_cuts;
  Rows<Cell> cells;
  Rows<CellRules> cell_rules;
  Rows<std::uint32_t> cell_rule_lists;

  Rows<Rule> rules;
  Rows<std::uint32_t> rule_ids;
  Rows<std::uint32_t> stage_ends;
  Rows<Scaled> scaled;
  Rows<Step> steps;
  Rows<Outcome> outcomes;
  Rows<KeyValue> annotations;
  Rows<Class> classes;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_IMAGE_PARTS_H_
