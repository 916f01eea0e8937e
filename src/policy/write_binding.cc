#include "src/policy/write_binding.h"

#include <algorithm>
#include <functional>
#include <set>

#include "precedent/internal/number.h"
#include "precedent/internal/text_key.h"
#include "src/policy/text_table.h"

namespace precedent::internal {
namespace {

// Up to so many different lengths of prefixes it is cheaper to look each up than to
// search the sorted list.
constexpr std::size_t kMaxLengths = 6;

class BindingWriter {
 public:
  BindingWriter(const Vocabulary& vocabulary, ImageParts* parts)
      : vocabulary_(vocabulary), parts_(*parts) {}

  bool Write() {
    Header& h = parts_.header;
    h.column_count = vocabulary_.column_count;
    h.bit_word_count = (vocabulary_.bit_count + 63) / 64;
    h.scaled_slot_count = vocabulary_.scaled_slot_count;
    h.preemptible_column = vocabulary_.preemptible_column;
    h.retry_of_preempted_column = vocabulary_.retry_of_preempted_column;
    parts_.column_classes = vocabulary_.class_counts;
    for (const auto& [attribute, text] : vocabulary_.texts) WriteText(attribute, text);
    h.label_source_begin = SizeOf(parts_.text_sources);
    for (const auto& [key, text] : vocabulary_.labels) {
      parts_.dictionary.push_back({kLabelKeys, key, SizeOf(parts_.text_sources)});
      h.label_key_filter |= KeyFilterBit(key);
      WriteText(kLabel, text);
    }
    h.regex_count = static_cast<std::uint32_t>(parts_.patterns.size());
    for (const auto& [number, values] : vocabulary_.numbers) WriteNumber(number, values);
    h.metric_source_begin = SizeOf(parts_.number_sources);
    for (const auto& [name, values] : vocabulary_.metrics) {
      parts_.dictionary.push_back({kMetricNames, name, SizeOf(parts_.number_sources)});
      WriteNumber(kMetric, values);
    }
    return WriteTextTable(parts_.dictionary, &parts_);
  }

 private:
  void WriteText(std::uint32_t attribute, const TextVocabulary& text) {
    TextSource source;
    source.attribute = attribute;
    source.exact_column = text.exact_column();
    WriteLiterals(text, &source);
    WriteAffixes(text.affixes(false), &source.prefixes);
    WriteAffixes(text.affixes(true), &source.suffixes);
    source.group_begin = SizeOf(parts_.groups);
    for (const auto& [patterns, bit] : text.patterns()) {
      for (const std::string& regex : patterns.regexes)
        parts_.patterns.push_back(
            {SizeOf(parts_.text_sources), bit, patterns.contains.empty(), regex});
      if (patterns.contains.empty()) continue;
      PatternGroup group;
      group.bit = bit;
      group.contains_begin = SizeOf(parts_.substrings);
      for (const std::string& part : patterns.contains)
        parts_.substrings.push_back(parts_.texts.Intern(part));
      group.contains_count = SizeOf(parts_.substrings) - group.contains_begin;
      parts_.groups.push_back(group);
    }
    source.group_count = SizeOf(parts_.groups) - source.group_begin;
    source.more = source.prefixes.column != kNone || source.suffixes.column != kNone ||
                  !text.patterns().empty();
    parts_.text_sources.push_back(source);
  }

  void WriteLiterals(const TextVocabulary& text, TextSource* source) {
    const std::vector<std::string>& literals = text.literals();
    const bool few = literals.size() <= kFewLiterals &&
                     std::all_of(literals.begin(), literals.end(), [](const std::string& l) {
                       return l.size() <= kShortText;
                     });
    if (few) source->literal_begin = SizeOf(parts_.literals);
    if (few) source->literal_count = static_cast<std::uint32_t>(literals.size());
    for (std::uint32_t i = 0; i < literals.size(); ++i) {
      if (few) {
        const TextKey key = ShortKey(literals[i]);
        parts_.literals.push_back({key.low, key.high, key.size, i + 2});
      } else {
        parts_.dictionary.push_back({text.exact_column(), literals[i], i + 2});
      }
    }
  }

  void WriteAffixes(const TextVocabulary::AffixList& list, AffixList* out) {
    out->column = list.column;
    out->begin = SizeOf(parts_.affixes);
    out->count = static_cast<std::uint32_t>(list.texts.size());
    std::set<std::uint32_t, std::greater<>> lengths;
    for (std::size_t i = 0; i < list.texts.size(); ++i) {
      parts_.affixes.push_back({parts_.texts.Intern(list.texts[i]), list.parents[i]});
      lengths.insert(static_cast<std::uint32_t>(list.texts[i].size()));
    }
    if (lengths.size() > kMaxLengths) return;
    out->length_begin = SizeOf(parts_.affix_lengths);
    out->length_count = static_cast<std::uint32_t>(lengths.size());
    parts_.affix_lengths.insert(parts_.affix_lengths.end(), lengths.begin(), lengths.end());
    for (std::uint32_t i = 0; i < list.texts.size(); ++i)
      parts_.dictionary.push_back({list.column, list.texts[i], i + 2});
  }

  void WriteNumber(std::uint32_t number, const NumberVocabulary& values) {
    NumberSource source;
    source.number = number;
    source.column = values.column();
    source.scaled_slot = values.scaled_slot();
    source.cut_begin = SizeOf(parts_.cuts);
    source.cut_count = static_cast<std::uint32_t>(values.cuts().size());
    parts_.cuts.insert(parts_.cuts.end(), values.cuts().begin(), values.cuts().end());
    parts_.cuts.insert(parts_.cuts.end(), kCutPadding, INT64_MAX);
    parts_.number_sources.push_back(source);
  }

  const Vocabulary& vocabulary_;
  ImageParts& parts_;
};

}  // namespace

bool WriteBinding(const Vocabulary& vocabulary, ImageParts* parts) {
  return BindingWriter(vocabulary, parts).Write();
}

}  // namespace precedent::internal
