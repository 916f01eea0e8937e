// A clock's time that is finer than a microsecond is rounded by the caller, visibly.
#include <chrono>

#include "precedent/evaluator.h"

precedent::Decision Use(const precedent::Evaluator& evaluator,
                        const precedent::JobDescriptor& job) {
  using Fine = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;
  const Fine now{std::chrono::nanoseconds(1)};
#ifdef BAD
  return evaluator.Evaluate(job, now);  // ERROR: no matching.*Evaluate
#else
  return evaluator.Evaluate(job, std::chrono::floor<std::chrono::microseconds>(now));
#endif
}
