#include "src/policy/image_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "precedent/internal/hash.h"
#include "precedent/internal/validate.h"
#include "src/policy/attributes.h"
#include "src/policy/index.h"

namespace precedent::internal {
namespace {

// A section as it grows.
template <typename T>
class Table {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  // Index of the new row.
  std::uint32_t Add(const T& row) {
    rows_.push_back(row);
    return size() - 1;
  }
  std::vector<T>& rows() { return rows_; }

 private:
  std::vector<T> rows_;
};

class ImageWriter {
 public:
  ImageWriter(const v1::Policy& policy, const Vocabulary& vocabulary, const Clauses& clauses)
      : policy_(policy), vocabulary_(vocabulary), clauses_(clauses) {}

  WrittenImage Write(const ZoneTransitions& zone, std::uint64_t max_size) {
    WriteHeader();
    WriteTexts();
    WriteNumbers();
    WriteTextSlots();
    WriteClauses();
    WriteRules();
    header_.initial_offset = zone.initial_offset;
    transitions_.rows() = zone.transitions;
    return Lay(max_size);
  }

 private:
  // Texts are laid right after the header, so that their offsets are final at once.
  Text Intern(std::string_view text) {
    const auto [found, is_new] = interned_.emplace(std::string(text), Text());
    if (is_new) {
      found->second.offset = static_cast<std::uint32_t>(sizeof(Header) + strings_.size());
      found->second.size = static_cast<std::uint32_t>(text.size());
      strings_.append(text.data(), text.size());
    }
    return found->second;
  }

  void WriteHeader() {
    std::memcpy(header_.magic, kMagic, sizeof kMagic);
    header_.byte_order = kByteOrder;
    header_.format = kFormat;
    header_.generation = policy_.generation();
    header_.name = Intern(policy_.name());
    header_.fingerprint = Intern(Fingerprint(policy_));
    header_.bounds_min = policy_.bounds().has_min() ? policy_.bounds().min() : 0;
    header_.bounds_max = policy_.bounds().has_max() ? policy_.bounds().max() : 9999;
    // One that the policy gives is within the bounds; the default may have to be moved.
    header_.fallback_priority =
        policy_.fallback().has_priority()
            ? policy_.fallback().priority()
            : std::clamp(500, header_.bounds_min, header_.bounds_max);
    for (int attribute : policy_.require_verified())
      header_.require_verified |= 1u << attribute;
    header_.column_count = vocabulary_.column_count;
    header_.bit_word_count = (vocabulary_.bit_count + 63) / 64;
    header_.scaled_slot_count = vocabulary_.scaled_slot_count;
    header_.preemptible_column = vocabulary_.preemptible_column;
    header_.retry_of_preempted_column = vocabulary_.retry_of_preempted_column;

    std::vector<const v1::PriorityClass*> sorted;
    for (const v1::PriorityClass& c : policy_.priority_classes()) sorted.push_back(&c);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->at_least() < b->at_least(); });
    for (const v1::PriorityClass* c : sorted) {
      Class row;
      row.name = Intern(c->name());
      row.at_least = c->at_least();
      class_index_[c->name()] = classes_.Add(row);
    }
    if (!policy_.fallback().priority_class().empty())
      header_.fallback_class = class_index_.at(policy_.fallback().priority_class());
  }

  void WriteTexts() {
    for (const auto& [attribute, text] : vocabulary_.texts) WriteText(attribute, text);
    header_.label_source_begin = text_sources_.size();
    for (const auto& [key, text] : vocabulary_.labels) {
      slots_.push_back({Intern(key), kLabelKeys, text_sources_.size()});
      WriteText(kLabel, text);
    }
  }

