// Binding to a table without classes between: what each value adds to the number of the
// cell is summed up. For policies that look at few literals of built-in texts and at
// built-in numbers, which is what small ones do.
#ifndef PRECEDENT_INTERNAL_DIRECT_H_
#define PRECEDENT_INTERNAL_DIRECT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "precedent/internal/bound_job.h"
#include "precedent/internal/built_in.h"
#include "precedent/internal/image.h"
#include "precedent/internal/number.h"
#include "precedent/internal/text_key.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// REQUIRES: header.direct. Returns the number of the cell, and writes the amounts of
// the terms that are not of the wait.
inline std::uint32_t BindDirect(Image image, const JobDescriptor& job,
                                std::int32_t* amounts) noexcept {
  const Header& h = image.header();
  std::uint32_t cell = (h.preemptible_stride & Ones(job.preemptible)) +
                       (h.retry_of_preempted_stride & Ones(job.lineage.retry_of_preempted));
  const DirectText* text = image.begin(h.direct_texts);
  for (const DirectText* end = text + h.direct_texts.count; text != end; ++text) {
    const std::string_view value = BuiltInText(job, text->attribute);
    const TextKey key = ShortKey(value);
    std::uint32_t added = text->stride;
    const DirectLiteral* literal = image.begin(h.direct_literals) + text->literal_begin;
    for (const DirectLiteral* last = literal + text->literal_count; literal != last; ++literal) {
      const std::uint64_t differs = (literal->low ^ key.low) | (literal->high ^ key.high) |
                                    (literal->size ^ key.size);
      added += literal->added & Ones(differs == 0);
    }
    cell += added & Ones(!value.empty());
  }
  const DirectNumber* number = image.begin(h.direct_numbers);
  for (const DirectNumber* end = number + h.direct_numbers.count; number != end; ++number) {
    cell += number->stride * RankOfFew(number->cuts, BuiltInNumber(job, number->number));
  }
  const Term* terms = image.begin(h.terms);
  for (std::uint32_t t = 0; t < h.wait_term_begin; ++t)
    amounts[t] = ScaledAmount(image.at(h.scaled, terms[t].scaled),
                              BuiltInNumber(job, terms[t].number));
  return cell;
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_DIRECT_H_
