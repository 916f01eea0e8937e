// Only an evaluator binds a job: bytes are none.
#include <cstddef>

#include "precedent/evaluator.h"

precedent::BoundJob Use(const precedent::Evaluator& evaluator, const precedent::JobDescriptor& job,
                        precedent::Span<std::byte> storage) {
#ifdef BAD
  (void)evaluator, (void)job;
  return precedent::BoundJob(storage.data());  // ERROR: BoundJob.*private
#else
  return evaluator.Bind(job, storage);
#endif
}
