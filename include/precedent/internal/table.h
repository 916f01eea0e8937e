// Evaluation of a policy so small that every combination of classes has its answer in
// a table. What depends on more than classes, scaled amounts, is added to it.
#ifndef PRECEDENT_INTERNAL_TABLE_H_
#define PRECEDENT_INTERNAL_TABLE_H_

#include <cstdint>

#include "precedent/decision.h"
#include "precedent/internal/bound_job.h"
#include "precedent/internal/clock.h"
#include "precedent/internal/image.h"
#include "precedent/internal/inlining.h"
#include "precedent/internal/outcome.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// A score with and without order-only rules.
struct Scores {
  std::int64_t score;
  std::int64_t preemption_score;
};

// Adds `amount` of term `t`, if it is one of the cell's.
PRECEDENT_HOT void AddTerm(const Cell& cell, const Term* terms, std::uint32_t t,
                           std::int32_t amount, Scores* scores) noexcept {
  const std::uint32_t added = Ones((cell.terms >> t & 1) != 0);
  const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(amount) & added);
  scores->score += value;
  scores->preemption_score +=
      static_cast<std::int32_t>(static_cast<std::uint32_t>(value) & ~terms[t].order_only);
}

// `scores` and the terms of the wait; sets valid_until.
PRECEDENT_COLD Scores AddWaits(Image image, const Cell& cell, std::int64_t submitted,
                               std::int64_t now, Scores scores, Decision* decision) noexcept {
  const Header& h = image.header();
  const Term* terms = image.begin(h.terms);
  Clock clock(image, submitted, now);
  for (std::uint32_t t = h.wait_term_begin; t < h.term_count; ++t) {
    const Scaled& scaled = image.at(h.scaled, terms[t].scaled);
    AddTerm(cell, terms, t, clock.AddForWait(scaled, (cell.noted >> t & 1) != 0), &scores);
  }
  if (clock.valid_until() != kNever)
    decision->valid_until = TimePoint(std::chrono::microseconds(clock.valid_until()));
  return scores;
}

// REQUIRES: HasTable, and the job is valid. `amounts`: of the terms that are not of the
// wait; `flags`: as in BoundHeader; times in microseconds since 1970; `*decision` is new.
PRECEDENT_HOT void DecideByCell(Image image, std::uint32_t number, const std::int32_t* amounts,
                                std::uint32_t flags, std::int64_t submitted, std::int64_t now,
                                Decision* decision) noexcept {
  const Header& h = image.header();
  const Cell& cell = image.at(h.cells, number);
  const Term* terms = image.begin(h.terms);
  Scores scores{cell.score, cell.preemption_score};
  for (std::uint32_t t = 0; t < h.wait_term_begin; ++t)
    AddTerm(cell, terms, t, amounts[t], &scores);
  StartDecision(image, flags, decision);
  if (h.wait_term_begin != h.term_count)
    scores = AddWaits(image, cell, submitted, now, scores, decision);
  std::uint32_t klass = kNone;
  if (cell.outcome != kNone)
    SetOutcome(image, image.at(h.outcomes, cell.outcome), &klass, decision);
  decision->priority = ClampScore(h, scores.score);
  decision->preemption_priority = ClampScore(h, scores.preemption_score);
  SetClass(image, klass, decision->preemption_priority, decision);
}

// Calls on_rule(rule) for every rule that applies, in order.
template <typename OnRule>
void ForCellRules(Image image, const BoundParts<const std::byte>& job,
                  OnRule&& on_rule) noexcept {
  const Header& h = image.header();
  const CellRules& list = image.at(h.cell_rules, job.header->cell);
  const std::uint32_t* rules = image.begin(h.cell_rule_lists) + list.begin;
  for (std::uint32_t i = 0; i < list.count; ++i) on_rule(rules[i]);
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_TABLE_H_
