// A policy that was refused is not live: the answer of Publish is not to be dropped.
#include "precedent/live_evaluator.h"

#pragma GCC diagnostic error "-Wunused-result"

bool Use(precedent::LiveEvaluator& live, const precedent::Evaluator& evaluator) {
#ifdef BAD
  live.Publish(evaluator);  // ERROR: nodiscard
  return true;
#else
  return live.Publish(evaluator) == precedent::PublishStatus::kPublished;
#endif
}
