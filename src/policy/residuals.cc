#include "src/policy/residuals.h"

namespace precedent::internal {

ResidualWriter::ResidualWriter(ImageParts* parts)
    : parts_(*parts),
      intervals_(&parts->intervals),
      constraints_(&parts->constraints),
      residuals_(&parts->residuals) {
  const Residual empty;
  residuals_.Add(&empty, 1);
}

std::uint32_t ResidualWriter::Add(const ClauseDraft& clause,
                                  absl::Span<const ColumnConstraint* const> columns,
                                  std::uint32_t scaled_wait) {
  absl::InlinedVector<Constraint, 4> constraints;
  for (const ColumnConstraint* c : columns) constraints.push_back(Encode(*c));
  for (const std::uint32_t bit : clause.bits)
    constraints.push_back({bit, ConstraintKind::kBit, 0, 0});
  Residual residual;
  residual.constraint_count = static_cast<std::uint32_t>(constraints.size());
  if (!constraints.empty())
    residual.constraint_begin = constraints_.Add(constraints.data(), constraints.size());
  residual.time = clause.time;
  residual.scaled_wait = scaled_wait;
  return residuals_.Add(&residual, 1);
}

Constraint ResidualWriter::Encode(const ColumnConstraint& c) {
  const ClassSet::Intervals& intervals = c.allowed.intervals();
  if (intervals.size() == 1)
    return {c.column, ConstraintKind::kRange, intervals[0].low,
            intervals[0].high - intervals[0].low};
  if (parts_.column_classes[c.column] <= 64) {
    std::uint64_t mask = 0;
    for (const Interval& i : intervals)
      for (std::uint32_t k = i.low; k <= i.high; ++k) mask |= std::uint64_t{1} << k;
    return {c.column, ConstraintKind::kMask, static_cast<std::uint32_t>(mask),
            static_cast<std::uint32_t>(mask >> 32)};
  }
  return {c.column, ConstraintKind::kRanges, intervals_.Add(intervals.data(), intervals.size()),
          static_cast<std::uint32_t>(intervals.size())};
}

}  // namespace precedent::internal
