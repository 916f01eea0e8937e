// What blocks and rows cannot say of a clause.
#ifndef PRECEDENT_SRC_POLICY_RESIDUALS_H_
#define PRECEDENT_SRC_POLICY_RESIDUALS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"

namespace precedent::internal {

// Writes residuals; equal ones are kept once. Number 0 is the empty one.
class ResidualWriter {
 public:
  explicit ResidualWriter(ImageParts* parts);

  // The residual of a clause that has still to check `columns`, and its bits, time
  // and scaled wait (in Header::scaled; kNone).
  std::uint32_t Add(const ClauseDraft& clause, absl::Span<const ColumnConstraint* const> columns,
                    std::uint32_t scaled_wait);

 private:
  Constraint Encode(const ColumnConstraint& c);

  ImageParts& parts_;
  SharedRuns<Interval> intervals_;
  SharedRuns<Constraint> constraints_;
  SharedRuns<Residual> residuals_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_RESIDUALS_H_
