// What the images of some policies have: whether a shape is what it is meant to be.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_IMAGE_FACTS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_IMAGE_FACTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "precedent/evaluator.h"

namespace precedent::differential {

class ImageFacts {
 public:
  // Counts what the image has; nothing for an evaluator that has none.
  void Add(const Evaluator& evaluator);
  std::uint64_t operator[](const std::string& what) const;
  std::string ToText() const;

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_IMAGE_FACTS_H_
