#include "src/policy/block_writer.h"

#include <algorithm>

#include "precedent/internal/bound_job.h"

namespace precedent::internal {
namespace {

// The hot word has 15 bits for the classes of all its columns: one larger than this
// would leave no room for a second.
constexpr std::uint32_t kMaxHotClasses = 9;

}  // namespace

BlockWriter::BlockWriter(const Clauses& clauses, const Vocabulary& vocabulary,
                         const std::vector<std::uint32_t>& scaled_wait, ResidualWriter* residuals,
                         ImageParts* parts)
    : clauses_(clauses),
      vocabulary_(vocabulary),
      scaled_wait_(scaled_wait),
      residuals_(*residuals),
      parts_(*parts),
      hot_shift_(vocabulary.column_count, kNone),
      is_exact_text_(vocabulary.column_count, false),
      in_signature_(vocabulary.column_count, false) {
  for (const auto& [attribute, text] : vocabulary.texts) is_exact_text_[text.exact_column()] = true;
  for (const auto& [key, text] : vocabulary.labels) is_exact_text_[text.exact_column()] = true;
  ChooseHotColumns();
}

void BlockWriter::ChooseHotColumns() {
  std::vector<std::pair<std::size_t, std::uint32_t>> uses;
  for (std::uint32_t c = 0; c < vocabulary_.column_count; ++c) uses.push_back({0, c});
  for (const ClauseDraft& clause : clauses_.drafts)
    for (const ColumnConstraint& c : clause.columns) ++uses[c.column].first;
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::uint32_t next = 0;
  for (const auto& [count, column] : uses) {
    const std::uint32_t classes = vocabulary_.class_counts[column];
    if (count == 0 || classes > kMaxHotClasses || next + classes > kAlwaysHot) continue;
    hot_shift_[column] = next;
    parts_.hot_columns.push_back({column, next});
    next += classes;
  }
}

bool BlockWriter::FitsLane(const ColumnConstraint& c) const {
  return c.allowed.intervals().size() == 1 && vocabulary_.class_counts[c.column] <= 0x10000;
}

BlockWriter::Columns BlockWriter::Wanted(std::uint32_t number, std::uint32_t column) const {
  Columns wanted;
  for (const ColumnConstraint& c : clauses_.drafts[number].columns)
    if (c.column != column && hot_shift_[c.column] == kNone && FitsLane(c))
      wanted.push_back(c.column);
  std::sort(wanted.begin(), wanted.end());
  return wanted;
}

void BlockWriter::Write(std::uint32_t kind, std::uint32_t column,
                        std::vector<std::uint32_t> numbers) {
  // Neighbours that look at the same columns share their lanes. Only a first-match
  // stage needs its order.
  if (kind != Group::kFirst && numbers.size() > kLanes) {
    std::vector<std::pair<Columns, std::uint32_t>> by_columns;
    by_columns.reserve(numbers.size());
    for (const std::uint32_t number : numbers)
      by_columns.emplace_back(Wanted(number, column), number);
    // Numbers ascend: their order stands among equals.
    std::sort(by_columns.begin(), by_columns.end());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = by_columns[i].second;
  }
  for (std::size_t i = 0; i < numbers.size(); i += kLanes)
    WriteBlock(kind, column, numbers.data() + i, nullptr,
               std::min<std::size_t>(kLanes, numbers.size() - i));
}

void BlockWriter::WriteShared(std::uint32_t kind, const std::vector<Filing>& filings) {
  std::uint32_t numbers[kLanes], classes[kLanes];
  for (std::size_t i = 0; i < filings.size(); ++i) {
    numbers[i] = filings[i].clause;
    classes[i] = filings[i].klass;
  }
  WriteBlock(kind, filings[0].column, numbers, classes, filings.size());
}

std::uint16_t BlockWriter::HotMask(const ClauseDraft& clause, std::uint32_t column) const {
  std::uint32_t mask = 0xffff;
  for (const ColumnConstraint& c : clause.columns) {
    const std::uint32_t shift = hot_shift_[c.column];
    if (c.column == column || shift == kNone) continue;
    for (std::uint32_t k = 0; k < vocabulary_.class_counts[c.column]; ++k) {
      const auto& intervals = c.allowed.intervals();
      const bool allowed = std::any_of(intervals.begin(), intervals.end(), [&](const Interval& i) {
        return i.low <= k && k <= i.high;
      });
      if (!allowed) mask &= ~(1u << (shift + k));
    }
  }
  return static_cast<std::uint16_t>(mask);
}

void BlockWriter::WriteBlock(std::uint32_t kind, std::uint32_t column,
                             const std::uint32_t* numbers, const std::uint32_t* classes,
                             std::size_t size) {
  // Columns with how many lanes want them; the most wanted, then the least column.
  absl::InlinedVector<std::pair<std::uint32_t, std::size_t>, 16> best;
  for (std::size_t i = 0; i < size; ++i) {
    for (const std::uint32_t wanted : Wanted(numbers[i], column)) {
      const auto found = std::find_if(best.begin(), best.end(),
                                      [&](const auto& b) { return b.first == wanted; });
      if (found != best.end()) {
        ++found->second;
      } else {
        best.emplace_back(wanted, 1);
      }
    }
  }
  std::sort(best.begin(), best.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (classes != nullptr) best.emplace(best.begin(), column, size);
  if (best.size() > kLaneColumns) best.resize(kLaneColumns);

  Block block;
  block.residual_begin = SizeOf(parts_.block_residuals);
  for (std::size_t k = 0; k < best.size(); ++k)
    block.column[k] = static_cast<std::uint16_t>(best[k].first);
  // Lanes without a clause allow no hot word: every job has the bit kAlwaysHot. Their
  // rule is that of the last clause, so that payloads keep their order.
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const ClauseDraft& clause = clauses_.drafts[numbers[std::min(lane, size - 1)]];
    const Rule& rule = parts_.rules[clause.rule];
    for (auto& width : block.width) width[lane] = 0xffff;
    if (kind == Group::kSum) parts_.block_rules.push_back(lane < size ? clause.rule : kNone);
    if (kind != Group::kSum) block.payload[lane] = static_cast<std::int32_t>(clause.rule);
    if (lane >= size) continue;

    block.hot[lane] = HotMask(clause, column);
    if (classes != nullptr) {
      block.low[0][lane] = static_cast<std::uint16_t>(classes[lane]);
      block.width[0][lane] = 0;
    }
    absl::InlinedVector<const ColumnConstraint*, 8> left;
    for (const ColumnConstraint& c : clause.columns) {
      if (c.column == column || hot_shift_[c.column] != kNone) continue;
      const auto found = std::find_if(best.begin(), best.end(),
                                      [&](const auto& b) { return b.first == c.column; });
      if (found != best.end() && FitsLane(c)) {
        const std::size_t k = static_cast<std::size_t>(found - best.begin());
        const Interval& interval = c.allowed.intervals()[0];
        block.low[k][lane] = static_cast<std::uint16_t>(interval.low);
        block.width[k][lane] = static_cast<std::uint16_t>(interval.high - interval.low);
        continue;
      }
      left.push_back(&c);
      if (is_exact_text_[c.column] && c.allowed.lowest() >= 2 && c.allowed.size() == 1) {
        block.signature[lane] = static_cast<std::uint16_t>(
            block.signature[lane] | SignatureBit(c.column, c.allowed.lowest()));
        in_signature_[c.column] = true;
      }
    }
    const std::uint32_t scaled_wait = scaled_wait_[clause.rule];
    const std::uint32_t residual = residuals_.Add(clause, left, scaled_wait);
    if (residual != 0) {
      block.residual_lanes = static_cast<std::uint16_t>(block.residual_lanes | 1u << lane);
      parts_.block_residuals.push_back({residual, kind == Group::kSum ? rule.value : 0});
    } else if (kind == Group::kSum) {
      block.payload[lane] = rule.value;
    }
  }
  parts_.blocks.push_back(block);
}

void BlockWriter::MarkSignatureSources() {
  for (TextSource& source : parts_.text_sources)
    source.signature = in_signature_[source.exact_column] ? ~std::uint32_t{0} : 0;
}

}  // namespace precedent::internal
