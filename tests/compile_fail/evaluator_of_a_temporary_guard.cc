// Nor may the evaluator be taken out of such a guard.
#include "precedent/live_evaluator.h"

bool Use(precedent::LiveEvaluator& live) {
#ifdef BAD
  const precedent::Evaluator* evaluator = live.read().evaluator();  // ERROR: deleted
#else
  const precedent::LiveEvaluator::Guard guard = live.read();
  const precedent::Evaluator* evaluator = guard.evaluator();
#endif
  return evaluator != nullptr;
}
