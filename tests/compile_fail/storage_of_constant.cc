// A job is bound into bytes that can be written.
#include <cstddef>

#include "precedent/evaluator.h"

void Use(const precedent::Evaluator& evaluator, const precedent::JobDescriptor& job) {
#ifdef BAD
  alignas(8) static const std::byte storage[256] = {};
#else
  alignas(8) static std::byte storage[256] = {};
#endif
  evaluator.Bind(job, storage);  // ERROR: (could not|cannot|no known) convert.*Span<std::byte>|no viable conversion
}
