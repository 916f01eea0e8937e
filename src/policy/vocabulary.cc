#include "src/policy/vocabulary.h"

#include <algorithm>

#include "precedent/internal/number.h"
#include "src/policy/attributes.h"

namespace precedent::internal {
namespace {

bool LessFromEnd(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(
      a.rbegin(), a.rend(), b.rbegin(), b.rend(),
      [](char x, char y) { return static_cast<unsigned char>(x) < static_cast<unsigned char>(y); });
}

bool HasAffix(bool suffix, const std::string& text, const std::string& affix) {
  if (affix.size() > text.size()) return false;
  return text.compare(suffix ? text.size() - affix.size() : 0, affix.size(), affix) == 0;
}

void NumberAffixes(bool suffix, TextVocabulary::AffixList* list) {
  for (const auto& [text, klass] : list->classes) list->texts.push_back(text);
  if (suffix) {
    std::sort(list->texts.begin(), list->texts.end(), LessFromEnd);
  } else {
    std::sort(list->texts.begin(), list->texts.end());
  }
  const auto count = static_cast<std::uint32_t>(list->texts.size());
  list->parents.resize(count);
  list->last.resize(count);
  // Extensions of an affix follow it directly: a stack of the affixes that the
  // current one extends.
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < count; ++i) {
    list->classes[list->texts[i]] = i + 2;
    while (!open.empty() && !HasAffix(suffix, list->texts[i], list->texts[open.back()])) {
      list->last[open.back()] = i + 1;  // class of the one before
      open.pop_back();
    }
    list->parents[i] = open.empty() ? 1 : open.back() + 2;
    open.push_back(i);
  }
  for (std::uint32_t i : open) list->last[i] = count + 1;
}

}  // namespace

void TextVocabulary::Add(const LoweredText& text) {
  for (const absl::string_view literal : text.literals) classes_.try_emplace(literal, 0);
  for (const absl::string_view literal : text.excluded) classes_.try_emplace(literal, 0);
  for (const absl::string_view prefix : text.prefixes) affixes_[0].classes.try_emplace(prefix, 0);
  for (const absl::string_view suffix : text.suffixes) affixes_[1].classes.try_emplace(suffix, 0);
  if (!text.patterns.empty()) patterns_.emplace(text.patterns, 0);
}

void TextVocabulary::Number(std::uint32_t* next_column, std::uint32_t* next_bit) {
  exact_column_ = (*next_column)++;
  for (const auto& [literal, klass] : classes_) literals_.push_back(literal);
  std::sort(literals_.begin(), literals_.end());
  for (std::size_t i = 0; i < literals_.size(); ++i)
    classes_[literals_[i]] = static_cast<std::uint32_t>(i) + 2;
  for (bool suffix : {false, true}) {
    AffixList& list = affixes_[suffix ? 1 : 0];
    if (list.classes.empty()) continue;
    list.column = (*next_column)++;
    NumberAffixes(suffix, &list);
  }
  for (auto& [patterns, bit] : patterns_) bit = (*next_bit)++;
}

ClassSet TextVocabulary::Exact(const LoweredText::Texts& literals) const {
  ClassSet::Intervals intervals;
  intervals.reserve(literals.size());
  for (const absl::string_view literal : literals) {
    const std::uint32_t klass = classes_.at(literal);
    intervals.push_back({klass, klass});
  }
  return ClassSet::Union(std::move(intervals));
}

ClassSet TextVocabulary::Affixes(bool suffix, const LoweredText::Texts& affixes) const {
  const AffixList& list = affixes_[suffix ? 1 : 0];
  ClassSet::Intervals intervals;
  for (const absl::string_view affix : affixes) {
    const std::uint32_t klass = list.classes.at(affix);
    intervals.push_back({klass, list.last[klass - 2]});
  }
  return ClassSet::Union(std::move(intervals));
}

KeyRange KeysOf(const v1::NumberMatch& match) {
  KeyRange range;
  const auto raise = [&](std::int64_t key) {
    range.low = range.low.has_value() ? std::max(*range.low, key) : key;
  };
  const auto lower = [&](std::int64_t key) {
    range.high = range.high.has_value() ? std::min(*range.high, key) : key;
  };
  if (match.has_at_least()) raise(NumberKey(match.at_least()));
  if (match.has_above()) raise(NumberKey(match.above()) + 1);
  if (match.has_below()) lower(NumberKey(match.below()));
  if (match.has_at_most()) lower(NumberKey(match.at_most()) + 1);
  return range;
}

