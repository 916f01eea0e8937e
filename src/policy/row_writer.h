// The bit matrix of clauses that are in no bucket.
#ifndef PRECEDENT_SRC_POLICY_ROW_WRITER_H_
#define PRECEDENT_SRC_POLICY_ROW_WRITER_H_

#include <cstdint>
#include <vector>

#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"
#include "src/policy/residuals.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

class RowWriter {
 public:
  RowWriter(const Clauses& clauses, const Vocabulary& vocabulary,
            const std::vector<std::uint32_t>& scaled_wait, ResidualWriter* residuals,
            ImageParts* parts);

  // Appends the matrix of `numbers` and notes it in the group.
  void Write(std::vector<std::uint32_t> numbers, Group* group);

 private:
  // Clauses of the matrix, by bit; those that a set of classes satisfies.
  using Bits = std::vector<std::uint64_t>;

  std::vector<std::uint32_t> ChooseColumns(const std::vector<std::uint32_t>& numbers) const;
  bool IsCoarse(std::uint32_t column, std::size_t size) const;
  void WriteColumn(std::uint32_t column, const std::vector<std::uint32_t>& numbers);
  void WriteEntries(const std::vector<std::uint32_t>& numbers,
                    const std::vector<std::uint32_t>& columns, const Group& group);
  void Invert(const std::vector<std::uint32_t>& numbers, std::size_t word, RowWord* row,
              std::int32_t* points) const;
  // Rows of `runs` runs of classes; with `all` the clauses that all of a run satisfies,
  // else those that any does.
  std::vector<Bits> MakeRows(std::uint32_t column, const std::vector<std::uint32_t>& numbers,
                             std::uint32_t runs, bool all) const;
  std::uint32_t WriteTable(std::uint32_t column, const std::vector<Bits>& rows);

  const Clauses& clauses_;
  const Vocabulary& vocabulary_;
  const std::vector<std::uint32_t>& scaled_wait_;
  ResidualWriter& residuals_;
  ImageParts& parts_;
  SharedRuns<std::uint64_t> shared_rows_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_ROW_WRITER_H_
