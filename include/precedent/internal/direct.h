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
#include "precedent/internal/inlining.h"
#include "precedent/internal/number.h"
#include "precedent/internal/quad.h"
#include "precedent/internal/text_key.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// What `text` adds.
PRECEDENT_HOT Quad DirectAdded(const DirectText& direct, std::string_view text) noexcept {
  const auto added = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return LoadQuad(direct.added) & Same(LoadQuad(direct.words[0]), FourOf(a)) &
           Same(LoadQuad(direct.words[1]), FourOf(b)) &
           Same(LoadQuad(direct.words[2]), FourOf(c)) &
           Same(LoadQuad(direct.words[3]), FourOf(d)) &
           Same(LoadQuad(direct.sizes), FourOf(static_cast<std::uint32_t>(text.size())));
  };
  // Those of ShortKey.
  const std::size_t n = text.size();
  if (n < 4) return added(static_cast<std::uint32_t>(ShortKey(text).low), 0, 0, 0);
  const char* p = text.data();
  const std::size_t q = n >> 3 << 2;
  return added(Load32(p), Load32(p + q), Load32(p + n - 4 - q), Load32(p + n - 4));
}

// REQUIRES: header.direct, and the job has no odd number. Returns the number of the cell,
// and writes the amounts of the terms that are not of the wait.
PRECEDENT_HOT std::uint32_t BindDirect(Image image, const JobDescriptor& job,
                                std::int32_t* amounts) noexcept {
  const Header& h = image.header();
  Quad sum = FourOf(0);
  const DirectText* text = image.begin(h.direct_texts);
  for (const DirectText* end = text + h.direct_texts.count; text != end; ++text)
    sum = sum + DirectAdded(*text, BuiltInText(job, text->attribute));
  // Without signs, doubles are in the order of their bits; one that is absent is no number,
  // and these are above all others.
  const DirectCuts* cuts = image.begin(h.direct_cuts);
  for (const DirectCuts* end = cuts + h.direct_cuts.count; cuts != end; ++cuts)
    sum = sum + (LoadQuad(cuts->added) &
                 Reached(TwoOf(BuiltInBytes(job, cuts->number)), LoadQuad(cuts->cuts)));
  const Term* terms = image.begin(h.terms);
  for (std::uint32_t t = 0; t < h.wait_term_begin; ++t)
    amounts[t] = ScaledAmount(image.at(h.scaled, terms[t].scaled),
                              BuiltInNumber(job, terms[t].number));
  return h.direct_base + (h.preemptible_stride & Ones(job.preemptible)) +
         (h.retry_of_preempted_stride & Ones(job.lineage.retry_of_preempted)) + Sum(sum);
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_DIRECT_H_
