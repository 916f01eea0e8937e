// What the policy of policy.txtpb decides, worked out by hand. Needs the evaluator's
// headers and nothing else.
#ifndef PRECEDENT_TESTS_CONSUMER_EXPECTED_H_
#define PRECEDENT_TESTS_CONSUMER_EXPECTED_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include "precedent/evaluator.h"
#include "precedent/version.h"

namespace consumer {

inline constexpr std::int64_t kNow = 1'700'000'000;  // seconds

inline precedent::TimePoint At(std::int64_t seconds) {
  return precedent::TimePoint(std::chrono::seconds(seconds));
}

struct Checker {
  const precedent::Evaluator& evaluator;
  int failures = 0;

  template <typename Value>
  void Equal(const char* name, const char* what, const Value& got, const Value& want) {
    if (got == want) return;
    std::cerr << name << ": " << what << " is " << got << ", not " << want << "\n";
    ++failures;
  }

  // `rules`: the ids of the rules that apply, a blank behind each. `changes`: the
  // wait in seconds at which the decision changes next; -1: never.
  void Job(const char* name, const precedent::JobDescriptor& job, std::int32_t priority,
           std::int32_t preemption_priority, std::string_view priority_class, std::string rules,
           std::int64_t changes) {
    const precedent::Decision decision = evaluator.Evaluate(job, At(kNow));
    Equal(name, "priority", decision.priority, priority);
    Equal(name, "preemption priority", decision.preemption_priority, preemption_priority);
    Equal(name, "class", decision.priority_class, priority_class);
    const precedent::TimePoint until =
        changes < 0 ? precedent::kForever : job.submitted + std::chrono::seconds(changes);
    Equal(name, "valid_until", decision.valid_until.time_since_epoch().count(),
          until.time_since_epoch().count());
    std::uint32_t applied[16];
    const std::size_t count = evaluator.AppliedRules(job, At(kNow), applied);
    std::string ids;
    for (std::size_t i = 0; i < count && i < 16; ++i)
      ids += std::string(evaluator.rule(applied[i]).id) + " ";
    Equal(name, "rules", ids, rules);
  }
};

// 0, or how many things were wrong; says which.
inline int Check(const precedent::Evaluator& evaluator) {
  Checker check{evaluator};
  check.Equal<std::string_view>("evaluator", "name", evaluator.name(), "consumer");
  check.Equal<std::int64_t>("evaluator", "generation", evaluator.generation(), 3);
  check.Equal<std::string_view>("header", "version", PRECEDENT_VERSION, "0.1.0");

  precedent::JobDescriptor nothing;  // every number absent
  check.Job("nothing", nothing, 503, 503, "experimental",
            "everyone-else unsized sized share waiting ", -1);

  precedent::JobDescriptor large;
  large.environment = "production";
  large.gpu_count = 4.5;
  large.dataset_bytes = 2.9e12;  // 8.7 points
  check.Job("large", large, 958, 958, "production", "production large sized share waiting ", -1);

  precedent::JobDescriptor full;
  const precedent::Metric share[] = {{"share", 0.75}, {"risk", 5e-324}};
  full.gpu_count = 0;
  full.dataset_bytes = 1e15;
  full.metrics = share;
  check.Job("full", full, 500 + 20 + 10 - 75 - 7, 500 + 20 + 10 - 75 - 7, "experimental",
            "everyone-else small sized share any-risk waiting ", -1);

  const precedent::Metric nan[] = {{"share", precedent::kAbsent}, {"risk", 0.0}};
  full.metrics = nan;
  check.Job("absent metric", full, 530, 530, "experimental",
            "everyone-else small sized share waiting ", -1);

  // Amounts step exactly at multiples of 49 seconds.
  for (const std::int64_t step : {1, 2, 3, 29, 57, 98, 103, 107, 399}) {
    precedent::JobDescriptor waiting;
    const std::int32_t amount = static_cast<std::int32_t>(step);
    waiting.submitted = At(kNow - 49 * step);
    check.Job("at a step", waiting, 503 + amount, 503, "experimental",
              "everyone-else unsized sized share waiting ", 49 * (step + 1));
    waiting.submitted = At(kNow - 49 * step + 1);
    check.Job("before a step", waiting, 503 + amount - 1, 503, "experimental",
              "everyone-else unsized sized share waiting ", 49 * step);
  }
  precedent::JobDescriptor old;
  old.submitted = At(kNow - 49 * 400);
  check.Job("at the maximum", old, 903, 503, "experimental",
            "everyone-else unsized sized share waiting ", -1);

  precedent::JobDescriptor consenting = large;
  consenting.preemptible = true;
  check.Job("preemptible", consenting, 0, 0, "preemptible",
            "production large sized share waiting preemptible ", -1);

  precedent::JobDescriptor invalid;
  invalid.gpu_count = -1;
  check.Job("invalid", invalid, 321, 321, "preemptible", "", -1);
  check.Equal<std::string_view>("invalid", "reason",
                                precedent::ReasonName(evaluator.Evaluate(invalid, At(kNow)).reason),
                                "FALLBACK_INVALID_INPUT");
  return check.failures;
}

}  // namespace consumer

#endif  // PRECEDENT_TESTS_CONSUMER_EXPECTED_H_
