// Runs a fuzz target on the files that it is given, or on those of the folders. For
// builds without libFuzzer. Fails where there is no file: an empty corpus tests nothing.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    std::cerr << "no input to replay\n";
    return 1;
  }
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      std::cerr << file << " cannot be read\n";
      return 1;
    }
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    std::cerr << file.filename() << '\n';  // so that the last line names what broke it
    // A copy of exactly this size: a sanitizer then sees a read past the end.
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::cerr << files.size() << " inputs\n";
  return 0;
}