  void WriteText(std::uint32_t attribute, const TextVocabulary& text) {
    TextSource source;
    source.attribute = attribute;
    source.exact_column = text.exact_column();
    for (std::uint32_t i = 0; i < text.literals().size(); ++i)
      slots_.push_back({Intern(text.literals()[i]), text.exact_column(), i + 2});
    for (bool suffix : {false, true}) {
      const TextVocabulary::AffixList& list = text.affixes(suffix);
      const std::uint32_t begin = affixes_.size();
      for (std::size_t i = 0; i < list.texts.size(); ++i)
        affixes_.Add({Intern(list.texts[i]), list.parents[i]});
      (suffix ? source.suffix_column : source.prefix_column) = list.column;
      (suffix ? source.suffix_begin : source.prefix_begin) = begin;
      (suffix ? source.suffix_count : source.prefix_count) = affixes_.size() - begin;
      if (list.column != kNone) affix_begin_[list.column] = begin;
    }
    source.group_begin = groups_.size();
    for (const auto& [patterns, bit] : text.patterns()) {
      PatternGroup group;
      group.bit = bit;
      group.contains_begin = substrings_.size();
      for (const std::string& part : patterns.contains) substrings_.Add(Intern(part));
      group.contains_count = substrings_.size() - group.contains_begin;
      group.regex_begin = static_cast<std::uint32_t>(regexes_.size());
      regexes_.insert(regexes_.end(), patterns.regexes.begin(), patterns.regexes.end());
      group.regex_count = static_cast<std::uint32_t>(patterns.regexes.size());
      groups_.Add(group);
    }
    source.group_count = groups_.size() - source.group_begin;
    text_sources_.Add(source);
    header_.regex_count = static_cast<std::uint32_t>(regexes_.size());
  }

  void WriteNumbers() {
    for (const auto& [number, values] : vocabulary_.numbers) WriteNumber(number, values);
    header_.metric_source_begin = number_sources_.size();
    for (const auto& [name, values] : vocabulary_.metrics) {
      slots_.push_back({Intern(name), kMetricNames, number_sources_.size()});
      WriteNumber(kMetric, values);
    }
  }

  void WriteNumber(std::uint32_t number, const NumberVocabulary& values) {
    NumberSource source;
    source.number = number;
    source.column = values.column();
    source.scaled_slot = values.scaled_slot();
    source.cut_begin = cuts_.size();
    for (std::int64_t cut : values.cuts()) cuts_.Add(cut);
    source.cut_count = cuts_.size() - source.cut_begin;
    number_sources_.Add(source);
  }

  // Open addressing, at most half full.
  void WriteTextSlots() {
    std::uint32_t size = 2;
    while (size < slots_.size() * 2) size *= 2;
    text_slots_.rows().resize(size);
    header_.text_slot_mask = size - 1;
    for (const TextSlot& slot : slots_) {
      const std::string_view text(strings_.data() + slot.text.offset - sizeof(Header),
                                  slot.text.size);
      std::uint64_t i = HashBytes(text.data(), text.size(), slot.dictionary);
      std::uint32_t probes = 1;
      while (text_slots_.rows()[i & header_.text_slot_mask].dictionary != kNone) ++i, ++probes;
      text_slots_.rows()[i & header_.text_slot_mask] = slot;
      header_.text_max_probes = std::max(header_.text_max_probes, probes);
    }
  }

  void WriteClauses() {
    scaled_wait_ = ScaledWaitRules();
    header_.time_dependent =
        !clauses_.times.empty() ||
        std::find(scaled_wait_.begin(), scaled_wait_.end(), true) != scaled_wait_.end();
    times_.rows() = clauses_.times;

    const std::vector<Filing> filings = FileClauses(clauses_, vocabulary_);
    std::size_t i = 0;
    while (i < filings.size() && filings[i].column != kNone) {
      Index index;
      index.column = filings[i].column;
      index.class_count = vocabulary_.class_counts[index.column];
      index.bounds_begin = bounds_.size();
      const auto affixes = affix_begin_.find(index.column);
      if (affixes != affix_begin_.end()) index.affix_begin = affixes->second;
      for (std::uint32_t klass = 0; klass < index.class_count; ++klass) {
        bounds_.Add(clause_rows_.size());
        for (; i < filings.size() && filings[i].column == index.column && filings[i].klass == klass;
             ++i)
          WriteClause(filings[i]);
      }
      bounds_.Add(clause_rows_.size());
      indexes_.Add(index);
    }
    header_.unindexed_begin = clause_rows_.size();
    for (; i < filings.size(); ++i) WriteClause(filings[i]);
  }

