// Google Benchmark's reporters, as this program wants them.
#ifndef PRECEDENT_BENCH_EVALUATE_REPORT_H_
#define PRECEDENT_BENCH_EVALUATE_REPORT_H_

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/evaluate/claims.h"

namespace precedent::bench {

// The table comes at the end, from PrintTable.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// Google Benchmark's own JSON with one member more: `claims`, a list of
// {claim, value, limit, met}.
class JsonWithClaims : public benchmark::JSONReporter {
 public:
  // Looks at `results` at the end only.
  explicit JsonWithClaims(const AllResults& results) : results_(results) {}
  void Finalize() override;

 private:
  const AllResults& results_;
};

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_EVALUATE_REPORT_H_
