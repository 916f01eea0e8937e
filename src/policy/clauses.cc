#include "src/policy/clauses.h"

#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "src/policy/attributes.h"
#include "src/policy/time_condition.h"

namespace precedent::internal {
namespace {

// Adds the constraint of one text to every clause of a Match, multiplying them by
// the kinds of lists that it has.
void AddText(const TextVocabulary& vocabulary, const LoweredText& text,
             std::vector<ClauseDraft>* clauses) {
  const std::uint32_t class_count = vocabulary.exact_class_count();
  // What the exact class must be whichever alternative holds.
  ClassSet allowed = vocabulary.Exact(text.excluded).Complement(class_count);
  if (!text.present_holds) allowed = ClassSet::Range(0, 0);
  if (!text.absent_holds) allowed = allowed.Intersect(ClassSet::Range(1, class_count - 1));

  std::vector<ClauseDraft> alternatives;
  if (!text.has_alternatives) alternatives.push_back({0, {{vocabulary.exact_column(), allowed, {}}}, {}, kNone});
  if (!text.literals.empty())
    alternatives.push_back(
        {0, {{vocabulary.exact_column(), allowed.Intersect(vocabulary.Exact(text.literals)), {}}}, {}, kNone});
  // An affix or pattern holds only of a text that is present.
  const bool excludes = !text.excluded.empty();
  for (bool suffix : {false, true}) {
    const std::vector<std::string>& list = suffix ? text.suffixes : text.prefixes;
    if (list.empty()) continue;
    const TextVocabulary::AffixList& affixes = vocabulary.affixes(suffix);
    ColumnConstraint constraint{affixes.column, vocabulary.Affixes(suffix, list), {}};
    for (const std::string& affix : list) constraint.affixes.push_back(affixes.classes.at(affix));
    ClauseDraft alternative;
    alternative.columns.push_back(std::move(constraint));
    if (excludes) alternative.columns.push_back({vocabulary.exact_column(), allowed, {}});
    alternatives.push_back(std::move(alternative));
  }
  if (!text.patterns.empty()) {
    ClauseDraft alternative;
    alternative.bits.push_back(vocabulary.Bit(text.patterns));
    if (excludes) alternative.columns.push_back({vocabulary.exact_column(), allowed, {}});
    alternatives.push_back(std::move(alternative));
  }

  std::vector<ClauseDraft> product;
  product.reserve(clauses->size() * alternatives.size());
  for (const ClauseDraft& clause : *clauses) {
    for (const ClauseDraft& alternative : alternatives) {
      ClauseDraft& joined = product.emplace_back(clause);
      joined.columns.insert(joined.columns.end(), alternative.columns.begin(),
                            alternative.columns.end());
      joined.bits.insert(joined.bits.end(), alternative.bits.begin(), alternative.bits.end());
    }
  }
  *clauses = std::move(product);
}

std::size_t KindsOf(const LoweredText& text) {
  return std::size_t{!text.literals.empty()} + !text.prefixes.empty() + !text.suffixes.empty() +
         !text.patterns.empty();
}

class ClauseMaker {
 public:
  ClauseMaker(const Vocabulary& vocabulary, const PolicyLimits& limits, std::vector<Issue>* issues)
      : vocabulary_(vocabulary), limits_(limits), issues_(issues) {}

  void AddRule(std::uint32_t index, const v1::Rule& rule, const std::string& path) {
    if (rule.when().empty()) Add(index, rule, {ClauseDraft()}, nullptr);
    for (int i = 0; i < rule.when_size(); ++i)
      AddMatch(index, rule, rule.when(i), absl::StrCat(path, ".when[", i, "]"));
  }

  Clauses Finish() && { return std::move(result_); }

 private:
  void AddMatch(std::uint32_t index, const v1::Rule& rule, const v1::Match& match,
                const std::string& path) {
    std::vector<std::pair<const TextVocabulary*, LoweredText>> texts;
    for (const TextAttribute& attribute : kTextAttributes) {
      if (!(match.*attribute.has)()) continue;
      texts.emplace_back(
          &vocabulary_.texts.at(static_cast<std::uint32_t>(attribute.attribute)),
          LowerText((match.*attribute.get)(), vocabulary_.sets(), true));
    }
    for (const auto& [key, text] : match.labels())
      texts.emplace_back(&vocabulary_.labels.at(key), LowerText(text, vocabulary_.sets(), false));

    std::size_t combinations = 1;
    for (const auto& [vocabulary, text] : texts) {
      combinations *= std::max<std::size_t>(1, KindsOf(text));
      if (combinations > limits_.alternatives_per_match) {
        Issue issue;
        issue.path = path;
        issue.message = absl::StrCat("the kinds of lists in one match combine to more than ",
                                     limits_.alternatives_per_match, " alternatives");
        issue.hint = "write one `when` for each kind";
        issues_->push_back(std::move(issue));
        return;
      }
    }
    std::vector<ClauseDraft> clauses(1);
    for (const auto& [vocabulary, text] : texts) AddText(*vocabulary, text, &clauses);
    for (ClauseDraft& clause : clauses) AddNumbersAndBooleans(match, &clause);
    Add(index, rule, std::move(clauses), &match);
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

  void Add(std::uint32_t index, const v1::Rule& rule, std::vector<ClauseDraft> clauses,
           const v1::Match* match) {
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
    for (ClauseDraft& clause : clauses) {
      clause.rule = index;
      clause.time = time;
      bool possible = true;
      std::vector<ColumnConstraint> kept;
      for (ColumnConstraint& constraint : clause.columns) {
        possible &= !constraint.allowed.empty();
        if (!constraint.allowed.IsAll(vocabulary_.class_counts[constraint.column]))
          kept.push_back(std::move(constraint));
      }
      clause.columns = std::move(kept);
      if (possible) result_.drafts.push_back(std::move(clause));
    }
  }

  const Vocabulary& vocabulary_;
  const PolicyLimits& limits_;
  std::vector<Issue>* const issues_;
  Clauses result_;
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
      maker.AddRule(index++, policy.stages(s).rules(r),
                    absl::StrCat("stages[", s, "].rules[", r, "]"));
  return std::move(maker).Finish();
}

}  // namespace precedent::internal
