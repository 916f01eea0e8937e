// A program that links the compiler: reads a policy, evaluates it, and evaluates the
// image of it too.
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "../expected.h"
#include "precedent/policy.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const precedent::CompileResult result = precedent::LoadPolicy(text);
  for (const precedent::Issue& issue : result.issues)
    std::cerr << precedent::FormatIssue(issue, argv[1]) << "\n";
  if (!result.ok()) return 1;
  const precedent::Evaluator& evaluator = result.policy->evaluator();
  const std::optional<precedent::Evaluator> copy =
      precedent::Evaluator::FromImage(evaluator.image());
  if (!copy) return 1;
  return consumer::Check(evaluator) + consumer::Check(*copy) == 0 ? 0 : 1;
}
