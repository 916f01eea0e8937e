// A program with the evaluator's headers alone: reads an image from a file.
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <vector>

#include "../expected.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  precedent::ImageError error;
  const std::optional<precedent::Evaluator> evaluator = precedent::Evaluator::FromImage(
      {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, &error);
  if (!evaluator) {
    std::cerr << argv[1] << ": " << precedent::ImageErrorText(error) << "\n";
    return 1;
  }
  return consumer::Check(*evaluator) == 0 ? 0 : 1;
}
