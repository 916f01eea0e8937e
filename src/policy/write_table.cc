#include "src/policy/write_table.h"

#include <algorithm>
#include <limits>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/built_in.h"
#include "precedent/internal/number.h"
#include "src/policy/write_rules.h"

namespace precedent::internal {
namespace {

// Cells times clauses.
constexpr std::size_t kMaxWork = 1 << 22;
// Of a number in a direct table: each is looked at.
constexpr std::uint32_t kFewCuts = 7;
constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();

// A score while the rules of a cell are applied: a constant and scaled terms.
struct Folded {
  std::int64_t score = 0;
  std::uint32_t terms = 0;

  // False if the result is no constant and sum of terms.
  bool Apply(const Rule& rule, std::uint32_t term) {
    if ((rule.flags & Rule::kAddScaled) != 0) {
      terms |= 1u << term;
    } else if ((rule.flags & Rule::kAdd) != 0) {
      score += rule.value;
    }
    const bool low = (rule.flags & Rule::kNotBelow) != 0, high = (rule.flags & Rule::kNotAbove) != 0;
    if (low && high) {
      score = rule.value;
      terms = 0;
      return true;
    }
    if ((low || high) && terms != 0) return false;
    if (low) score = std::max<std::int64_t>(score, rule.value);
    if (high) score = std::min<std::int64_t>(score, rule.value);
    return true;
  }
  bool Fits() const {
    return score >= std::numeric_limits<std::int32_t>::min() &&
           score <= std::numeric_limits<std::int32_t>::max();
  }
};

class TableWriter {
 public:
  TableWriter(const v1::Policy& policy, const Vocabulary& vocabulary, const Clauses& clauses,
              ImageParts* parts)
      : policy_(policy),
        vocabulary_(vocabulary),
        clauses_(clauses),
        parts_(*parts),
        outcomes_(&parts->outcomes),
        lists_(&parts->cell_rule_lists) {}

  bool Write() {
    if (!MakeDimensions() || !clauses_.times.empty() || !MakeTerms()) return false;
    for (std::uint32_t c = 0; c < cell_count_; ++c) {
      // Found out before anything is written.
      Cell cell;
      if (!MakeCell(c, false, &cell)) return false;
    }
    for (std::uint32_t c = 0; c < cell_count_; ++c) {
      Cell cell;
      MakeCell(c, true, &cell);
      parts_.cells.push_back(cell);
    }
    Header& h = parts_.header;
    h.term_count = SizeOf(terms_);
    h.wait_term_begin = wait_begin_;
    h.time_dependent = wait_begin_ != terms_.size();
    parts_.terms = std::move(terms_);
    parts_.dimensions = std::move(dimensions_);
    if (CanBeDirect()) WriteDirect();
    return true;
  }

 private:
  bool MakeDimensions() {
    const std::uint32_t columns = vocabulary_.column_count, bits = vocabulary_.bit_count;
    if (columns > kMaxTableColumns || bits > 12 || vocabulary_.scaled_slot_count > kMaxTerms)
      return false;
    std::size_t cells = 1;
    for (std::uint32_t i = 0; i < columns + bits; ++i) {
      Dimension dimension;
      dimension.is_bit = i >= columns ? 1 : 0;
      dimension.column = i >= columns ? i - columns : i;
      dimension.stride = static_cast<std::uint32_t>(cells);
      cells *= i >= columns ? 2 : vocabulary_.class_counts[i];
      if (cells > kMaxCells) return false;
      dimensions_.push_back(dimension);
    }
    cell_count_ = static_cast<std::uint32_t>(cells);
    return cells * (clauses_.drafts.size() + 1) <= kMaxWork;
  }

  // Each add_scaled rule is a term; those of the wait come last.
  bool MakeTerms() {
    term_of_.assign(parts_.rules.size(), kNone);
    for (const bool wait : {false, true}) {
      std::uint32_t index = 0;
      if (wait) wait_begin_ = SizeOf(terms_);
      for (const v1::Stage& stage : policy_.stages()) {
        for (const v1::Rule& rule : stage.rules()) {
          const std::uint32_t i = index++;
          if (!rule.has_add_scaled() || AddsForWait(rule) != wait) continue;
          term_of_[i] = SizeOf(terms_);
          terms_.push_back({static_cast<std::uint32_t>(parts_.rules[i].value),
                            rule.order_only() ? ~std::uint32_t{0} : 0, 0});
        }
      }
    }
    return terms_.size() <= kMaxTerms;
  }

