// Evaluation of bound jobs, one and many.
#ifndef PRECEDENT_INTERNAL_BATCH_H_
#define PRECEDENT_INTERNAL_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "precedent/decision.h"
#include "precedent/internal/bind.h"
#include "precedent/internal/bound_job.h"
#include "precedent/internal/direct.h"
#include "precedent/internal/image.h"
#include "precedent/internal/inlining.h"
#include "precedent/internal/outcome.h"
#include "precedent/internal/run.h"
#include "precedent/internal/table.h"
#include "precedent/job_descriptor.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// Decisions are filled in place: copying one that was just written costs as much as
// making it. `now` in microseconds since 1970; `*decision` is new. Here and below.
PRECEDENT_COLD void DecideByRules(Image image, const std::byte* bound, std::int64_t now,
                                  Decision* decision) noexcept {
  Runner(image, BoundParts<const std::byte>(image.header(), bound), now, decision).Run();
}

PRECEDENT_HOT void DecideBound(Image image, const std::byte* bound, std::int64_t now,
                        Decision* decision) noexcept {
  const Header& h = image.header();
  const auto& header = *reinterpret_cast<const BoundHeader*>(bound);
  if ((header.flags & BoundHeader::kInvalid) != 0)
    return DecideInvalid(image, header.flags, decision);
  if (!HasTable(h)) return DecideByRules(image, bound, now, decision);
  const BoundParts<const std::byte> job(h, bound);
  DecideByCell(image, header.cell, job.amounts, header.flags, job.submitted(h), now, decision);
}

PRECEDENT_COLD void BindAndDecide(Image image, const PatternMatcher* matcher,
                                  const JobDescriptor& job, std::int64_t now,
                                  Decision* decision) noexcept {
  alignas(8) std::byte storage[kMaxBoundSize];
  Binder(image, matcher, storage).Bind(job);
  DecideBound(image, storage, now, decision);
}

// DecideBound of the bound job, without the bytes between where there can be none.
inline void DecideJob(Image image, const PatternMatcher* matcher, const JobDescriptor& job,
                      std::int64_t now, Decision* decision) noexcept {
  const Header& h = image.header();
  if (h.direct == 0 || (job.claimed & h.require_verified) != 0 || HasOddNumber(job) ||
      HasInfiniteMetric(job))
    return BindAndDecide(image, matcher, job, now, decision);
  std::int32_t amounts[kMaxTerms];
  const std::uint32_t cell = BindDirect(image, job, amounts);
  DecideByCell(image, cell, amounts, BoundHeader::kPreemptible & Ones(job.preemptible),
               SubmittedAt(job), now, decision);
}

// Calls on_rule(rule) for every rule that applies, in order; for none if the job is
// invalid.
template <typename OnRule>
void ForAppliedRules(Image image, const std::byte* bound, std::int64_t now,
                     OnRule&& on_rule) noexcept {
  const BoundParts<const std::byte> job(image.header(), bound);
  if ((job.header->flags & BoundHeader::kInvalid) != 0) return;
  if (HasTable(image.header())) {
    ForCellRules(image, job, on_rule);
  } else {
    Decision decision;
    Runner(image, job, now, &decision).List(on_rule);
  }
}

// DecideBound for each of many. Jobs of the same class in the first indexed
// column read the same buckets: they are evaluated one after the other, in runs of
// kRun jobs that are sorted by counting.
template <typename BoundOf>
void EvaluateBatch(Image image, std::size_t count, BoundOf bound, std::int64_t now,
                   Decision* decisions) noexcept {
  const Header& h = image.header();
  constexpr std::size_t kRun = 4096, kParts = 256;
  // Not `Decision()`: GCC makes that by an instruction that takes longer than many an
  // evaluation.
  const Decision fresh;
  if (HasTable(h) || h.indexes.count == 0 || count < 16) {
    for (std::size_t i = 0; i < count; ++i) {
      decisions[i] = fresh;
      DecideBound(image, bound(i), now, &decisions[i]);
    }
    return;
  }
  const std::uint32_t column = image.at(h.indexes, 0).column;
  // Classes go to parts in equal shares.
  const std::uint32_t share =
      image.at(h.column_classes, column) / static_cast<std::uint32_t>(kParts) + 1;
  const std::size_t at = BoundShape(h).classes + column * sizeof(std::uint32_t);
  std::uint16_t order[kRun];
  std::uint8_t parts[kRun];
  for (std::size_t begin = 0; begin < count; begin += kRun) {
    const std::size_t size = std::min(kRun, count - begin);
    std::uint16_t ends[kParts + 1] = {};
    for (std::size_t i = 0; i < size; ++i) {
      std::uint32_t klass;
      std::memcpy(&klass, bound(begin + i) + at, sizeof klass);
      parts[i] = static_cast<std::uint8_t>(klass / share);
      ++ends[parts[i] + 1];
    }
    for (std::size_t p = 0; p < kParts; ++p)
      ends[p + 1] = static_cast<std::uint16_t>(ends[p + 1] + ends[p]);
    for (std::size_t i = 0; i < size; ++i)
      order[ends[parts[i]]++] = static_cast<std::uint16_t>(i);
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t i = begin + order[k];
      decisions[i] = fresh;
      DecideBound(image, bound(i), now, &decisions[i]);
    }
  }
}

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_BATCH_H_
