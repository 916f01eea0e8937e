// seed_image FILE: writes the image of the benchmarks' seed policy.
#include <fstream>
#include <iostream>

#include "bench/workload/policy.h"
#include "precedent/policy.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seed_image FILE\n";
    return 2;
  }
  const precedent::CompileResult result = precedent::CompilePolicy(precedent::bench::SeedPolicy());
  if (!result.ok()) return 1;
  const auto image = result.policy->evaluator().image();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(image.data()),
             static_cast<std::streamsize>(image.size()));
  return file.flush() ? 0 : 1;
}
