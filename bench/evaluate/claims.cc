#include "bench/evaluate/claims.h"

#include <cmath>
#include <cstdio>

namespace precedent::bench {
namespace {

using Form = Claim::Form;

// A claim about `scenario` against a rival on the same jobs, shown in its row.
Claim Row(const char* scenario, const char* measurement, const char* rival, Form form,
          double limit) {
  return {"", {scenario, measurement}, {scenario, rival}, form, limit, ""};
}

std::string Number(double value) {
  char text[32];
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3;
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string Limit(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

std::vector<Claim> Claims() {
  std::vector<Claim> claims = {
      Row("seed policy", kTexts, kStrings, Form::kAtMost, 1.0),
      Row("seed policy", kTexts, kViews, Form::kAtMost, 1.6),
      Row("seed policy", kBound, kEnums, Form::kAtMost, 1.5),
      Row("seed with aging", kBound, kEnums, Form::kAtMost, 2),
      Row("10 adds", kBound, kNaive, Form::kAtMost, 0.4),
      Row("10 adds", kTexts, kNaive, Form::kAtMost, 1.0),
      Row("1k adds", kBound, kNaive, Form::kTimesFaster, 200),
      Row("1k adds", kTexts, kNaive, Form::kTimesFaster, 50),
      Row("10k adds", kBound, kNaive, Form::kTimesFaster, 1000),
      Row("10k adds", kTexts, kNaive, Form::kTimesFaster, 500),
      Row("40 mixed", kBound, kNaive, Form::kTimesFaster, 5),
      Row("40 mixed", kTexts, kNaive, Form::kTimesFaster, 2),
      Row("1k mixed", kBound, kNaive, Form::kTimesFaster, 50),
      Row("1k mixed", kTexts, kNaive, Form::kTimesFaster, 30),
      Row("10k mixed", kBound, kNaive, Form::kTimesFaster, 180),
      Row("10k mixed", kTexts, kNaive, Form::kTimesFaster, 140),
      Row("10k, one team owns all", kBound, kLinear, Form::kAtMost, 0.05),
      Row("10k, nothing selective", kBound, kLinear, Form::kAtMost, 0.04),
      Row("10k, all not_in", kBound, kLinear, Form::kAtMost, 0.03),
      Row("10k, 8 Matches a rule", kBound, kLinear, Form::kAtMost, 0.02),
      Row("10k, FIRST_MATCH", kBound, kLinear, Form::kAtMost, 0.15),
      Row("10k, 5,000 breakpoints", kBound, kLinear, Form::kAtMost, 0.15),
      Row("10k, FIRST_MATCH at once", kBound, kLinear, Form::kAtMost, 3),
      {"growth, bound, 1k to 10k", {"10k adds", kBound}, {"1k adds", kBound}, Form::kAtMost, 6, ""},
      {"growth, bound, 10k to 100k",
       {"100k adds", kBound},
       {"10k adds", kBound},
       Form::kAtMost,
       14,
       ""},
      {"growth, texts, 10k to 100k",
       {"100k adds", kTexts},
       {"10k adds", kTexts},
       Form::kAtMost,
       10,
       ""},
      {"bind, 50 labels to 3.5",
       {"10k, 50 labels", kBind},
       {"10k, 3.5 labels", kBind},
       Form::kAtMost,
       6,
       ""},
      {"1 % regex, added per job",
       {"10k, 1 % regex", kTexts},
       {"10k, no regex", kTexts},
       Form::kDifference,
       200,
       ""},
      {"bytes a rule, 1k adds", {"1k adds", kBytes}, {}, Form::kValue, 220, "B"},
      {"bytes a rule, 10k adds", {"10k adds", kBytes}, {}, Form::kValue, 100, "B"},
      {"compile, 10k adds", {"10k adds", kCompile}, {}, Form::kValue, 50, "ms"},
      {"compile, 100k adds", {"100k adds", kCompile}, {}, Form::kValue, 1000, "ms"},
  };
  // A queue at once has to be faster than one by one.
  for (const char* scenario : {"10k adds", "100k adds"})
    claims.push_back({std::string("queue at once, ") + scenario,
                      {scenario, kBatch},
                      {scenario, kBound},
                      Form::kAtMost,
                      1,
                      ""});
  for (const char* scenario : {kPendingAging, kPendingRules})
    claims.push_back({std::string("re-evaluation of ") + scenario,
                      {scenario, kQueue},
                      {},
                      Form::kReportedValue,
                      0,
                      "ms"});
  return claims;
}

std::optional<double> ValueOf(const Claim& claim, const AllResults& results) {
  const auto find = [&](const Figure& figure) -> std::optional<double> {
    const auto scenario = results.find(figure.scenario);
    if (scenario == results.end()) return std::nullopt;
    const auto found = scenario->second.find(figure.measurement);
    if (found == scenario->second.end()) return std::nullopt;
    return found->second;
  };
  const std::optional<double> figure = find(claim.figure);
  if (!figure || claim.form == Form::kValue || claim.form == Form::kReportedValue) return figure;
  const std::optional<double> against = find(claim.against);
  if (!against) return std::nullopt;
  if (claim.form == Form::kDifference) return *figure - *against;
  return claim.form == Form::kTimesFaster ? *against / *figure : *figure / *against;
}

bool IsDemanded(const Claim& claim) {
  return claim.form != Form::kReported && claim.form != Form::kReportedValue;
}

bool IsMet(const Claim& claim, double value) {
  if (!IsDemanded(claim)) return true;
  return claim.form == Form::kTimesFaster ? value >= claim.limit : value <= claim.limit;
}

std::string Show(const Claim& claim, double value) {
  switch (claim.form) {
    case Form::kReported:
      return Number(value);
    case Form::kReportedValue:
      return Number(value) + " " + claim.unit;
    case Form::kAtMost:
      return Number(value) + " (<= " + Limit(claim.limit) + ")";
    case Form::kTimesFaster:
      return Number(value) + "x (>= " + Limit(claim.limit) + "x)";
    case Form::kDifference:
      return Number(value) + " ns (<= " + Limit(claim.limit) + " ns)";
    case Form::kValue:
      return Number(value) + " " + claim.unit + " (<= " + Limit(claim.limit) + " " + claim.unit +
             ")";
  }
  return "";
}

}  // namespace precedent::bench
