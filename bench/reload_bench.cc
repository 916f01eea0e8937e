// What a read of the live policy costs while a writer publishes every millisecond, for
// LiveEvaluator and what one might take instead.
//
//   reload_bench [--seconds=S] [--json=FILE]
//
// `read` is taking the policy, looking at one number in it and letting go; `evaluate`
// is one decision of the seed policy, each with a read of its own. Times are processor
// time of the reading thread, the median over slices of some thousand reads; `two` is
// two readers at once, x its ratio to one. `speed-up` is how much two threads evaluate
// of what one does, by processor time, so a machine that has other work does not blur
// it. S is the time for each of the columns (default 1).
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/reload/holder.h"
#include "precedent/policy.h"

namespace precedent::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 8;

double ThreadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<JobDescriptor> Jobs() {
  constexpr const char* kEnvironments[] = {"production", "staging", ""};
  constexpr const char* kWorkloads[] = {"training", "inference", "batch", "notebook"};
  std::vector<JobDescriptor> jobs;
  for (std::size_t i = 0; i < 60; ++i) {
    JobDescriptor job;
    job.team = i % 5 == 0 ? "production" : "research";
    job.environment = kEnvironments[i % 3];
    job.workload_type = kWorkloads[(i / 3) % 4];
    job.gpu_count = static_cast<double>(1 + i % 9);
    job.preemptible = i % 8 == 0;
    job.lineage.failure_count = static_cast<std::int64_t>(i % 4);
    jobs.push_back(job);
  }
  return jobs;
}

// Gathered over several rounds.
struct Result {
  std::vector<double> slices;  // nanoseconds a read
  double seconds = 0;
  double published = 0;
  double writer = 0;  // nanoseconds of processor time
  bool right = true;

  double nanoseconds() const { return Median(slices); }
  double publishes_per_second() const { return published / seconds; }
  double publish_microseconds() const { return writer / 1e3 / std::max(published, 1.0); }
};

// `readers` threads read for `seconds` while one publishes every millisecond.
void Measure(Holder& holder, const std::vector<Evaluator>& evaluators, const ReadLoop& loop,
             std::int64_t expected, int readers, double seconds, Result* result) {
  std::atomic<int> ready{0};
  std::atomic<bool> stop{false}, wrong{false};
  std::vector<std::vector<double>> slices(static_cast<std::size_t>(readers));
  std::vector<std::thread> threads;
  for (auto& times : slices)
    threads.emplace_back([&] {
      times.reserve(1 << 16);
      holder.Enter();
      ++ready;
      while (ready != readers) std::this_thread::yield();
      while (!stop) {
        const double begin = ThreadNanoseconds();
        if (holder.Run(loop) != expected) wrong = true;
        const double end = ThreadNanoseconds();
        if (times.size() < times.capacity()) times.push_back((end - begin) / loop.reads);
      }
      holder.Leave();
    });
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds));
  const double writer = ThreadNanoseconds();
  std::size_t published = 0;
  while (Clock::now() < end) {
    if (holder.Publish(evaluators[published % evaluators.size()])) ++published;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  result->writer += ThreadNanoseconds() - writer;
  result->published += static_cast<double>(published);
  result->seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  for (const auto& times : slices)
    result->slices.insert(result->slices.end(), times.begin(), times.end());
  result->right = result->right && !wrong;
}

struct Row {
  std::string name;
  Result read_one, read_two, evaluate_one, evaluate_two;
  double read_ratio() const { return read_two.nanoseconds() / read_one.nanoseconds(); }
  double speed_up() const { return 2 * evaluate_one.nanoseconds() / evaluate_two.nanoseconds(); }
};

bool WriteJson(const std::string& file, const std::vector<Row>& rows) {
  std::ofstream out(file);
  out << "{\"benchmark\": \"reload\", \"rows\": [";
  const char* separator = "\n";
  for (const Row& row : rows) {
    out << separator << "  {\"name\": \"" << row.name
        << "\", \"read_ns\": " << row.read_one.nanoseconds()
        << ", \"read_ns_two_readers\": " << row.read_two.nanoseconds()
        << ", \"two_readers_ratio\": " << row.read_ratio()
        << ", \"evaluate_ns\": " << row.evaluate_one.nanoseconds()
        << ", \"evaluate_ns_two_threads\": " << row.evaluate_two.nanoseconds()
        << ", \"two_threads_speed_up\": " << row.speed_up()
        << ", \"publishes_per_second\": " << row.read_two.publishes_per_second()
        << ", \"publish_us\": " << row.read_one.publish_microseconds() << "}";
    separator = ",\n";
  }
  out << "\n]}\n";
  return static_cast<bool>(out.flush());
}

