// A program with the evaluator's headers alone: reads an image from a file, and makes
// it the live policy of several threads.
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

#include "../expected.h"
#include "precedent/live_evaluator.h"

namespace {

// How many things were wrong, for readers of a live policy that is replaced meanwhile.
int CheckLive(const precedent::Evaluator& evaluator) {
  precedent::LiveEvaluator live(precedent::Fallback{1, "none"});
  int failures = 0;
  {
    const precedent::LiveEvaluator::Guard guard = live.read();
    if (guard.Evaluate(precedent::JobDescriptor(), consumer::At(consumer::kNow)).reason !=
        precedent::Reason::kFallbackNoPolicy)
      ++failures;
  }
  if (live.Publish(evaluator) != precedent::PublishStatus::kPublished) ++failures;
  int found = 0;
  std::thread reader([&] {
    for (int i = 0; i < 100; ++i) {
      const precedent::LiveEvaluator::Guard guard = live.read();
      found += consumer::Check(*guard.evaluator());
    }
  });
  for (int i = 0; i < 100; ++i) {
    // Refused while the reader stands still in mid-read for too many of them.
    while (live.Publish(evaluator) != precedent::PublishStatus::kPublished)
      std::this_thread::yield();
  }
  reader.join();
  if (!live.Synchronize(std::chrono::steady_clock::now())) ++failures;
  if (live.counts().freed != 100) ++failures;
  if (failures + found != 0) std::cerr << "the live policy is not as it should be\n";
  return failures + found;
}

}  // namespace

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
  return consumer::Check(*evaluator) == 0 && CheckLive(*evaluator) == 0 ? 0 : 1;
}
