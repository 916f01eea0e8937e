#include "src/policy/clauses.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "src/policy/attributes.h"
#include "src/policy/time_condition.h"

namespace precedent::internal {
namespace {

enum class Alternative { kAny, kLiterals, kPrefixes, kSuffixes, kPatterns };
using Alternatives = absl::InlinedVector<Alternative, 4>;

// The kinds of lists that a text has; none where there are alternatives and no list.
Alternatives AlternativesOf(const LoweredText& text) {
  Alternatives result;
  if (!text.has_alternatives) result.push_back(Alternative::kAny);
  if (!text.literals.empty()) result.push_back(Alternative::kLiterals);
  if (!text.prefixes.empty()) result.push_back(Alternative::kPrefixes);
  if (!text.suffixes.empty()) result.push_back(Alternative::kSuffixes);
  if (!text.patterns.empty()) result.push_back(Alternative::kPatterns);
  return result;
}

// Adds the constraint of one text to every clause of a Match, multiplying them by
// the kinds of lists that it has.
void AddText(const TextVocabulary& vocabulary, const LoweredText& text,
             std::vector<ClauseDraft>* clauses) {
  const std::uint32_t class_count = vocabulary.exact_class_count();
  // What the exact class must be whichever alternative holds.
  ClassSet allowed = vocabulary.Exact(text.excluded).Complement(class_count);
  if (!text.present_holds) allowed = ClassSet::Range(0, 0);
  if (!text.absent_holds) allowed = allowed.Intersect(ClassSet::Range(1, class_count - 1));

  // What each alternative adds to a clause. An affix or pattern holds only of a text
  // that is present, so absence needs no constraint of its own there.
  const auto constrain_exact = [&](ClassSet classes, ClauseDraft* clause) {
    ColumnConstraint& constraint = clause->columns.emplace_back();
    constraint.column = vocabulary.exact_column();
    constraint.allowed = std::move(classes);
  };
  const auto constrain = [&](Alternative alternative, ClauseDraft* clause) {
    switch (alternative) {
      case Alternative::kAny: return constrain_exact(allowed, clause);
      case Alternative::kLiterals:
        return constrain_exact(allowed.Intersect(vocabulary.Exact(text.literals)), clause);
      case Alternative::kPrefixes:
      case Alternative::kSuffixes: {
        const bool suffix = alternative == Alternative::kSuffixes;
        const LoweredText::Texts& list = suffix ? text.suffixes : text.prefixes;
        const TextVocabulary::AffixList& affixes = vocabulary.affixes(suffix);
        ColumnConstraint& constraint = clause->columns.emplace_back();
        constraint.column = affixes.column;
        constraint.allowed = vocabulary.Affixes(suffix, list);
        for (const absl::string_view affix : list)
          constraint.affixes.push_back(affixes.classes.at(affix));
        break;
      }
      case Alternative::kPatterns: clause->bits.push_back(vocabulary.Bit(text.patterns)); break;
    }
    if (!text.excluded.empty()) constrain_exact(allowed, clause);
  };

  const Alternatives alternatives = AlternativesOf(text);
  if (alternatives.size() == 1) {
    for (ClauseDraft& clause : *clauses) constrain(alternatives[0], &clause);
    return;
  }
  std::vector<ClauseDraft> product;
  product.reserve(clauses->size() * alternatives.size());
  for (const ClauseDraft& clause : *clauses)
    for (const Alternative alternative : alternatives)
      constrain(alternative, &product.emplace_back(clause));
  *clauses = std::move(product);
}

class ClauseMaker {
 public:
  ClauseMaker(const Vocabulary& vocabulary, const PolicyLimits& limits, std::vector<Issue>* issues)
      : vocabulary_(vocabulary), limits_(limits), issues_(issues) {}

  // Rule `r` of stage `s`; `index` counts over all stages.
  void AddRule(std::uint32_t index, const v1::Rule& rule, int s, int r) {
    if (rule.when().empty()) {
      clauses_.assign(1, ClauseDraft());
      Add(index, rule, nullptr);
    }
    for (int i = 0; i < rule.when_size(); ++i)
      if (!AddMatch(index, rule, rule.when(i)))
        AddIssue(absl::StrCat("stages[", s, "].rules[", r, "].when[", i, "]"));
  }

  Clauses Finish() && { return std::move(result_); }

 private:
  void AddIssue(std::string path) {
    Issue issue;
    issue.path = std::move(path);
    issue.message = absl::StrCat("the kinds of lists in one match combine to more than ",
                                 limits_.alternatives_per_match, " alternatives");
    issue.hint = "write one `when` for each kind";
    issues_->push_back(std::move(issue));
  }