// Two policies that decide alike, so that every holder has to come to one sum.
std::optional<std::vector<Evaluator>> Policies() {
  std::ifstream file(PRECEDENT_SOURCE_DIR "/examples/policies/seed.txtpb", std::ios::binary);
  const std::string text =
      "generation: 1\n" + std::string{std::istreambuf_iterator<char>(file), {}};
  std::vector<Evaluator> evaluators;
  for (int i = 0; i < 2; ++i) {
    const CompileResult result = LoadPolicy(text);
    if (!result.ok()) return std::nullopt;
    evaluators.push_back(result.policy->evaluator());
  }
  return evaluators;
}

int Main(int argc, char** argv) {
  double seconds = 1;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, 10) == "--seconds=") {
      seconds = std::atof(argv[i] + 10);
    } else if (argument.substr(0, 7) == "--json=") {
      json = argument.substr(7);
    } else {
      std::fprintf(stderr, "usage: reload_bench [--seconds=S] [--json=FILE]\n");
      return 2;
    }
  }
  const std::optional<std::vector<Evaluator>> evaluators = Policies();
  if (!evaluators) {
    std::fprintf(stderr, "examples/policies/seed.txtpb does not compile\n");
    return 1;
  }
  const std::vector<JobDescriptor> jobs = Jobs();
  const ReadLoop read{6000, {}, {}};
  const ReadLoop evaluate{1200, jobs, TimePoint(std::chrono::seconds(1'700'000'000))};
  std::int64_t sum = 0;
  for (int i = 0; i < evaluate.reads; ++i)
    sum += evaluators->front().Evaluate(jobs[static_cast<std::size_t>(i) % jobs.size()],
                                        evaluate.now).priority;

  std::vector<Row> rows;
  bool right = true;
  std::printf("%-20s %8s %8s %6s %12s %12s %9s %11s\n", "", "read ns", "two ns", "x", "evaluate ns",
              "two ns", "speed-up", "publish us");
  for (const auto make : {MakeLiveEvaluator, MakeSharedMutex, MakeAtomicSharedPtr, MakeUrcu}) {
    const std::unique_ptr<Holder> holder = make();
    if (holder == nullptr) {
      std::printf("liburcu: not found when this was built\n");
      continue;
    }
    holder->Publish(evaluators->front());
    Row row;
    row.name = holder->name();
    // In turns: a processor that changes its clock does so for one reader and for two.
    for (int round = 0; round < kRounds; ++round) {
      const double share = seconds / kRounds;
      Measure(*holder, *evaluators, read, read.reads, 1, share, &row.read_one);
      Measure(*holder, *evaluators, read, read.reads, 2, share, &row.read_two);
      Measure(*holder, *evaluators, evaluate, sum, 1, share, &row.evaluate_one);
      Measure(*holder, *evaluators, evaluate, sum, 2, share, &row.evaluate_two);
    }
    for (const Result* result :
         {&row.read_one, &row.read_two, &row.evaluate_one, &row.evaluate_two})
      right = right && result->right;
    std::printf("%-20s %8.1f %8.1f %6.2f %12.1f %12.1f %9.2f %11.1f\n", row.name.c_str(),
                row.read_one.nanoseconds(), row.read_two.nanoseconds(), row.read_ratio(),
                row.evaluate_one.nanoseconds(), row.evaluate_two.nanoseconds(), row.speed_up(),
                row.read_one.publish_microseconds());
    std::fflush(stdout);
    rows.push_back(row);
  }
  if (!right) std::fprintf(stderr, "a reader read something else than what was published\n");
  if (!json.empty() && !WriteJson(json, rows)) {
    std::fprintf(stderr, "%s: cannot write\n", json.c_str());
    return 1;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace precedent::bench

int main(int argc, char** argv) { return precedent::bench::Main(argc, argv); }
