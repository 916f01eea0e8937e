// The calls of the evaluator that are under test. Everything that they do is inline in
// its headers: in a file of its own it is quick to build anew for each of many faults.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_CALLS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "precedent/evaluator.h"

namespace precedent::differential {

std::optional<Evaluator> CallFromImage(Span<const std::byte> image, ImageError* error);
BoundJob CallBind(const Evaluator& evaluator, const JobDescriptor& job, Span<std::byte> storage);
Decision CallEvaluate(const Evaluator& evaluator, const JobDescriptor& job, TimePoint now);
Decision CallEvaluate(const Evaluator& evaluator, BoundJob job, TimePoint now);
void CallEvaluate(const Evaluator& evaluator, Span<const BoundJob> jobs, TimePoint now,
                  Span<Decision> decisions);
std::size_t CallAppliedRules(const Evaluator& evaluator, const JobDescriptor& job, TimePoint now,
                             Span<std::uint32_t> rules);
std::size_t CallAppliedRules(const Evaluator& evaluator, BoundJob job, TimePoint now,
                             Span<std::uint32_t> rules);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_CALLS_H_
