// A policy that did not pass the compiler cannot be put together by hand.
#include <memory>
#include <optional>

#include "precedent/policy.h"

precedent::CompileResult Use(const precedent::Evaluator& evaluator,
                             std::shared_ptr<const precedent::v1::Policy> source) {
#ifdef BAD
  precedent::CompileResult result;
  result.policy = precedent::CompiledPolicy(evaluator, source);  // ERROR: CompiledPolicy.*private
  return result;
#else
  (void)evaluator;
  return precedent::CompilePolicy(*source);
#endif
}