void NumberVocabulary::Add(const v1::NumberMatch& match) {
  compared_ = true;
  const KeyRange range = KeysOf(match);
  if (range.low.has_value()) cuts_.push_back(*range.low);
  if (range.high.has_value()) cuts_.push_back(*range.high);
}

void NumberVocabulary::Number(std::uint32_t* next_column) {
  if (compared_) column_ = (*next_column)++;
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
}

ClassSet NumberVocabulary::Allowed(const v1::NumberMatch& match) const {
  if (match.has_present() && !match.present()) return ClassSet::Range(0, 0);
  const KeyRange range = KeysOf(match);
  const auto index = [&](std::int64_t key) {
    return static_cast<std::uint32_t>(
        std::lower_bound(cuts_.begin(), cuts_.end(), key) - cuts_.begin());
  };
  // Class 1 + k: exactly k cuts are not above the number.
  const std::uint32_t low = range.low.has_value() ? index(*range.low) + 2 : 1;
  const std::uint32_t high = range.high.has_value() ? index(*range.high) + 1 : class_count() - 1;
  return ClassSet::Range(low, high);
}

Vocabulary::Vocabulary(const v1::Policy& policy) {
  for (const v1::ValueSet& set : policy.sets()) sets_.emplace(set.name(), &set);
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      for (const v1::Match& match : rule.when()) AddMatch(match);
      if (rule.has_add_scaled()) AddScaled(rule.add_scaled());
    }
  }
  NumberAll();
}

void Vocabulary::AddMatch(const v1::Match& match) {
  for (const TextAttribute& attribute : kTextAttributes) {
    if (!(match.*attribute.has)()) continue;
    texts[static_cast<std::uint32_t>(attribute.attribute)].Add(
        LowerText((match.*attribute.get)(), sets_, true));
  }
  for (const auto& [key, text] : match.labels()) labels[key].Add(LowerText(text, sets_, false));
  for (const NumberAttribute& attribute : kNumberAttributes) {
    if (const v1::NumberMatch* number = attribute.In(match))
      numbers[static_cast<std::uint32_t>(attribute.number)].Add(*number);
  }
  for (const auto& [name, number] : match.metrics()) metrics[name].Add(number);
  if (match.has_preemptible()) preemptible_column = 0;  // numbered below
  if (match.lineage().has_retry_of_preempted()) retry_of_preempted_column = 0;
}

void Vocabulary::AddScaled(const v1::ScaledAdd& scaled) {
  if (scaled.source_case() == v1::ScaledAdd::kMetric) {
    metrics[scaled.metric()].WantValue(&scaled_slot_count);
  } else if (const std::optional<internal::Number> number = NumberOf(scaled.of())) {
    numbers[static_cast<std::uint32_t>(*number)].WantValue(&scaled_slot_count);
  }
}

void Vocabulary::NumberAll() {
  for (auto& [attribute, text] : texts) text.Number(&column_count, &bit_count);
  for (auto& [key, text] : labels) text.Number(&column_count, &bit_count);
  for (auto& [number, values] : numbers) values.Number(&column_count);
  for (auto& [name, values] : metrics) values.Number(&column_count);
  if (preemptible_column != kNone) preemptible_column = column_count++;
  if (retry_of_preempted_column != kNone) retry_of_preempted_column = column_count++;

  class_counts.assign(column_count, 2);  // what booleans have
  const auto count_text = [&](const TextVocabulary& text) {
    class_counts[text.exact_column()] = text.exact_class_count();
    for (bool suffix : {false, true})
      if (text.affixes(suffix).column != kNone)
        class_counts[text.affixes(suffix).column] = text.affixes(suffix).class_count();
  };
  for (const auto& [attribute, text] : texts) count_text(text);
  for (const auto& [key, text] : labels) count_text(text);
  for (const auto& [number, values] : numbers)
    if (values.column() != kNone) class_counts[values.column()] = values.class_count();
  for (const auto& [name, values] : metrics)
    if (values.column() != kNone) class_counts[values.column()] = values.class_count();
}

}  // namespace precedent::internal
