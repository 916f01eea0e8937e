// The views of a decision live as long as the guard, so a guard that is gone at the end
// of the expression decides nothing.
#include "precedent/live_evaluator.h"

precedent::Decision Use(precedent::LiveEvaluator& live, const precedent::JobDescriptor& job) {
#ifdef BAD
  return live.read().Evaluate(job, precedent::TimePoint());  // ERROR: deleted
#else
  const precedent::LiveEvaluator::Guard guard = live.read();
  const precedent::Decision decision = guard.Evaluate(job, precedent::TimePoint());
  return precedent::Decision{decision.priority};
#endif
}
