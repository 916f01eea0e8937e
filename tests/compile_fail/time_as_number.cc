// A bare number is no time: seconds and microseconds would look alike.
#include <chrono>

#include "precedent/evaluator.h"

precedent::Decision Use(const precedent::Evaluator& evaluator,
                        const precedent::JobDescriptor& job) {
#ifdef BAD
  return evaluator.Evaluate(job, 1'700'000'000);  // ERROR: no matching.*Evaluate
#else
  return evaluator.Evaluate(job, precedent::TimePoint(std::chrono::seconds(1'700'000'000)));
#endif
}