  // False if there are too many combinations.
  bool AddMatch(std::uint32_t index, const v1::Rule& rule, const v1::Match& match) {
    texts_.clear();
    for (const TextAttribute& attribute : kTextAttributes) {
      if (!(match.*attribute.has)()) continue;
      texts_.emplace_back(
          &vocabulary_.texts.at(static_cast<std::uint32_t>(attribute.attribute)),
          LowerText((match.*attribute.get)(), vocabulary_.sets(), true));
    }
    for (const auto& [key, text] : match.labels())
      texts_.emplace_back(&vocabulary_.labels.at(key), LowerText(text, vocabulary_.sets(), false));

    std::size_t combinations = 1;
    for (const auto& [vocabulary, text] : texts_) {
      combinations *= std::max<std::size_t>(1, AlternativesOf(text).size());
      if (combinations > limits_.alternatives_per_match) return false;
    }
    clauses_.resize(1);
    clauses_[0].columns.clear();
    clauses_[0].bits.clear();
    for (const auto& [vocabulary, text] : texts_) AddText(*vocabulary, text, &clauses_);
    for (ClauseDraft& clause : clauses_) AddNumbersAndBooleans(match, &clause);
    Add(index, rule, &match);
    return true;
  }

  void AddNumbersAndBooleans(const v1::Match& match, ClauseDraft* clause) const {
    const auto add = [&](const NumberVocabulary& number, const v1::NumberMatch& constraint) {
      clause->columns.push_back({number.column(), number.Allowed(constraint), {}});
    };
    for (const NumberAttribute& attribute : kNumberAttributes)
      if (const v1::NumberMatch* number = attribute.In(match))
        add(vocabulary_.numbers.at(static_cast<std::uint32_t>(attribute.number)), *number);
    for (const auto& [name, number] : match.metrics()) add(vocabulary_.metrics.at(name), number);
    const auto add_boolean = [&](std::uint32_t column, bool value) {
      clause->columns.push_back({column, ClassSet::Range(value, value), {}});
    };
    if (match.has_preemptible()) add_boolean(vocabulary_.preemptible_column, match.preemptible());
    if (match.lineage().has_retry_of_preempted())
      add_boolean(vocabulary_.retry_of_preempted_column, match.lineage().retry_of_preempted());
  }

  // Of clauses_, those that something can satisfy. Keeps their memory for the next.
  void Add(std::uint32_t index, const v1::Rule& rule, const v1::Match* match) {
    const TimeCondition condition = MakeTimeCondition(rule, match);
    std::uint32_t time = kNone;
    if (condition.flags != 0) {
      const auto key = std::make_tuple(
          condition.flags, condition.wait_low, condition.wait_high, condition.from,
          condition.until, condition.second_low, condition.second_high, condition.days);
      const auto [found, is_new] =
          times_.emplace(key, static_cast<std::uint32_t>(result_.times.size()));
      if (is_new) result_.times.push_back(condition);
      time = found->second;
    }
    for (ClauseDraft& clause : clauses_) {
      const bool possible =
          std::none_of(clause.columns.begin(), clause.columns.end(),
                       [](const ColumnConstraint& c) { return c.allowed.empty(); });
      if (!possible) continue;
      const auto kept =
          std::remove_if(clause.columns.begin(), clause.columns.end(), [&](const auto& c) {
            return c.allowed.IsAll(vocabulary_.class_counts[c.column]);
          });
      ClauseDraft& draft = result_.drafts.emplace_back();
      draft.rule = index;
      draft.time = time;
      draft.columns.assign(std::make_move_iterator(clause.columns.begin()),
                           std::make_move_iterator(kept));
      draft.bits = clause.bits;
    }
  }

  const Vocabulary& vocabulary_;
  const PolicyLimits& limits_;
  std::vector<Issue>* const issues_;
  Clauses result_;
  std::vector<std::pair<const TextVocabulary*, LoweredText>> texts_;  // of one Match
  std::vector<ClauseDraft> clauses_;                                  // likewise
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                      std::uint32_t, std::uint32_t, std::uint32_t>,
           std::uint32_t>
      times_;
};

}  // namespace

Clauses MakeClauses(const v1::Policy& policy, const Vocabulary& vocabulary,
                    const PolicyLimits& limits, std::vector<Issue>* issues) {
  ClauseMaker maker(vocabulary, limits, issues);
  std::uint32_t index = 0;
  for (int s = 0; s < policy.stages_size(); ++s)
    for (int r = 0; r < policy.stages(s).rules_size(); ++r)
      maker.AddRule(index++, policy.stages(s).rules(r), s, r);
  return std::move(maker).Finish();
}

}  // namespace precedent::internal