  std::vector<bool> ScaledWaitRules() const {
    std::vector<bool> result;
    for (const v1::Stage& stage : policy_.stages())
      for (const v1::Rule& rule : stage.rules())
        result.push_back(rule.has_add_scaled() &&
                         rule.add_scaled().source_case() == v1::ScaledAdd::kOf &&
                         rule.add_scaled().of() == v1::ScaledAdd::WAIT_SECONDS);
    return result;
  }

  void WriteClause(const Filing& filing) {
    const ClauseDraft& draft = clauses_.drafts[filing.draft];
    std::vector<Constraint> constraints;
    for (const ColumnConstraint& c : draft.columns)
      if (c.column != filing.column) constraints.push_back(Encode(c));  // the bucket implies it
    for (std::uint32_t bit : draft.bits)
      constraints.push_back({bit, ConstraintKind::kBit, 0, 0});

    Clause clause;
    clause.rule = draft.rule;
    clause.constraint_begin = Share(constraints);
    clause.constraint_count = static_cast<std::uint16_t>(constraints.size());
    clause.scaled_wait = scaled_wait_[draft.rule] ? 1 : 0;
    clause.time = draft.time;
    clause_rows_.Add(clause);
  }

  Constraint Encode(const ColumnConstraint& c) {
    const std::vector<Interval>& intervals = c.allowed.intervals();
    if (intervals.size() == 1)
      return {c.column, ConstraintKind::kRange, intervals[0].low,
              intervals[0].high - intervals[0].low};
    if (vocabulary_.class_counts[c.column] <= 64) {
      std::uint64_t mask = 0;
      for (const Interval& i : intervals)
        for (std::uint32_t k = i.low; k <= i.high; ++k) mask |= std::uint64_t{1} << k;
      return {c.column, ConstraintKind::kMask, static_cast<std::uint32_t>(mask),
              static_cast<std::uint32_t>(mask >> 32)};
    }
    // Equal lists are kept once.
    const std::string key(reinterpret_cast<const char*>(intervals.data()),
                          intervals.size() * sizeof(Interval));
    const auto [found, is_new] = shared_intervals_.emplace(key, interval_rows_.size());
    if (is_new)
      for (const Interval& i : intervals) interval_rows_.Add(i);
    return {c.column, ConstraintKind::kRanges, found->second,
            static_cast<std::uint32_t>(intervals.size())};
  }

  // Where the constraints stand; equal runs are kept once.
  std::uint32_t Share(const std::vector<Constraint>& constraints) {
    const std::string key(reinterpret_cast<const char*>(constraints.data()),
                          constraints.size() * sizeof(Constraint));
    const auto [found, is_new] = shared_constraints_.emplace(key, constraint_rows_.size());
    if (is_new)
      for (const Constraint& c : constraints) constraint_rows_.Add(c);
    return found->second;
  }

  void WriteRules() {
    std::uint32_t count = 0;
    for (const v1::Stage& stage : policy_.stages()) count += stage.rules_size();
    for (int s = 0; s < policy_.stages_size(); ++s) {
      const v1::Stage& stage = policy_.stages(s);
      const std::uint32_t stage_end = rules_.size() + stage.rules_size();
      for (const v1::Rule& rule : stage.rules()) {
        RuleName name;
        name.id = Intern(rule.id());
        name.stage = s;
        rule_names_.Add(name);

        Rule row;
        WriteEffect(rule, &row);
        if (rule.order_only()) row.flags |= Rule::kOrderOnly;
        row.next = rules_.size() + 1;
        if (stage.mode() == v1::Stage::FIRST_MATCH) row.next = stage_end;
        if (rule.final()) {
          row.flags |= Rule::kFinal;
          row.next = count;
        }
        row.outcome = WriteOutcome(rule);
        rules_.Add(row);
      }
    }
  }

