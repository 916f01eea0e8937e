// evaluate_bench: what a decision costs, and what it would cost otherwise.
//
//   evaluate_bench [--quick] [--benchmark_filter=REGEX]
//                  [--benchmark_out=FILE --benchmark_out_format=json]
//
// A Google Benchmark program whose table comes at the end. The members of one scenario
// are measured in turns, so the first benchmark of it that is asked for measures all.
// Exit code 1: a result was wrong, and that scenario was not measured.
#include <benchmark/benchmark.h>

#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/evaluate/claims.h"
#include "bench/evaluate/report.h"
#include "bench/evaluate/scenario.h"
#include "bench/evaluate/table.h"

namespace precedent::bench {
namespace {

class Session {
 public:
  explicit Session(bool quick) : scenarios_(Scenarios(quick)) {
    budget_.seconds = quick ? 0.08 : 0.5;
    for (const Scenario& scenario : scenarios_)
      for (const std::string& measurement : scenario.measurements)
        if (measurement != kCompile) Register(scenario, measurement);
  }

  const std::vector<Scenario>& scenarios() const { return scenarios_; }
  const AllResults& results() const { return results_; }
  bool failed() const { return failed_; }

 private:
  void Register(const Scenario& scenario, const std::string& measurement) {
    benchmark::RegisterBenchmark((scenario.name + "/" + measurement).c_str(),
                                 [&scenario, measurement, this](benchmark::State& state) {
                                   Report(scenario, measurement, state);
                                 })
        ->UseManualTime()
        ->Iterations(1);
  }

  void Report(const Scenario& scenario, const std::string& measurement, benchmark::State& state) {
    if (results_.count(scenario.name) == 0) {
      std::cerr << scenario.name << " ...\n";
      std::string& error = errors_[scenario.name];
      results_[scenario.name] = Run(scenario, budget_, &error);
      if (!error.empty()) {
        failed_ = true;
        std::cerr << "error: " << scenario.name << ": " << error << '\n';
      }
    }
    const Results& results = results_[scenario.name];
    const auto found = results.find(measurement);
    if (found == results.end()) {
      const std::string& error = errors_[scenario.name];
      state.SkipWithError(error.empty() ? "not in this build" : error.c_str());
      return;
    }
    for (auto _ : state) state.SetIterationTime(found->second * 1e-9);
    for (const char* counter : {kApplied, kBytes, kBoundBytes, kCompile})
      if (const auto value = results.find(counter); value != results.end())
        state.counters[counter] = value->second;
  }

  std::vector<Scenario> scenarios_;
  Budget budget_;
  AllResults results_;
  std::map<std::string, std::string> errors_;
  bool failed_ = false;
};

// Takes `flag` out of the command line, if it is there.
bool TakeFlag(const char* flag, int& argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], flag) != 0) continue;
    for (; i + 1 < argc; ++i) argv[i] = argv[i + 1];
    --argc;
    return true;
  }
  return false;
}

int Main(int argc, char** argv) {
  const bool quick = TakeFlag("--quick", argc, argv);
  bool to_file = false;
  for (int i = 1; i < argc; ++i) to_file |= std::strncmp(argv[i], "--benchmark_out=", 16) == 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  Session session(quick);
  SilentReporter silent;
  JsonWithClaims json(session.results());
  benchmark::RunSpecifiedBenchmarks(&silent, to_file ? &json : nullptr);
  const Verdict verdict = PrintTable(session.scenarios(), session.results(), std::cout);
  std::cout << verdict.judged - verdict.missed << " of " << verdict.judged << " demands are met\n";
  return session.failed() ? 1 : 0;
}

}  // namespace
}  // namespace precedent::bench

int main(int argc, char** argv) { return precedent::bench::Main(argc, argv); }
