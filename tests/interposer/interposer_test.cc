// A million evaluations of every example policy, one by one and as a queue: no
// allocation, no lock, no system call. And the counters count: the same loop with one of
// each in it is seen.
#include "tests/interposer/interposer.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "precedent/policy.h"
#include "tests/interposer/system_calls.h"

namespace precedent::interposer {
namespace {

constexpr int kEvaluations = 1'000'000;

constexpr Label kLabels[] = {{"tier", "gold"}, {"precedent.dev/team", "search"}, {"app", ""}};
constexpr Metric kMetrics[] = {{"fair_share", 0.25}, {"age", 0.5}, {"qos", 1.0}, {"size", 1e9}};

// Jobs that differ in everything that the example policies look at.
std::vector<JobDescriptor> Jobs() {
  constexpr const char* kEnvironments[] = {"production", "staging", "", "development"};
  constexpr const char* kWorkloads[] = {"training", "inference", "batch", "", "evaluation"};
  constexpr const char* kTeams[] = {"production", "research", "search"};
  std::vector<JobDescriptor> jobs;
  for (int i = 0; i < 120; ++i) {
    JobDescriptor job;
    job.team = kTeams[i % 3];
    job.environment = kEnvironments[i % 4];
    job.workload_type = kWorkloads[i % 5];
    job.namespace_name = "default";
    job.kind = "Job";
    if (i % 7 != 0) job.gpu_count = i % 11;
    if (i % 2 == 0) job.dataset_bytes = 3e11 * (i % 9);
    if (i % 3 == 0) job.max_runtime_seconds = 3600 * (i % 30);
    if (i % 4 == 0) job.checkpoint_interval_seconds = 300;
    if (i % 5 != 0) job.submitted = TimePoint(std::chrono::seconds(1'700'000'000 - 977 * i));
    job.preemptible = i % 6 == 0;
    job.lineage.failure_count = i % 4;
    job.lineage.preemption_count = i % 3;
    job.lineage.retry_of_preempted = i % 3 != 0;
    if (i % 8 != 0) job.labels = kLabels;
    if (i % 9 != 0) job.metrics = kMetrics;
    if (i % 40 == 39) job.gpu_count = -1;  // a fallback decision
    jobs.push_back(job);
  }
  return jobs;
}

// What the loop may touch, all of it made beforehand.
struct Loop {
  const Evaluator* evaluator = nullptr;
  int evaluations = kEvaluations;
  std::vector<JobDescriptor> jobs = Jobs();
  std::vector<std::uint64_t> storage;
  std::vector<std::uint32_t> rules;
  // All jobs bound, for the call that evaluates a whole queue.
  std::vector<std::uint64_t> queue_storage;
  std::vector<BoundJob> queue;
  std::vector<Decision> decisions;
  std::int64_t sum = 0;                // keeps the work from being optimised away
  void (*misbehave)() = nullptr;       // done once, in mid-loop
};

void RunLoop(void* argument) {
  Loop& loop = *static_cast<Loop*>(argument);
  const Evaluator& evaluator = *loop.evaluator;
  const Span<std::byte> storage(reinterpret_cast<std::byte*>(loop.storage.data()),
                                loop.storage.size() * sizeof(std::uint64_t));
  TimePoint now{std::chrono::seconds(1'700'000'000)};
  for (int i = 0; i < loop.evaluations; ++i) {
    const JobDescriptor& job = loop.jobs[static_cast<std::size_t>(i) % loop.jobs.size()];
    const BoundJob bound = evaluator.Bind(job, storage);
    const Decision decision = evaluator.Evaluate(bound, now);
    loop.sum += decision.priority;
    loop.sum += static_cast<std::int64_t>(evaluator.AppliedRules(bound, now, loop.rules));
    if (i % 16 == 0) loop.sum -= evaluator.Evaluate(job, now).preemption_priority;
    if (i % 128 == 0) {
      evaluator.Evaluate(loop.queue, now, loop.decisions);
      loop.sum += loop.decisions.back().priority;
    }
    if (i == loop.evaluations / 2 && loop.misbehave != nullptr) loop.misbehave();
    now += std::chrono::seconds(61);
  }
}

CompileResult LoadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return LoadPolicy(text);
}

Loop MakeLoop(const Evaluator& evaluator) {
  Loop loop;
  loop.evaluator = &evaluator;
  loop.storage.resize(evaluator.bound_size() / sizeof(std::uint64_t));
  loop.rules.resize(evaluator.rule_count());
  const std::size_t words = loop.storage.size();
  loop.queue_storage.resize(words * loop.jobs.size());
  loop.decisions.resize(loop.jobs.size());
  for (std::size_t i = 0; i < loop.jobs.size(); ++i)
    loop.queue.push_back(evaluator.Bind(
        loop.jobs[i], {reinterpret_cast<std::byte*>(loop.queue_storage.data() + i * words),
                       evaluator.bound_size()}));
  return loop;
}

Counts CountInProcess(Loop& loop) {
  Start();
  RunLoop(&loop);
  return Stop();
}

TEST(Interposer, EvaluationOfTheExamplePoliciesIsSilent) {
  int policies = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(PRECEDENT_SOURCE_DIR "/examples/policies")) {
    if (entry.path().extension() != ".txtpb") continue;  // test cases lie beside them
    SCOPED_TRACE(entry.path().filename().string());
    const CompileResult result = LoadFile(entry.path());
    ASSERT_TRUE(result.ok());
    const Evaluator& evaluator = result.policy->evaluator();
    ASSERT_TRUE(evaluator.lock_free());
    Loop loop = MakeLoop(evaluator);

    const Counts counts = CountInProcess(loop);
    EXPECT_EQ(counts.allocations, 0u);
    EXPECT_EQ(counts.locks, 0u);
    EXPECT_NE(loop.sum, 0);

    const SystemCalls calls = CountSystemCalls(RunLoop, &loop);
    if (calls.supported) {
      EXPECT_TRUE(calls.finished);
      EXPECT_EQ(calls.count, 0u);
    }
    ++policies;
  }
  EXPECT_GE(policies, 4);
}

TEST(Interposer, SystemCallsCanBeCountedHere) {
  if (!CountSystemCalls([](void*) {}, nullptr).supported)
    GTEST_SKIP() << "this kernel lets no process filter its system calls: they were not counted";
}

// The same loop, short, with one misdeed.
Loop ShortLoop(const Evaluator& evaluator, void (*misbehave)()) {
  Loop loop = MakeLoop(evaluator);
  loop.evaluations = 1000;
  loop.misbehave = misbehave;
  return loop;
}

class InterposerCheck : public testing::Test {
 protected:
  CompileResult result_ = LoadPolicy("stages { rules { id: \"all\" set: 7 } }");
  const Evaluator& evaluator() { return result_.policy->evaluator(); }
  void SetUp() override { ASSERT_TRUE(result_.ok()); }
};

TEST_F(InterposerCheck, SeesAllocations) {
  Loop none = ShortLoop(evaluator(), nullptr);
  EXPECT_EQ(CountInProcess(none).allocations, 0u);
  Loop c = ShortLoop(evaluator(), [] {
    void* volatile block = std::malloc(24);
    std::free(block);
  });
  EXPECT_EQ(CountInProcess(c).allocations, 2u);
  Loop zeroed = ShortLoop(evaluator(), [] {
    void* volatile block = std::calloc(3, 8);
    block = std::realloc(block, 4096);
    std::free(block);
  });
  EXPECT_EQ(CountInProcess(zeroed).allocations, 3u);
  Loop cpp = ShortLoop(evaluator(), [] {
    std::string* volatile text = new std::string(100, 'x');
    delete text;
  });
  EXPECT_EQ(CountInProcess(cpp).allocations, 4u);
}

TEST_F(InterposerCheck, SeesLocks) {
  Loop mutex = ShortLoop(evaluator(), [] {
    static std::mutex lock;
    lock.lock();
    lock.unlock();
  });
  EXPECT_EQ(CountInProcess(mutex).locks, 2u);
  Loop shared = ShortLoop(evaluator(), [] {
    static std::shared_mutex lock;
    lock.lock_shared();
    lock.unlock_shared();
  });
  EXPECT_EQ(CountInProcess(shared).locks, 2u);
  Loop spin = ShortLoop(evaluator(), [] {
    static pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
  });
  EXPECT_EQ(CountInProcess(spin).locks, 2u);
}

TEST_F(InterposerCheck, SeesSystemCalls) {
  Loop none = ShortLoop(evaluator(), nullptr);
  const SystemCalls silent = CountSystemCalls(RunLoop, &none);
  if (!silent.supported) GTEST_SKIP() << "this kernel lets no process filter its system calls";
  EXPECT_TRUE(silent.finished);
  EXPECT_EQ(silent.count, 0u);
  Loop one = ShortLoop(evaluator(), [] { getppid(); });
  const SystemCalls calls = CountSystemCalls(RunLoop, &one);
  EXPECT_TRUE(calls.finished);
  EXPECT_EQ(calls.count, 1u);
}

}  // namespace
}  // namespace precedent::interposer