  void WriteEffect(const v1::Rule& rule, Rule* row) {
    switch (rule.score_case()) {
      case v1::Rule::kSet: row->effect = Effect::kSet; row->value = rule.set(); break;
      case v1::Rule::kAdd: row->effect = Effect::kAdd; row->value = rule.add(); break;
      case v1::Rule::kAtLeast: row->effect = Effect::kAtLeast; row->value = rule.at_least(); break;
      case v1::Rule::kAtMost: row->effect = Effect::kAtMost; row->value = rule.at_most(); break;
      case v1::Rule::kAddScaled: {
        row->effect = Effect::kAddScaled;
        const v1::ScaledAdd& add = rule.add_scaled();
        Scaled scaled;
        scaled.points = add.points();
        scaled.per = add.has_per() ? add.per() : 1;
        scaled.min = add.has_min() ? add.min() : std::numeric_limits<std::int32_t>::min();
        scaled.max = add.has_max() ? add.max() : std::numeric_limits<std::int32_t>::max();
        if (add.source_case() == v1::ScaledAdd::kMetric) {
          scaled.slot = vocabulary_.metrics.at(add.metric()).scaled_slot();
        } else if (const std::optional<Number> number = NumberOf(add.of())) {
          scaled.slot = vocabulary_.numbers.at(static_cast<std::uint32_t>(*number)).scaled_slot();
        }
        row->value = static_cast<std::int32_t>(scaled_rows_.Add(scaled));
        break;
      }
      case v1::Rule::SCORE_NOT_SET: break;
    }
  }

  std::uint32_t WriteOutcome(const v1::Rule& rule) {
    Outcome outcome;
    if (rule.has_priority_class()) {
      outcome.flags |= Outcome::kClass;
      outcome.klass = class_index_.at(rule.priority_class());
    }
    if (rule.has_limit_runtime_seconds()) {
      outcome.flags |= Outcome::kLimit;
      outcome.limit_runtime_seconds = rule.limit_runtime_seconds();
    }
    if (rule.has_share_identifier()) {
      outcome.flags |= Outcome::kShare;
      outcome.share_identifier = Intern(rule.share_identifier());
    }
    if (rule.has_never_preempt_others()) {
      outcome.flags |= Outcome::kNeverPreempt;
      outcome.never_preempt_others = rule.never_preempt_others();
    }
    if (rule.has_warn()) {
      outcome.flags |= Outcome::kWarn;
      outcome.warn = Intern(rule.warn());
    }
    if (rule.has_deny()) {
      outcome.flags |= Outcome::kDeny;
      outcome.deny = Intern(rule.deny());
    }
    outcome.annotation_begin = annotations_.size();
    const std::map<std::string, std::string> sorted(rule.annotate().begin(), rule.annotate().end());
    for (const auto& [key, value] : sorted) annotations_.Add({Intern(key), Intern(value)});
    outcome.annotation_count = annotations_.size() - outcome.annotation_begin;
    if (outcome.flags == 0 && outcome.annotation_count == 0) return kNone;
    return outcomes_.Add(outcome);
  }

  // ---- Layout ----

