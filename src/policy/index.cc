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

}  // namespace

std::vector<Filing> FileClauses(const Clauses& clauses, const Vocabulary& vocabulary) {
  // Numbers and booleans come after the texts and are not filed under.
  std::vector<bool> is_text(vocabulary.column_count, false);
  const auto mark = [&](const TextVocabulary& text) {
    is_text[text.exact_column()] = true;
    for (bool suffix : {false, true})
      if (text.affixes(suffix).column != kNone) is_text[text.affixes(suffix).column] = true;
  };
  for (const auto& [attribute, text] : vocabulary.texts) mark(text);
  for (const auto& [key, text] : vocabulary.labels) mark(text);

  std::vector<Filing> filings;
  filings.reserve(clauses.drafts.size());
  for (std::uint32_t i = 0; i < clauses.drafts.size(); ++i) {
    const ClauseDraft& draft = clauses.drafts[i];
    const ColumnConstraint* best = nullptr;
    double best_share = 1.0 / kSelectivity;
    for (const ColumnConstraint& c : draft.columns) {
      // Classes 0 and 1 are absent and unknown: nothing selects them.
      if (!is_text[c.column] || c.allowed.lowest() < 2) continue;
      const std::uint64_t buckets = c.affixes.empty() ? c.allowed.size() : c.affixes.size();
      const double share =
          static_cast<double>(c.allowed.size()) / vocabulary.class_counts[c.column];
      if (buckets <= kMaxFilings && share <= best_share) {
        best = &c;
        best_share = share;
      }
    }
    if (best == nullptr) {
      filings.push_back({i, kNone, 0});
    } else if (!best->affixes.empty()) {
      for (std::uint32_t affix : best->affixes) filings.push_back({i, best->column, affix});
    } else {
      for (const Interval& interval : best->allowed.intervals())
        for (std::uint32_t k = interval.low; k <= interval.high; ++k)
          filings.push_back({i, best->column, k});
    }
  }
  std::sort(filings.begin(), filings.end(), [](const Filing& a, const Filing& b) {
    return std::tie(a.column, a.klass, a.draft) < std::tie(b.column, b.klass, b.draft);
  });
  return filings;
}

}  // namespace precedent::internal
