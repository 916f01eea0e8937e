// An evaluator without a policy cannot be expressed.
#include <optional>

#include "precedent/evaluator.h"

void Use() {
#ifdef BAD
  precedent::Evaluator evaluator;  // ERROR: no matching (function for call|constructor).*Evaluator
#else
  std::optional<precedent::Evaluator> evaluator;
#endif
  (void)evaluator;
}
