// Buckets as blocks of eight clauses.
#ifndef PRECEDENT_SRC_POLICY_BLOCK_WRITER_H_
#define PRECEDENT_SRC_POLICY_BLOCK_WRITER_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "src/policy/clauses.h"
#include "src/policy/image_parts.h"
#include "src/policy/index.h"
#include "src/policy/residuals.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

class BlockWriter {
 public:
  // Chooses the policy's hot columns and writes them. `scaled_wait`, by rule: index in
  // Header::scaled, or kNone.
  BlockWriter(const Clauses& clauses, const Vocabulary& vocabulary,
              const std::vector<std::uint32_t>& scaled_wait, ResidualWriter* residuals,
              ImageParts* parts);

  // Appends the blocks of one bucket; `column`, which the bucket implies, may be kNone.
  void Write(std::uint32_t kind, std::uint32_t column, std::vector<std::uint32_t> numbers);

  // Appends one block of at most kLanes clauses from several buckets of one column, each
  // of which asks for its class.
  void WriteShared(std::uint32_t kind, const std::vector<Filing>& filings);

  // Notes in the sources of texts which of them the blocks' signatures look at.
  void MarkSignatureSources();

 private:
  void ChooseHotColumns();
  // `classes`: of the column, by lane; null where the bucket implies it.
  void WriteBlock(std::uint32_t kind, std::uint32_t column, const std::uint32_t* numbers,
                  const std::uint32_t* classes, std::size_t size);
  bool FitsLane(const ColumnConstraint& c) const;
  std::uint16_t HotMask(const ClauseDraft& clause, std::uint32_t column) const;
  using Columns = absl::InlinedVector<std::uint32_t, 4>;
  // The columns that a clause would like to have lanes for, ascending.
  Columns Wanted(std::uint32_t number, std::uint32_t column) const;

  const Clauses& clauses_;
  const Vocabulary& vocabulary_;
  const std::vector<std::uint32_t>& scaled_wait_;
  ResidualWriter& residuals_;
  ImageParts& parts_;
  std::vector<std::uint32_t> hot_shift_;  // by column; kNone: not hot
  std::vector<bool> is_exact_text_;       // by column
  std::vector<bool> in_signature_;        // by column
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_BLOCK_WRITER_H_