  bool CanBeDirect() const {
    const Header& h = parts_.header;
    return vocabulary_.bit_count == 0 && h.label_source_begin == SizeOf(parts_.text_sources) &&
           h.metric_source_begin == SizeOf(parts_.number_sources) &&
           std::all_of(parts_.number_sources.begin(), parts_.number_sources.end(),
                       [](const NumberSource& s) { return s.cut_count <= kFewCuts; }) &&
           std::all_of(parts_.text_sources.begin(), parts_.text_sources.end(),
                       [](const TextSource& s) { return s.literal_count != kNone && s.more == 0; });
  }

  void WriteDirect() {
    Header& h = parts_.header;
    const auto stride = [&](std::uint32_t column) {
      return column == kNone ? 0 : parts_.dimensions[column].stride;
    };
    h.direct = 1;
    h.preemptible_stride = stride(h.preemptible_column);
    h.retry_of_preempted_stride = stride(h.retry_of_preempted_column);
    for (const TextSource& source : parts_.text_sources)
      WriteDirectText(source, stride(source.exact_column));
    absl::flat_hash_map<std::uint32_t, std::uint32_t> number_of_slot;
    for (const NumberSource& source : parts_.number_sources) {
      number_of_slot[source.scaled_slot] = source.number;
      if (source.column != kNone) WriteDirectCuts(source, stride(source.column));
    }
    for (std::uint32_t t = 0; t < wait_begin_; ++t)
      parts_.terms[t].number = number_of_slot.at(parts_.scaled[parts_.terms[t].scaled].slot);
  }

  // The class of a text that is present is 1 at least.
  void WriteDirectText(const TextSource& source, std::uint32_t stride) {
    parts_.header.direct_base += stride;
    std::uint32_t lane = 4;
    const auto add = [&](const TextKey& key, std::uint32_t added) {
      if (lane == 4) {
        parts_.direct_texts.emplace_back().attribute = source.attribute;
        lane = 0;
      }
      DirectText& text = parts_.direct_texts.back();
      for (int i = 0; i < 2; ++i) {
        text.words[i][lane] = static_cast<std::uint32_t>(key.low >> 32 * i);
        text.words[i + 2][lane] = static_cast<std::uint32_t>(key.high >> 32 * i);
      }
      text.sizes[lane] = key.size;
      text.added[lane++] = added;
    };
    add(TextKey(), 0 - stride);
    for (std::uint32_t i = 0; i < source.literal_count; ++i) {
      const Literal& literal = parts_.literals[source.literal_begin + i];
      add({literal.low, literal.high, literal.size}, (literal.klass - 1) * stride);
    }
  }

  void WriteDirectCuts(const NumberSource& source, std::uint32_t stride) {
    parts_.header.direct_base += stride;
    int place = 2;
    const auto add = [&](std::int64_t cut, std::uint32_t added) {
      if (place == 2) {
        parts_.direct_cuts.emplace_back().number = source.number;
        place = 0;
      }
      DirectCuts& cuts = parts_.direct_cuts.back();
      cuts.cuts[place] = cut;
      cuts.added[2 * place++] = added;
    };
    for (std::uint32_t i = 0; i < source.cut_count; ++i) {
      // Every number without a sign reaches a negative one.
      const std::int64_t cut = std::max<std::int64_t>(parts_.cuts[source.cut_begin + i], 0);
      if (!IsCount(source.number)) {
        add(cut, stride);
      } else if (cut <= NumberKey(static_cast<double>(kMostCount))) {
        add(FirstCount(cut), stride);
      }
    }
    if (!IsCount(source.number))
      add(NumberKey(std::numeric_limits<double>::infinity()) + 1, 0 - (source.cut_count + 1) * stride);
  }

