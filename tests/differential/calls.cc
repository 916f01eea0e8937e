#include "tests/differential/calls.h"

namespace precedent::differential {

std::optional<Evaluator> CallFromImage(Span<const std::byte> image, ImageError* error) {
  return Evaluator::FromImage(image, error);
}
BoundJob CallBind(const Evaluator& evaluator, const JobDescriptor& job, Span<std::byte> storage) {
  return evaluator.Bind(job, storage);
}
Decision CallEvaluate(const Evaluator& evaluator, const JobDescriptor& job, TimePoint now) {
  return evaluator.Evaluate(job, now);
}
Decision CallEvaluate(const Evaluator& evaluator, BoundJob job, TimePoint now) {
  return evaluator.Evaluate(job, now);
}
void CallEvaluate(const Evaluator& evaluator, Span<const BoundJob> jobs, TimePoint now,
                  Span<Decision> decisions) {
  evaluator.Evaluate(jobs, now, decisions);
}
std::size_t CallAppliedRules(const Evaluator& evaluator, const JobDescriptor& job, TimePoint now,
                             Span<std::uint32_t> rules) {
  return evaluator.AppliedRules(job, now, rules);
}
std::size_t CallAppliedRules(const Evaluator& evaluator, BoundJob job, TimePoint now,
                             Span<std::uint32_t> rules) {
  return evaluator.AppliedRules(job, now, rules);
}

}  // namespace precedent::differential
