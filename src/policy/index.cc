#include "src/policy/index.h"

#include <algorithm>
#include <tuple>

namespace precedent::internal {
namespace {

// A clause is filed under a text if at most one in kSelectivity of the text's
// values satisfies it (below that, reading the buckets costs more than checking the
// clause), and in at most kMaxFilings buckets.
constexpr std::uint64_t kSelectivity = 8;
constexpr std::uint64_t kMaxFilings = 4096;
constexpr std::size_t kOneWord = 64;

// Numbers and booleans come after the texts and are not filed under. By column: the
// affixes that it is of; null elsewhere.
struct TextColumns {
  explicit TextColumns(const Vocabulary& vocabulary)
      : is_text(vocabulary.column_count, false), affixes(vocabulary.column_count, nullptr) {
    for (const auto& [attribute, text] : vocabulary.texts) Mark(text);
    for (const auto& [key, text] : vocabulary.labels) Mark(text);
  }
  void Mark(const TextVocabulary& text) {
    is_text[text.exact_column()] = true;
    for (const bool suffix : {false, true}) {
      const TextVocabulary::AffixList& list = text.affixes(suffix);
      if (list.column == kNone) continue;
      is_text[list.column] = true;
      affixes[list.column] = &list;
    }
  }
  std::vector<bool> is_text;
  std::vector<const TextVocabulary::AffixList*> affixes;
};

// The listed classes of which none extends another: a job meets the buckets of all
// affixes of its text, and would meet the clause in several.
std::vector<std::uint32_t> Shortest(const TextVocabulary::AffixList& list,
                                    std::vector<std::uint32_t> classes) {
  std::sort(classes.begin(), classes.end());
  std::vector<std::uint32_t> result;
  std::uint32_t covered = 0;  // up to this class
  for (const std::uint32_t klass : classes) {
    if (klass <= covered) continue;
    result.push_back(klass);
    covered = list.last[klass - 2];
  }
  return result;
}

}  // namespace

FiledClauses FileClauses(const std::vector<std::uint32_t>& numbers, const Clauses& clauses,
                         const Vocabulary& vocabulary) {
  FiledClauses result;
  if (numbers.size() <= kOneWord) {
    result.unfiled = numbers;
    return result;
  }
  const TextColumns columns(vocabulary);
  for (const std::uint32_t i : numbers) {
    const ColumnConstraint* best = nullptr;
    double best_share = 1.0 / kSelectivity;
    for (const ColumnConstraint& c : clauses.drafts[i].columns) {
      // Classes 0 and 1 are absent and unknown: nothing selects them.
      if (!columns.is_text[c.column] || c.allowed.lowest() < 2) continue;
      const std::uint64_t buckets = c.affixes.empty() ? c.allowed.size() : c.affixes.size();
      const double share =
          static_cast<double>(c.allowed.size()) / vocabulary.class_counts[c.column];
      if (buckets <= kMaxFilings && share <= best_share) {
        best = &c;
        best_share = share;
      }
    }
    if (best == nullptr) {
      result.unfiled.push_back(i);
    } else if (!best->affixes.empty()) {
      for (const std::uint32_t affix : Shortest(*columns.affixes[best->column], best->affixes))
        result.filed.push_back({i, best->column, affix});
    } else {
      for (const Interval& interval : best->allowed.intervals())
        for (std::uint32_t k = interval.low; k <= interval.high; ++k)
          result.filed.push_back({i, best->column, k});
    }
  }
  std::sort(result.filed.begin(), result.filed.end(), [](const Filing& a, const Filing& b) {
    return std::tie(a.column, a.klass, a.clause) < std::tie(b.column, b.klass, b.clause);
  });
  return result;
}

}  // namespace precedent::internal