  // The least count that reaches a cut as a double. REQUIRES: there is one.
  static std::int64_t FirstCount(std::int64_t cut) {
    std::int64_t low = 0, high = kMostCount;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (NumberKey(static_cast<double>(middle)) >= cut) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  bool Holds(const ClauseDraft& clause, std::uint32_t cell) const {
    const auto klass_of = [&](std::uint32_t dimension, std::uint32_t classes) {
      return cell / dimensions_[dimension].stride % classes;
    };
    for (const ColumnConstraint& c : clause.columns) {
      const std::uint32_t klass = klass_of(c.column, vocabulary_.class_counts[c.column]);
      const auto& intervals = c.allowed.intervals();
      if (std::none_of(intervals.begin(), intervals.end(),
                       [&](const Interval& i) { return i.low <= klass && klass <= i.high; }))
        return false;
    }
    for (const std::uint32_t bit : clause.bits)
      if (klass_of(vocabulary_.column_count + bit, 2) == 0) return false;
    return true;
  }

  bool MakeCell(std::uint32_t number, bool write, Cell* cell) {
    Folded score, preemption;
    Outcome outcome;
    std::vector<std::uint32_t> applied;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < clauses_.drafts.size();) {
      const std::uint32_t index = clauses_.drafts[i].rule;
      bool matches = false;
      for (; i < clauses_.drafts.size() && clauses_.drafts[i].rule == index; ++i)
        matches = matches || Holds(clauses_.drafts[i], number);
      if (!matches) continue;
      const std::uint32_t term = term_of_[index];
      if (term != kNone && term >= wait_begin_)
        cell->noted = static_cast<std::uint8_t>(cell->noted | 1u << term);
      if (index < next) continue;
      const Rule& rule = parts_.rules[index];
      next = rule.next;
      applied.push_back(index);
      if (!score.Apply(rule, term)) return false;
      if ((rule.flags & Rule::kOrderOnly) == 0 && !preemption.Apply(rule, term)) return false;
      if ((rule.flags & Rule::kOutcome) != 0) Merge(OutcomeOf(index), &outcome);
    }
    if (!score.Fits() || !preemption.Fits() || preemption.terms != NotOrderOnly(score.terms))
      return false;
    if (!write) return true;
    cell->score = static_cast<std::int32_t>(score.score);
    cell->preemption_score = static_cast<std::int32_t>(preemption.score);
    cell->terms = static_cast<std::uint8_t>(score.terms);
    if (outcome.flags != 0) cell->outcome = outcomes_.Add(&outcome, 1);
    CellRules rules;
    rules.count = SizeOf(applied);
    if (!applied.empty()) rules.begin = lists_.Add(applied.data(), applied.size());
    parts_.cell_rules.push_back(rules);
    return true;
  }

  std::uint32_t NotOrderOnly(std::uint32_t terms) const {
    for (std::uint32_t t = 0; t < terms_.size(); ++t)
      if (terms_[t].order_only != 0) terms &= ~(1u << t);
    return terms;
  }

  // The later one wins. Texts of warnings and annotations come from the rules.
  const Outcome& OutcomeOf(std::uint32_t rule) const {
    return *std::lower_bound(parts_.outcomes.begin(), parts_.outcomes.end(), rule,
                             [](const Outcome& o, std::uint32_t r) { return o.rule < r; });
  }

  static void Merge(const Outcome& later, Outcome* outcome) {
    constexpr std::uint32_t kKept = Outcome::kClass | Outcome::kLimit | Outcome::kShare |
                                    Outcome::kNeverPreempt | Outcome::kDeny;
    outcome->flags |= later.flags & kKept;
    if ((later.flags & Outcome::kClass) != 0) outcome->klass = later.klass;
    if ((later.flags & Outcome::kLimit) != 0)
      outcome->limit_runtime_seconds = later.limit_runtime_seconds;
    if ((later.flags & Outcome::kShare) != 0) outcome->share_identifier = later.share_identifier;
    if ((later.flags & Outcome::kNeverPreempt) != 0)
      outcome->never_preempt_others = later.never_preempt_others;
    if ((later.flags & Outcome::kDeny) != 0) outcome->deny = later.deny;
  }

  const v1::Policy& policy_;
  const Vocabulary& vocabulary_;
  const Clauses& clauses_;
  ImageParts& parts_;
  SharedRuns<Outcome> outcomes_;
  SharedRuns<std::uint32_t> lists_;
  Rows<Dimension> dimensions_;
  Rows<Term> terms_;
  std::uint32_t wait_begin_ = 0;
  std::uint32_t cell_count_ = 0;
  std::vector<std::uint32_t> term_of_;  // by rule
};

}  // namespace

bool WriteTable(const v1::Policy& policy, const Vocabulary& vocabulary, const Clauses& clauses,
                ImageParts* parts) {
  return TableWriter(policy, vocabulary, clauses, parts).Write();
}

}  // namespace precedent::internal
