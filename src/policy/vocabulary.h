// Vocabulary: everything that the rules of a policy compare a job with, numbered.
//
// Built in two steps: all constraints are added, then Number() sorts the values and
// assigns columns, classes and bits; then the constraints are asked for as sets of
// classes. See precedent/internal/image.h for what a class is.
#ifndef PRECEDENT_SRC_POLICY_VOCABULARY_H_
#define PRECEDENT_SRC_POLICY_VOCABULARY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "precedent/internal/image.h"
#include "src/policy/class_set.h"
#include "src/policy/lowered_text.h"

namespace precedent::internal {

// Values of one text, in the order of their classes.
class TextVocabulary {
 public:
  void Add(const LoweredText& text);
  // Takes columns and bits from the counters, which it moves on.
  void Number(std::uint32_t* next_column, std::uint32_t* next_bit);

  // Which classes of which column the parts of a match allow.
  ClassSet Exact(const LoweredText::Texts& literals) const;
  ClassSet Affixes(bool suffix, const LoweredText::Texts& affixes) const;
  std::uint32_t Bit(const PatternList& patterns) const { return patterns_.at(patterns); }

  struct AffixList {
    std::uint32_t column = kNone;
    std::vector<std::string> texts;      // sorted; suffixes from the end
    std::vector<std::uint32_t> parents;  // classes; 1: none
    std::vector<std::uint32_t> last;     // class of the last extension of it
    absl::flat_hash_map<std::string, std::uint32_t> classes;
    std::uint32_t class_count() const { return static_cast<std::uint32_t>(texts.size()) + 2; }
  };
  std::uint32_t exact_column() const { return exact_column_; }
  std::uint32_t exact_class_count() const {
    return static_cast<std::uint32_t>(literals_.size()) + 2;
  }
  const std::vector<std::string>& literals() const { return literals_; }  // class 2 on
  const AffixList& affixes(bool suffix) const { return affixes_[suffix ? 1 : 0]; }
  const std::map<PatternList, std::uint32_t>& patterns() const { return patterns_; }

 private:
  std::uint32_t exact_column_ = kNone;
  absl::flat_hash_map<std::string, std::uint32_t> classes_;
  std::vector<std::string> literals_;
  AffixList affixes_[2];
  std::map<PatternList, std::uint32_t> patterns_;
};

// Cuts of one number.
class NumberVocabulary {
 public:
  void Add(const v1::NumberMatch& match);
  void Number(std::uint32_t* next_column);
  // The number itself is wanted too, by a ScaledAdd.
  void WantValue(std::uint32_t* next_slot) {
    if (scaled_slot_ == kNone) scaled_slot_ = (*next_slot)++;
  }

  ClassSet Allowed(const v1::NumberMatch& match) const;

  std::uint32_t column() const { return column_; }  // kNone: no rule compares it
  std::uint32_t scaled_slot() const { return scaled_slot_; }
  const std::vector<std::int64_t>& cuts() const { return cuts_; }
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(cuts_.size()) + 2; }

 private:
  bool compared_ = false;
  std::uint32_t column_ = kNone;
  std::uint32_t scaled_slot_ = kNone;
  std::vector<std::int64_t> cuts_;
};

// Keys of the bounds of a match: allowed are keys with low <= key < high.
struct KeyRange {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};
KeyRange KeysOf(const v1::NumberMatch& match);

class Vocabulary {
 public:
  explicit Vocabulary(const v1::Policy& policy);

  // By the number of the attribute, and by label key or metric name in sorted order.
  std::map<std::uint32_t, TextVocabulary> texts;
  std::map<std::string, TextVocabulary> labels;
  std::map<std::uint32_t, NumberVocabulary> numbers;
  std::map<std::string, NumberVocabulary> metrics;
  std::uint32_t preemptible_column = kNone;
  std::uint32_t retry_of_preempted_column = kNone;

  std::uint32_t column_count = 0;
  std::uint32_t bit_count = 0;
  std::uint32_t scaled_slot_count = 0;
  // By column.
  std::vector<std::uint32_t> class_counts;

  const ValueSets& sets() const { return sets_; }

 private:
  void AddMatch(const v1::Match& match);
  void AddScaled(const v1::ScaledAdd& scaled);
  void NumberAll();

  ValueSets sets_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_VOCABULARY_H_
