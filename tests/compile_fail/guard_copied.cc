// A guard stands for one claim, so it moves and is not copied.
#include <utility>

#include "precedent/live_evaluator.h"

void Use(precedent::LiveEvaluator& live) {
  precedent::LiveEvaluator::Guard guard = live.read();
#ifdef BAD
  precedent::LiveEvaluator::Guard other = guard;  // ERROR: deleted|use of deleted|copy constructor
#else
  precedent::LiveEvaluator::Guard other = std::move(guard);
#endif
  (void)other.evaluator();
}
