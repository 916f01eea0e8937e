// One adapter, many threads.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/kubernetes/admission/admission_test_support.h"

namespace precedent::kubernetes {
namespace {

// 33a: a few hundred replicas at once. Nobody waits for anybody: there is no lock, and
// every answer is the one that a lone review gets, also where bodies of all sizes, good
// and bad, meet.
TEST(Overload, Case33aFiveHundredReviewsAtOnceAreAnsweredAsEachAlone) {
  std::vector<std::string> bodies;
  for (int i = 0; i < 500; ++i) {
    const std::string n = std::to_string(i);
    std::string labels = R"("labels":{"team":")" + std::string(i % 2 == 0 ? "nlp" : "cv") +
                         R"(","n":")" + n + R"("},"generateName":"r)" + n + "-\"";
    if (i % 7 == 0) labels += R"(,"annotations":{"note":")" + std::string(90'000, 'x') + "\"}";
    std::string body = CreateReview(i % 3 == 0 ? GpuTemplate("batch/v1", "Job", labels)
                                               : GpuPod(labels));
    if (i % 11 == 0) body.resize(body.size() / 2);
    if (i % 13 == 0) body.insert(1, R"("kind":"x",)");
    bodies.push_back(body);
  }
  const Adapter adapter = MustCreate();
  const Evaluator& evaluator = TwoClasses().evaluator();
  std::vector<std::string> alone;
  for (const std::string& body : bodies) alone.push_back(adapter.Review(body, &evaluator, kNow));

  std::vector<std::string> answers(bodies.size());
  std::atomic<std::size_t> next{0};
  std::atomic<int> waiting{24};  // more than there are workspaces to keep
  std::vector<std::thread> threads;
  for (int i = waiting; i > 0; --i) {
    threads.emplace_back([&] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      for (std::size_t at; (at = next++) < bodies.size();) {
        answers[at] = adapter.Review(bodies[at], &evaluator, kNow);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(answers[i], alone[i]) << i;
}

}  // namespace
}  // namespace precedent::kubernetes