  template <typename T>
  void Place(Table<T>& table, Section<T>* section) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
    size_ = (size_ + 7) / 8 * 8;
    section->offset = static_cast<std::uint32_t>(size_);
    section->count = table.size();
    parts_.push_back({size_, table.rows().data(), table.size() * sizeof(T)});
    size_ += table.size() * sizeof(T);
  }

  WrittenImage Lay(std::uint64_t max_size) {
    size_ = sizeof(Header) + strings_.size();
    Place(text_slots_, &header_.text_slots);
    Place(text_sources_, &header_.text_sources);
    Place(affixes_, &header_.affixes);
    Place(groups_, &header_.groups);
    Place(substrings_, &header_.substrings);
    Place(number_sources_, &header_.number_sources);
    Place(cuts_, &header_.cuts);
    Place(indexes_, &header_.indexes);
    Place(bounds_, &header_.bounds);
    Place(clause_rows_, &header_.clauses);
    Place(constraint_rows_, &header_.constraints);
    Place(interval_rows_, &header_.intervals);
    Place(times_, &header_.times);
    Place(transitions_, &header_.transitions);
    Place(rules_, &header_.rules);
    Place(rule_names_, &header_.rule_names);
    Place(scaled_rows_, &header_.scaled);
    Place(outcomes_, &header_.outcomes);
    Place(annotations_, &header_.annotations);
    Place(classes_, &header_.classes);
    size_ = (size_ + 7) / 8 * 8;

    WrittenImage result;
    result.size = header_.size = size_;
    result.regexes = std::move(regexes_);
    if (size_ > max_size) return result;
    result.block = std::make_unique<std::uint64_t[]>(size_ / 8);
    auto* base = reinterpret_cast<std::byte*>(result.block.get());
    std::memcpy(base, &header_, sizeof header_);
    std::memcpy(base + sizeof(Header), strings_.data(), strings_.size());
    for (const Part& part : parts_)
      if (part.size > 0) std::memcpy(base + part.offset, part.data, part.size);
    const std::uint64_t sum = Checksum(base, size_);
    std::memcpy(base + offsetof(Header, checksum), &sum, sizeof sum);
    return result;
  }

  struct Part {
    std::uint64_t offset;
    const void* data;
    std::size_t size;
  };

  const v1::Policy& policy_;
  const Vocabulary& vocabulary_;
  const Clauses& clauses_;

  Header header_;
  std::string strings_;
  std::vector<std::string> regexes_;
  absl::flat_hash_map<std::string, Text> interned_;
  std::vector<TextSlot> slots_;  // before they are hashed
  absl::flat_hash_map<std::uint32_t, std::uint32_t> affix_begin_;  // by column
  absl::flat_hash_map<std::string, std::uint32_t> class_index_;
  absl::flat_hash_map<std::string, std::uint32_t> shared_intervals_, shared_constraints_;
  std::vector<bool> scaled_wait_;  // by rule

  Table<TextSlot> text_slots_;
  Table<TextSource> text_sources_;
  Table<Affix> affixes_;
  Table<PatternGroup> groups_;
  Table<Text> substrings_;
  Table<NumberSource> number_sources_;
  Table<std::int64_t> cuts_;
  Table<Index> indexes_;
  Table<std::uint32_t> bounds_;
  Table<Clause> clause_rows_;
  Table<Constraint> constraint_rows_;
  Table<Interval> interval_rows_;
  Table<TimeCondition> times_;
  Table<Transition> transitions_;
  Table<Rule> rules_;
  Table<RuleName> rule_names_;
  Table<Scaled> scaled_rows_;
  Table<Outcome> outcomes_;
  Table<KeyValue> annotations_;
  Table<Class> classes_;
  std::uint64_t size_ = 0;
  std::vector<Part> parts_;
};

}  // namespace

WrittenImage WriteImage(const v1::Policy& policy, const Vocabulary& vocabulary,
                        const Clauses& clauses, const ZoneTransitions& zone,
                        std::uint64_t max_size) {
  return ImageWriter(policy, vocabulary, clauses).Write(zone, max_size);
}

std::string Fingerprint(const v1::Policy& policy) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);  // maps in the order of their keys
    policy.SerializeToCodedStream(&out);
  }
  return absl::StrFormat("%016x%016x", HashBytes(bytes.data(), bytes.size(), 1),
                         HashBytes(bytes.data(), bytes.size(), 2));
}

}  // namespace precedent::internal
