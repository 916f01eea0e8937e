#include "src/policy/row_writer.h"

#include <algorithm>

#include "src/policy/grouping.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kChunkWords = 8;  // see Matcher::MatchWords
// Columns of more classes have one row for each of so many runs of classes.
constexpr std::uint32_t kMaxExactClasses = 512;
constexpr std::uint32_t kRuns = 128;
// A column costs a word of each chunk of its row; leaving it to the residuals of the
// clauses that look at it costs about so many times as much for each that else holds.
constexpr double kResidualCost = 10;
// Going through a whole word takes about as long as finding so many of its bits.
constexpr double kDense = 6;

std::uint32_t RunOf(std::uint32_t klass, std::uint32_t classes, std::uint32_t runs) {
  return static_cast<std::uint32_t>(std::uint64_t{klass} * runs / classes);
}

}  // namespace

RowWriter::RowWriter(const Clauses& clauses, const Vocabulary& vocabulary,
                     const std::vector<std::uint32_t>& scaled_wait, ResidualWriter* residuals,
                     ImageParts* parts)
    : clauses_(clauses),
      vocabulary_(vocabulary),
      scaled_wait_(scaled_wait),
      residuals_(*residuals),
      parts_(*parts),
      shared_rows_(&parts->rows) {}

void RowWriter::Write(std::vector<std::uint32_t> numbers, Group* group) {
  if (numbers.empty()) return;
  if (group->kind == Group::kSum && numbers.size() > kWordBits) {
    // Clauses that nearly all jobs satisfy stand together, see Invert.
    std::stable_sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ShareOf(clauses_.drafts[a], vocabulary_) > ShareOf(clauses_.drafts[b], vocabulary_);
    });
  }
  group->word_count = static_cast<std::uint32_t>((numbers.size() + kWordBits - 1) / kWordBits);
  group->word_begin = SizeOf(parts_.row_words);
  group->points_begin = SizeOf(parts_.row_points);
  group->row_column_begin = SizeOf(parts_.row_columns);
  const std::vector<std::uint32_t> columns = ChooseColumns(numbers);
  group->row_column_count = static_cast<std::uint32_t>(columns.size());
  for (const std::uint32_t column : columns) WriteColumn(column, numbers);
  WriteEntries(numbers, columns, *group);
}

std::vector<std::uint32_t> RowWriter::ChooseColumns(
    const std::vector<std::uint32_t>& numbers) const {
  // How often a job would look at a column in residuals.
  std::vector<std::pair<double, std::uint32_t>> looks;
  for (std::uint32_t c = 0; c < vocabulary_.column_count; ++c) looks.push_back({0, c});
  for (const std::uint32_t i : numbers) {
    const double share = ShareOf(clauses_.drafts[i], vocabulary_);
    for (const ColumnConstraint& c : clauses_.drafts[i].columns)
      looks[c.column].first +=
          share * vocabulary_.class_counts[c.column] / static_cast<double>(c.allowed.size());
  }
  std::stable_sort(looks.begin(), looks.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const double words = static_cast<double>(numbers.size()) / kWordBits;
  std::vector<std::uint32_t> result;
  for (const auto& [count, column] : looks) {
    if (count == 0 || result.size() == kMaxRowColumns) break;
    if (numbers.size() > kWordBits && count * kResidualCost < words) break;
    result.push_back(column);
  }
  return result;
}

bool RowWriter::IsCoarse(std::uint32_t column, std::size_t size) const {
  return size > kWordBits && vocabulary_.class_counts[column] > kMaxExactClasses;
}

std::vector<RowWriter::Bits> RowWriter::MakeRows(std::uint32_t column,
                                                 const std::vector<std::uint32_t>& numbers,
                                                 std::uint32_t runs, bool all) const {
  const std::uint32_t classes = vocabulary_.class_counts[column];
  std::size_t words = (numbers.size() + kWordBits - 1) / kWordBits;
  if (words > 1) words = (words + kChunkWords - 1) / kChunkWords * kChunkWords;
  std::vector<Bits> rows(runs, Bits(words));
  for (std::size_t bit = 0; bit < numbers.size(); ++bit) {
    const auto set = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t run = begin; run < end; ++run)
        rows[run][bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
    };
    const std::vector<ColumnConstraint>& constraints = clauses_.drafts[numbers[bit]].columns;
    const auto found = std::find_if(constraints.begin(), constraints.end(),
                                    [&](const auto& c) { return c.column == column; });
    if (found == constraints.end()) {
      set(0, runs);
      continue;
    }
    for (const Interval& i : found->allowed.intervals()) {
      std::uint32_t begin = RunOf(i.low, classes, runs), end = RunOf(i.high, classes, runs) + 1;
      if (all) {
        // Runs that stick out of the interval at either end are not all in it.
        if (i.low > 0 && RunOf(i.low - 1, classes, runs) == begin) ++begin;
        if (i.high + 1 < classes && RunOf(i.high + 1, classes, runs) + 1 == end) --end;
      }
      set(begin, end);
    }
  }
  return rows;
}

