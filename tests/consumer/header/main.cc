// The same with the image compiled in: `precedent compile --as=header`.
#include <iostream>
#include <optional>

#include "../expected.h"
#include "consumer-policy.h"

int main() {
  precedent::ImageError error;
  const std::optional<precedent::Evaluator> evaluator =
      precedent::Evaluator::FromImage(precedent_images::consumer_policy(), &error);
  if (!evaluator) {
    std::cerr << precedent::ImageErrorText(error) << "\n";
    return 1;
  }
  return consumer::Check(*evaluator) == 0 ? 0 : 1;
}
