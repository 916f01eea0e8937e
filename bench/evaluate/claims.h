// What the measurements have to reach, as ratios of one run.
#ifndef PRECEDENT_BENCH_EVALUATE_CLAIMS_H_
#define PRECEDENT_BENCH_EVALUATE_CLAIMS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/evaluate/scenario.h"

namespace precedent::bench {

using AllResults = std::map<std::string, Results>;  // by scenario

// One measurement of one scenario.
struct Figure {
  std::string scenario;
  std::string measurement;
};

struct Claim {
  enum class Form {
    kAtMost,         // figure / against <= limit
    kTimesFaster,    // against / figure >= limit
    kDifference,     // figure - against <= limit, in ns
    kValue,          // figure <= limit, in its own unit
    kReported,       // figure / against; nothing is demanded
    kReportedValue,  // figure; nothing is demanded
  };
  std::string text;  // empty: it belongs into its scenario's row
  Figure figure;
  Figure against;  // unused for kValue and kReportedValue
  Form form = Form::kAtMost;
  double limit = 0;
  std::string unit;  // of kValue and kReportedValue
};

std::vector<Claim> Claims();

// Empty where one of the figures was not measured.
std::optional<double> ValueOf(const Claim& claim, const AllResults& results);
bool IsDemanded(const Claim& claim);
bool IsMet(const Claim& claim, double value);
// `0.64 (<= 1)`, `312x (>= 200x)`
std::string Show(const Claim& claim, double value);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_EVALUATE_CLAIMS_H_