// Where the table of rows by class begins.
std::uint32_t RowWriter::WriteTable(std::uint32_t column, const std::vector<Bits>& rows) {
  const std::uint32_t classes = vocabulary_.class_counts[column];
  std::vector<std::uint32_t> places;
  for (const Bits& row : rows) places.push_back(shared_rows_.Add(row.data(), row.size()));
  const std::uint32_t table = SizeOf(parts_.row_tables);
  for (std::uint32_t klass = 0; klass < classes; ++klass)
    parts_.row_tables.push_back(
        places[RunOf(klass, classes, static_cast<std::uint32_t>(rows.size()))]);
  return table;
}

void RowWriter::WriteColumn(std::uint32_t column, const std::vector<std::uint32_t>& numbers) {
  const std::uint32_t classes = vocabulary_.class_counts[column];
  RowColumn row;
  row.column = column;
  if (numbers.size() <= kWordBits) {
    row.table = SizeOf(parts_.rows);
    for (const Bits& bits : MakeRows(column, numbers, classes, false))
      parts_.rows.push_back(bits[0]);
  } else if (IsCoarse(column, numbers.size())) {
    row.table = WriteTable(column, MakeRows(column, numbers, kRuns, false));
    row.certain = WriteTable(column, MakeRows(column, numbers, kRuns, true));
  } else {
    row.table = WriteTable(column, MakeRows(column, numbers, classes, false));
  }
  parts_.row_columns.push_back(row);
}

void RowWriter::WriteEntries(const std::vector<std::uint32_t>& numbers,
                             const std::vector<std::uint32_t>& columns, const Group& group) {
  std::vector<bool> exact(vocabulary_.column_count, false), coarse(exact);
  for (const std::uint32_t column : columns)
    (IsCoarse(column, numbers.size()) ? coarse : exact)[column] = true;
  for (std::size_t word = 0; word < group.word_count; ++word) {
    RowWord row;
    RowEntry entries[kWordBits];
    std::int32_t points[kWordBits] = {};
    for (std::size_t bit = 0; bit < kWordBits; ++bit) {
      const std::size_t i = std::min(word * kWordBits + bit, numbers.size() - 1);
      const ClauseDraft& clause = clauses_.drafts[numbers[i]];
      entries[bit].rule = clause.rule;
      if (word * kWordBits + bit >= numbers.size()) continue;
      if (group.kind == Group::kSum) points[bit] = parts_.rules[clause.rule].value;
      // A coarse column is checked again where its run of classes is not all in.
      bool plain = clause.bits.empty() && clause.time == kNone &&
                   scaled_wait_[clause.rule] == kNone;
      absl::InlinedVector<const ColumnConstraint*, 8> left;
      for (const ColumnConstraint& c : clause.columns) {
        if (exact[c.column]) continue;
        left.push_back(&c);
        plain &= coarse[c.column];
      }
      entries[bit].residual = residuals_.Add(clause, left, scaled_wait_[clause.rule]);
      row.present |= std::uint64_t{1} << bit;
      if (plain) row.plain |= std::uint64_t{1} << bit;
    }
    if (group.kind == Group::kSum) {
      Invert(numbers, word, &row, points);
      parts_.row_points.insert(parts_.row_points.end(), points, points + kWordBits);
    }
    parts_.row_words.push_back(row);
    parts_.row_entries.insert(parts_.row_entries.end(), entries, entries + kWordBits);
  }
}

// Chooses how the points of a word are added up.
void RowWriter::Invert(const std::vector<std::uint32_t>& numbers, std::size_t word, RowWord* row,
                       std::int32_t* points) const {
  double expected = 0;
  const std::size_t begin = word * kWordBits;
  const std::size_t end = std::min(begin + kWordBits, numbers.size());
  for (std::size_t i = begin; i < end; ++i)
    expected += ShareOf(clauses_.drafts[numbers[i]], vocabulary_);
  const double rest = static_cast<double>(end - begin) - expected;
  if (std::min(expected, rest) > kDense) row->dense = ~std::uint64_t{0};
  if (expected <= rest) return;
  row->inverted = ~std::uint64_t{0};
  for (std::size_t bit = 0; bit < end - begin; ++bit) {
    row->base += points[bit];
    points[bit] = -points[bit];
  }
}

}  // namespace precedent::internal
