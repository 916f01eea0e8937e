// ratio_policies FOLDER EXAMPLES: writes the policies that ratio_test compares, as text and
// as images.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "bench/workload/policy.h"
#include "bench/workload/shapes.h"
#include "precedent/policy.h"

namespace {

bool Write(const std::string& folder, const std::string& name, const std::string& text) {
  const precedent::CompileResult result = precedent::LoadPolicy(text);
  if (!result.ok()) return false;
  const auto image = result.policy->evaluator().image();
  std::ofstream(folder + "/" + name + ".txtpb") << text;
  std::ofstream file(folder + "/" + name + ".image", std::ios::binary);
  file.write(reinterpret_cast<const char*>(image.data()),
             static_cast<std::streamsize>(image.size()));
  return !image.empty() && file.flush().good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[1];
  const std::string examples = argv[2];
  for (const char* name : {"seed", "fleet", "slurm-multifactor"}) {
    std::ifstream file(examples + "/" + name + ".txtpb");
    if (!Write(folder, name, {std::istreambuf_iterator<char>(file), {}})) {
      std::cerr << name << ": no image\n";
      return 1;
    }
  }
  const auto rules = precedent::bench::ToPolicy(precedent::bench::Adds(1000));
  return Write(folder, "rules-1000", precedent::FormatPolicy(rules)) ? 0 : 1;
}
